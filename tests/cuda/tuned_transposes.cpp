// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every tile that a tuning file may name moves every byte, of sizes that the table gives to others,
// too. Every case needs a GPU.

#include "cases/elements.hpp"
#include "support/backends.hpp"
#include "support/tuning_folder.hpp"

#include <xpose/backends/cuda/tuning/settings.hpp>
#include <xpose/xpose.hpp>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <utility>

TEST_SUITE_BEGIN("cuda.transpose");

namespace {

using xpose::index;
using xpose::detail::transpose_config;
using xpose::detail::tuned_move_class;

/// A file by which transposes of the words take the config wherever it suits them.
std::string file_for(tuning_folder const& here, std::size_t word, transpose_config const& config) {
  xpose::detail::tuning_file tuning{1, XPOSE_VERSION, "cuda", xpose::detail::cuda_device(), {}};
  bool const is_for_aligned = std::string(config.name).find("aligned<") == 15;
  for (bool const is_aligned : {true, false})
    for (std::size_t size = 0; size < std::size(xpose::detail::tuned_bytes_below); ++size)
      if (is_aligned || !is_for_aligned)
        tuning.settings.push_back({name_of(tuned_move_class{word, is_aligned, size}),
                                   label_of(config), "the table's", 1});
  std::string const path = here.path("t.json");
  write_tuning_file(path, tuning);
  return path;
}

/// Transposes rows x cols elements that begin `at` elements behind an aligned address; the kernel.
template <int Bytes>
std::string transpose(index rows, index cols, index at) {
  using T = element<Bytes>;
  auto const bytes = static_cast<std::size_t>((rows * cols + at) * Bytes);
  image in(place::device, bytes), out(place::device, bytes);
  fill_with_pattern(in.host(), bytes);
  in.send();
  auto const view = [at](std::byte* data, index r, index c) {
    return xpose::matrix_view<T>(reinterpret_cast<T*>(data) + at, r, c);
  };
  auto const from = view(in.there(), rows, cols);
  auto const to = view(out.there(), cols, rows);
  std::string const kernel =
      xpose::explain(xpose::cuda.strict(), xpose::operation::transpose, from, to).kernel;
  xpose::transpose(xpose::cuda.strict(), from, to);
  auto const host_in = view(in.host(), rows, cols);
  auto const host_out = view(out.host(), cols, rows);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) host_out(j, i) = host_in(i, j);
  CHECK(out.is_as_on_host());
  return kernel;
}

template <int Bytes>
void check_word(std::size_t word, int capability) {
  CAPTURE(Bytes);
  for (auto const* config : xpose::detail::tile_configs(Bytes, capability)) {
    CAPTURE(label_of(*config));
    tuning_folder const here;
    xpose::load_tuning(file_for(here, word, *config).c_str());
    int taken = 0;
    std::pair<index, index> const shapes[] = {{256, 256}, {256, 1024},  {1056, 320},
                                              {257, 300}, {1023, 1025}, {2111, 511}};
    for (auto const& [rows, cols] : shapes)
      for (index const at : {0, 1}) {
        CAPTURE(rows);
        CAPTURE(cols);
        CAPTURE(at);
        if (transpose<Bytes>(rows, cols, at) == config->name) ++taken;
      }
    CHECK(taken > 0);
  }
}

}  // namespace

TEST_CASE("each tile that a tuning file may name moves every byte") {
  if (!needs_gpu()) return;
  int device = 0, major = 0;
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess);
  int const capability = major == 9 ? 90 : 80;
  check_word<1>(0, capability);
  check_word<2>(1, capability);
  check_word<4>(2, capability);
  check_word<8>(3, capability);
  check_word<16>(4, capability);
}

TEST_SUITE_END();
