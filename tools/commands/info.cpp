// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose info: version, backends, and what this binary was built from.

#include "commands/commands.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/explain.hpp>

#include <omp.h>

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
    print_json(info);
    return 0;
  }
  print_line(stdout, text_of("xpose ", XPOSE_VERSION));
  print_line(stdout, "  reference  yes  1 thread");
  print_line(stdout, text_of("  omp        yes  ", threads, threads == 1 ? " thread" : " threads"));
  print_line(stdout, text_of("  cuda       ", has_cuda ? "yes" : "no ", "  ", reason,
                             has_cuda ? "" : "; --policy cuda runs on omp"));
  print_line(stdout, text_of("  built      C++ compiler ", __VERSION__, ", OpenMP ", _OPENMP, ", ",
                             is_built_with_cuda ? "with" : "without", " CUDA"));
  return 0;
}

}  // namespace xpose::tools
