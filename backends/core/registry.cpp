// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one table of backends, and the driver of the compiled library: check the request, choose
// backend and device by policy, residency and what this machine can run, report them, run.

#include <xpose/backends/across/drivers.hpp>
#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/choice.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/trace/bench_line.hpp>
#include <xpose/backends/core/trace/call_log.hpp>
#include <xpose/backends/core/trace/call_text.hpp>
#include <xpose/backends/core/trace/nvtx_range.hpp>
#include <xpose/backends/core/trace/watched_call.hpp>
#include <xpose/backends/core/trace/watchers.hpp>
#include <xpose/backends/omp/gemm/small/small.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>
#include <xpose/layer_epilogue.hpp>
#include <xpose/policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

namespace xpose {
inline namespace v0 {
namespace detail {
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

// visit(operands), as named_operands.
template <class Visit>
backend_choice with_operands(copy_request const& r, Visit const& visit) {
  return visit({{"in", r.in}, {"out", r.out}});
}
template <class Visit>
backend_choice with_operands(inplace_request const& r, Visit const& visit) {
  return visit({{"view", r.view}});
}
template <class Visit>
backend_choice with_operands(add_request const& r, Visit const& visit) {
  return visit({{"A", r.a}, {"B", r.b}, {"C", r.c}});
}
template <class Visit>
backend_choice with_operands(gemm_request const& r, Visit const& visit) {
  named_operand const a("A", r.a), b("B", r.b), c("C", r.c);
  if (r.layer == nullptr) return visit({a, b, c});
  return visit({a, b, c, {"scale", r.layer->scale}, {"bias", r.layer->bias}});
}

template <class Execution, class Request>
backend_choice choose(Execution const& where, Request const& r) {
  return choose_backend(where, r.op, [&](auto const& visit) { return with_operands(r, visit); });
}

void fill(char* text, std::size_t bytes, std::string_view value) {
  text[value.copy(text, bytes - 1)] = '\0';
}

[[gnu::cold]] void fill(launch_report& report, backend_choice const& chosen) {
  fill(report.backend, sizeof report.backend, backend_of(chosen).name);
  fill(report.reason, sizeof report.reason, chosen.reason());
}

/// Runs the backend's driver, or the caller's own templates.
template <class Execution, class Request>
void start(Execution const& where, backend_choice const& chosen, Request const& r,
           user_code const& code) {
  across_terms const* const terms = terms_of(where);
  if (is_no_op(r)) static_cast<void>(explain_only(where, "none"));
  else if (terms != nullptr && chosen.id == backend_id::cuda) run_across(where, *terms, r, code);
  else if (code.run != nullptr) code.run(code.context, where, chosen.id);
  else std::get<driver<Request>>(backend_of(chosen).drivers)(where, r);
}

call_site site_of(launch_report const& report, execution const& where, bool is_user_code) {
  auto id = where.backend;
  for (backend const& b : backends)
    if (id != backend_id::seq && std::strcmp(b.name, report.backend) == 0)
      id = static_cast<backend_id>(&b - backends);
  return {id, id == backend_id::omp ? team_for(where.threads, 2) : 1, is_user_code};
}

template <class Execution, class Request>
void run(Execution const& where, Request const& r, user_code const& code = {});

/// Around the one run(): a second caller of choose() keeps it from being inlined.
template <class Execution, class Request>
[[gnu::noinline, gnu::cold]] void run_watched(Execution const& where, Request const& r,
                                              user_code const& code, unsigned watched_by) {
  using clock = std::chrono::steady_clock;
  nvtx_range const range((watched_by & nvtx_ranges) != 0 ? call_text(r) : std::string());
  watched_call<Request> report{{}, where, r};
  if ((watched_by & verbose_lines) != 0) report.on_complete = print_line<Request>;
  Execution watched = where;
  watched.report = &report;
  auto const begin = clock::now();
  run(watched, r, code);
  if ((watched_by & call_log) == 0) return;
  double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
  bench_line const line = bench_line_of(r, site_of(report, where, code.run != nullptr));
  log_call(line.text, line.remark, seconds);
}

/// All checks come before anything else.
template <class Execution, class Request>
void run(Execution const& where, Request const& r, user_code const& code) {
  unsigned const watched_by = watchers.value();
  if (watched_by != 0 && where.report == nullptr) return run_watched(where, r, code, watched_by);
  check(r);
  backend_choice const chosen = choose(where, r);
  current_device const there(chosen.device);
  if (where.report != nullptr) fill(*where.report, chosen);
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
  if (code.run == nullptr && repeat_small_gemm(where, r)) return;
  run(where, r, code);
}
void run_add(execution const& where, add_request const& r, user_code const& code) {
  run(where, r, code);
}

void run_copy_across(across_execution const& where, copy_request const& r, user_code const& code) {
  run(where, r, code);
}
void run_gemm_across(across_execution const& where, gemm_request const& r, user_code const& code) {
  run(where, r, code);
}
void run_add_across(across_execution const& where, add_request const& r, user_code const& code) {
  run(where, r, code);
}

chosen_backend choose_for_gemm(execution const& where, gemm_request const& r) {
  watchers.value();  // refuses what the environment asks for in vain
  check(r);
  backend_choice const chosen = choose(where, r);
  return {chosen.id, chosen.device};
}
void run_chosen_gemm(execution const& where, chosen_backend const& chosen, gemm_request const& r) {
  if (repeat_small_gemm(where, r)) return;
  current_device const there(chosen.device);
  if (watchers.value() != 0) return run(where, r);
  check(r);
  if (chosen.id == backend_id::cuda) check_capture(name_of(r.op), where);
  start(where, {chosen.id, ""}, r, {});
}
void refuse_null_of_plan(char const* name) {
  refuse<layout_error>("gemm: ", name, " is null, and the plan's view of it has elements");
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

}  // namespace detail
}  // namespace v0
}  // namespace xpose

void xpose::reload_environment() noexcept { ++detail::environment_generation; }
