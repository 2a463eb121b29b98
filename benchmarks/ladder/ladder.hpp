// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The ladder: the kernels that five tutorials teach transposes with, from the upper and the lower
// bound to the conflict-free tile, each correct for any size; and the source's tables, whose
// figures stand beside ours.
#pragma once

#include "core/case.hpp"

#include <functional>
#include <string>
#include <vector>

namespace xpose::bench::ladder {

/// A rung moves in (rows x cols) of 4-byte elements to out: transposed, or the same shape.
using move_function =
    std::function<void(void const* in, void* out, index rows, index cols, void* stream)>;
/// C = A B of f32, row-major and packed.
using gemm_function = std::function<void(void const* a, void const* b, void* c, index m, index n,
                                         index k, void* stream)>;

/// What one block of a rung takes of a multiprocessor.
struct occupancy {
  int threads_in_block = 0;
  int registers = 0;
  int shared_bytes = 0;
  int blocks_on_multiprocessor = 0;
};

enum class rung_work { copy, transpose, gemm };

struct rung {
  std::string name;
  std::string idea;
  rung_work work;
  move_function move;
  gemm_function multiply;
  std::function<occupancy()> occupies;  ///< empty on the host
};

/// As the source printed it; 0: it did not.
struct source_figure {
  char const* rung;
  double seconds;
  double gbps;
  double load_gbps;
  double store_gbps;
};

struct table {
  char const* id;  ///< the number of the source document, and a word
  char const* title;
  char const* source;   ///< GPU and shape of the source's figures; empty: it has none
  char const* reading;  ///< what the table shows
  bool is_device;
  std::string type;
  std::string shape;  ///< ROWSxCOLS, or MxNxK
  std::vector<source_figure> rungs;
};

/// All tables, those of a device too.
std::vector<table> const& tables();

/// The rung of that name; null if this build has none.
rung const* find_rung(std::string const& name);

/// By backend: host loops, device kernels (none in a build without CUDA).
std::vector<rung> const& host_rungs();
std::vector<rung> const& device_rungs();

/// Runs every rung of the table once, on a device and on random numbers, for a profiler.
void run_rungs_once(table const& which, std::vector<index> const& extents);

}  // namespace xpose::bench::ladder
