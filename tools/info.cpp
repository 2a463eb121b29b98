// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose info: version, backends, and what this binary was built from.

#include "commands.hpp"
#include "json_text.hpp"

#include <xpose/explain.hpp>

#include <omp.h>

#include <cstdio>

namespace xpose::tools {
namespace {

#if defined(XPOSE_TOOLS_HAS_CUDA)
constexpr bool is_built_with_cuda = true;
#else
constexpr bool is_built_with_cuda = false;
#endif

}  // namespace

int run_info(bool is_json) {
  char reason[256];
  bool const has_cuda = detail::cuda_is_available(reason, sizeof reason);
  int const threads = omp_get_max_threads();
  if (is_json) {
    json_object reference, omp, cuda, backends, built, info;
    reference.add_bool("available", true);
    omp.add_bool("available", true).add_integer("threads", threads);
    cuda.add_bool("available", has_cuda).add_text(has_cuda ? "device" : "reason", reason);
    backends.add_object("reference", reference).add_object("omp", omp).add_object("cuda", cuda);
    built.add_bool("cuda", is_built_with_cuda)
        .add_text("compiler", __VERSION__)
        .add_integer("openmp", _OPENMP);
    info.add_text("version", XPOSE_VERSION)
        .add_object("backends", backends)
        .add_object("built", built);
    std::printf("%s\n", info.text().c_str());
    return 0;
  }
  std::printf("xpose %s\n", XPOSE_VERSION);
  std::printf("  reference  yes  1 thread\n");
  std::printf("  omp        yes  %d thread%s\n", threads, threads == 1 ? "" : "s");
  std::printf("  cuda       %s  %s%s\n", has_cuda ? "yes" : "no ", reason,
              has_cuda ? "" : "; --policy cuda runs on omp");
  std::printf("  built      C++ compiler %s, OpenMP %d, %s CUDA\n", __VERSION__, _OPENMP,
              is_built_with_cuda ? "with" : "without");
  return 0;
}

}  // namespace xpose::tools
