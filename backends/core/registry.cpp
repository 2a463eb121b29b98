// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one table of backends, and the driver of the compiled library: check the request, choose a
// backend, report it, run.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/choose_backend.hpp>
#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace xpose::detail {
namespace {

template <class Request>
using driver = void (*)(execution const&, Request const&);

struct backend {
  char const* name;
  std::tuple<driver<copy_request>,  // transpose and permute too
             driver<gemm_request>, driver<inplace_request>, driver<add_request>>
      drivers;
};

/// In the order of backend_id.
constexpr backend backends[] = {
    {"reference",
     {reference_run_copy, reference_run_gemm, reference_run_inplace, reference_run_add}},
    {"omp", {omp_run_copy, omp_run_gemm, omp_run_inplace, omp_run_add}},
    {"cuda", {cuda_run_copy, cuda_run_gemm, cuda_run_inplace, cuda_run_add}},
};

backend const& backend_of(backend_choice const& chosen) {
  return backends[static_cast<int>(chosen.id)];
}

template <class Request>
bool is_no_op(Request const& r) {
  return is_empty(r.output());
}
bool is_no_op(inplace_request const& r) { return moves_nothing(r.view); }

backend_choice choose(execution const& where, copy_request const& r) {
  return choose_backend(where, r.op, {{"in", r.in}, {"out", r.out}});
}
backend_choice choose(execution const& where, inplace_request const& r) {
  return choose_backend(where, r.op, {{"view", r.view}});
}
template <class Request>  // gemm and add
backend_choice choose(execution const& where, Request const& r) {
  return choose_backend(where, r.op, {{"A", r.a}, {"B", r.b}, {"C", r.c}});
}

void fill(char* text, std::size_t bytes, std::string const& value) {
  std::snprintf(text, bytes, "%s", value.c_str());
}

void fill(launch_report& report, backend_choice const& chosen) {
  fill(report.backend, sizeof report.backend, backend_of(chosen).name);
  fill(report.reason, sizeof report.reason, chosen.reason());
}

/// Runs the backend's driver, or the caller's own templates.
template <class Request>
void start(execution const& where, backend_choice const& chosen, Request const& r,
           user_code const& code) {
  if (is_no_op(r)) static_cast<void>(explain_only(where, "none"));
  else if (code.run != nullptr) code.run(code.context, where, chosen.id);
  else std::get<driver<Request>>(backend_of(chosen).drivers)(where, r);
}

/// XPOSE_VERBOSE: one line a call on standard error, by one write, so that lines of several threads
/// do not mix. Apart from run(), so that calls without it pay nothing.
template <class Request>
[[gnu::noinline, gnu::cold]] void start_verbosely(execution where, backend_choice const& chosen,
                                                  Request const& r, user_code const& code) {
  struct verbose_line : launch_report {
    std::string before;  // the kernel's name
    std::string after;
  } line{};
  fill(line, chosen);
  auto const& out = r.output();
  line.before = message("xpose: ", name_of(r.op), " to ", extents(out), " of ",
                        out.bytes_per_element, " bytes: backend ", line.backend, ", kernel ");
  if (chosen.id == backend_id::cuda)
    line.after = message(", stream ", where.stream, where.nosync ? ", nosync" : ", sync");
  if (chosen.id == backend_id::omp && where.threads != 0)
    line.after += message(", threads ", where.threads);
  line.after += message(" (", line.reason, ")\n");
  line.on_complete = [](launch_report const& report) {
    auto const& self = static_cast<verbose_line const&>(report);
    std::fputs((self.before + self.kernel + self.after).c_str(), stderr);
  };
  where.report = &line;
  start(where, chosen, r, code);
}

environment_setting<bool> is_verbose([] {
  char const* const set = std::getenv("XPOSE_VERBOSE");
  return set != nullptr && std::strcmp(set, "1") == 0;
});

/// All checks come before anything else.
template <class Request>
void run(execution const& where, Request const& r, user_code const& code = {}) {
  check(r);
  backend_choice const chosen = choose(where, r);
  current_device const there(chosen.device);
  if (where.report != nullptr) fill(*where.report, chosen);
  else if (is_verbose.value()) return start_verbosely(where, chosen, r, code);
  start(where, chosen, r, code);
}

template <class Request>
explanation_text explain(execution where, Request const& r) {
  launch_report report{};
  report.explain_only = true;
  where.report = &report;
  run(where, r);
  return report;
}

/// Zeros of any compiled type, for a request without scalars.
template <class Request>
Request with_scalars(Request r) {
  static constexpr double zero[2] = {};
  if (r.alpha == nullptr) r.alpha = zero;
  if (r.beta == nullptr) r.beta = zero;
  return r;
}

}  // namespace

void run_copy(execution const& where, copy_request const& r, user_code const& code) {
  run(where, r, code);
}
void run_gemm(execution const& where, gemm_request const& r, user_code const& code) {
  run(where, r, code);
}
void run_add(execution const& where, add_request const& r, user_code const& code) {
  run(where, r, code);
}
void run_transpose_inplace(execution const& where, inplace_request const& r) { run(where, r); }

explanation_text explain_copy(execution const& where, copy_request const& r) {
  return explain(where, r);
}
explanation_text explain_gemm(execution const& where, gemm_request const& r) {
  return explain(where, with_scalars(r));
}
explanation_text explain_transpose_inplace(execution const& where, inplace_request const& r) {
  return explain(where, r);
}
explanation_text explain_add(execution const& where, add_request const& r) {
  return explain(where, with_scalars(r));
}

void report_kernel(launch_report& report, char const* kernel) {
  if (report.kernel[0] != '\0') return;
  fill(report.kernel, sizeof report.kernel, kernel);
  if (report.on_complete != nullptr) report.on_complete(report);
}

void refuse_to_explain(operation op) {
  refuse<backend_error>("explain: ", name_of(op), " cannot be called here with these element ",
                        "types; code of yours for xpose::cuda is compiled by nvcc");
}

void refuse_user_code_on_cuda(operation op) {
  refuse<backend_error>(name_of(op),
                        ": the operands live on a device, but the user function, type or "
                        "semiring of this call was compiled for "
                        "another place; compile it with nvcc, as __host__ __device__");
}

void require(bool are_its_views, operation op) {
  if (are_its_views) return;
  char const* views = "two views, in and out";
  if (op == operation::gemm || op == operation::add) views = "three views, A, B and C";
  if (op == operation::permute) views = "two tensors, in and out, and a permutation";
  if (op == operation::transpose_inplace) views = "one view";
  refuse<shape_error>("explain: ", name_of(op), " takes ", views);
}

bool cuda_is_available(char* reason, std::size_t reason_bytes) {
  availability const& cuda = cuda_availability(-1);
  fill(reason, reason_bytes, cuda.reason);
  return cuda.is_available;
}

}  // namespace xpose::detail
