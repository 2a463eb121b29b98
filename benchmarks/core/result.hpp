// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One result: a line of the JSON file, of the CSV file and of the table on the terminal.
#pragma once

#include "core/rounds.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace xpose::bench {

/// Keeps the members in the order in which they were added.
using json = nlohmann::ordered_json;

/// alternative: calls of xpose that a user could make instead, timed beside it; neither a peer nor
/// a ceiling.
enum class role { xpose, alternative, peer, ceiling, rung };

/// What the rate of a candidate bounds. Of several that bound the same the fastest counts, of rate
/// and bytes the slower: a matrix times a vector takes as long as reading the matrix.
enum class bound { none, rate, bytes };

struct bench_result {
  std::string operation;  ///< "transpose", "transpose_inplace", "transpose_cast", "copy",
                          ///< "copy_cast", "permute", "add", "gemm", "ladder"
  std::string policy;     ///< "seq", "omp", "cuda"
  std::string device;     ///< the processor's or the GPU's name
  int threads = 0;        ///< 0 on a device
  std::string type;    ///< "f32"; a cast's "f32:bf16"; gemm: "bf16_f32" where C's type is another
  std::string shape;   ///< "4096x4096", "64*1024x1024" (a batch), gemm: "MxNxK"; a tensor's extents
  std::string layout;  ///< "packed", "ld=4100/4099", "offset=1"; gemm and add: "NN", "TN ld=..";
                       ///< permute: "201"
  std::string implementation;  ///< "xpose", "openblas", "memcpy", a rung's name
  role part = role::xpose;
  std::string kernel;
  std::string suite;  ///< of the case; empty if the shapes were given by hand
  timing time;
  double work = 0;             ///< bytes read and written, or floating-point operations, of a call
  bool is_arithmetic = false;  ///< work is operations: tflops instead of gbps
  double ceiling = 0;          ///< GB/s or TFLOP/s, measured in the same rounds; 0: none
  std::string ceiling_name;
  std::string best_peer;  ///< xpose's results: the fastest verified peer
  double ratio_to_best_peer = 0;
  bool verified = false;
  std::string verified_by;  ///< "reference", "definition on the device", "freivalds, 1024 elements"
  std::string cache;        ///< "beyond" the last-level cache, or "resident" in it
  std::string note;         ///< why it failed, drift, what else a reader must know
  json extra = json::object();  ///< further members: the ladder's table and metrics

  /// GB/s or TFLOP/s of the median.
  double rate() const;
  json to_json() const;
};

}  // namespace xpose::bench
