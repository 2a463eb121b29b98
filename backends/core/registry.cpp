// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one table of backends, and the driver of the compiled library: check the request, choose
// backend and device by policy, residency and what this machine can run, report them, run.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/trace/bench_line.hpp>
#include <xpose/backends/core/trace/call_log.hpp>
#include <xpose/backends/core/trace/call_text.hpp>
#include <xpose/backends/core/trace/nvtx_range.hpp>
#include <xpose/backends/core/trace/watched_call.hpp>
#include <xpose/backends/core/trace/watchers.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>
#include <xpose/layer_epilogue.hpp>
#include <xpose/policy.hpp>

#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>

namespace xpose::detail {
namespace {

struct named_operand {
  template <class Operand>
  named_operand(char const* given, Operand const& o)
      : name(given), data(o.data), has_elements(o.data != nullptr && !is_empty(o)) {}
  char const* name;
  void const* data;  // null: empty, or an iterator_view, which has no memory
  bool has_elements;
};
using named_operands = std::initializer_list<named_operand>;

/// The reason is a literal, which costs no allocation, or text built for this call.
struct backend_choice {
  backend_id id;
  char const* literal;
  std::string text = {};
  int device = -1;  // cuda: negative: the current one

  char const* reason() const { return text.empty() ? literal : text.c_str(); }
};

bool lives_on_device(residency r) { return r == residency::device; }
bool is_pageable(residency r) { return r == residency::unknown_to_cuda; }
/// Includes not_told: the device itself will report that it is lost.
bool suits_device(residency r) {
  return r == residency::device || r == residency::managed || r == residency::not_told;
}

/// The first operand with elements whose memory is of this kind, or null.
named_operand const* find(named_operands operands, bool (*is_kind)(residency)) {
  for (named_operand const& o : operands)
    if (o.has_elements && is_kind(residency_of(o.data))) return &o;
  return nullptr;
}

/// The device of the policy's stream, which must be able to access every operand. For automatic,
/// and for a stream under capture, which may not be asked, the first operand in device memory
/// decides.
int choose_device(execution const& where, operation op, named_operands operands) {
  int device = where.backend == backend_id::automatic ? -1 : device_of_stream(where);
  named_operand const* decides = nullptr;
  if (device < 0) {
    decides = find(operands, lives_on_device);
    if (decides == nullptr) return -1;
    device = device_of(decides->data);
  }
  current_device const there(device);
  for (named_operand const& o : operands) {
    if (!o.has_elements || !lives_on_device(residency_of(o.data))) continue;
    int const home = device_of(o.data);
    if (home == device || is_in_reach(o.data)) continue;
    std::string const reason = decides == nullptr
                                   ? message("the policy's stream is there")
                                   : message(decides->name, " (", decides->data, ") is there");
    refuse<residency_error>(name_of(op), ": ", o.name, " (", o.data, ") is in memory of device ",
                            home, ", which device ", device, " cannot reach; the call runs on ",
                            device, " because ", reason);
  }
  return device;
}

/// Whether XPOSE_FALLBACK forbids xpose::cuda to fall back to omp. Throws backend_error for unknown
/// values: a misspelt "error" would let a call run where it must not.
environment_setting<bool> is_fallback_refused([] {
  char const* const value = std::getenv("XPOSE_FALLBACK");
  if (value == nullptr || *value == 0 || strcasecmp(value, "omp") == 0) return false;
  if (strcasecmp(value, "error") == 0) return true;
  refuse<backend_error>(
      "XPOSE_FALLBACK is \"", value,
      "\", and may be \"error\" (xpose::cuda throws where it cannot run) or \"omp\" (it runs "
      "there, as without the variable)");
});

backend_choice choose_cuda(execution const& where, operation op, named_operands operands) {
  int const device = cuda_availability().devices > 1 ? choose_device(where, op, operands) : -1;
  availability const& cuda = cuda_availability(device);
  if (!cuda.is_available) {
    if (where.strict || is_fallback_refused.value())
      refuse<backend_error>(name_of(op), ": xpose::cuda cannot run: ", cuda.reason);
    if (named_operand const* o = has_driver() ? find(operands, lives_on_device) : nullptr)
      refuse<residency_error>(name_of(op), ": ", o->name, " (", o->data,
                              ") is in device memory, and xpose::cuda cannot run: ", cuda.reason);
    return {backend_id::omp, "", message("xpose::cuda fell back to the processor: ", cuda.reason)};
  }
  current_device const there(device);
  // Under capture the driver does not yet know memory of cudaMallocAsync: the graph is not
  // launched.
  if (named_operand const* o = find(operands, is_pageable); o != nullptr && !is_captured(where))
    refuse<residency_error>(
        name_of(op), ": ", o->name, " (", o->data,
        ") is in pageable host memory, which xpose::cuda cannot reach; use device, managed "
        "or pinned memory, or xpose::omp");
  check_capture(name_of(op), where);
  return {backend_id::cuda, "the policy is xpose::cuda", {}, device};
}

backend_choice choose_by_residency(execution const& where, operation op, named_operands operands) {
  named_operand const* const on_device = has_driver() ? find(operands, suits_device) : nullptr;
  if (on_device == nullptr)
    return {backend_id::omp, "xpose::automatic found every operand in host memory"};
  named_operand const* const pageable = find(operands, is_pageable);
  if (pageable != nullptr)
    refuse<residency_error>(name_of(op), ": ", on_device->name, " (", on_device->data,
                            ") is in device or managed memory and ", pageable->name, " (",
                            pageable->data,
                            ") in pageable host memory; xpose::automatic needs both in one place");
  backend_choice cuda = choose_cuda(where, op, operands);
  if (cuda.id == backend_id::cuda)
    cuda.text = message("xpose::automatic found operand '", on_device->name,
                        "' in device or managed memory");
  return cuda;
}

struct host_policy {
  backend_id asked;
  backend_id runs_on;
  char const* name;
  char const* reason;
};
constexpr host_policy host_policies[] = {
    {backend_id::reference, backend_id::reference, "xpose::reference",
     "the policy is xpose::reference"},
    {backend_id::omp, backend_id::omp, "xpose::omp", "the policy is xpose::omp"},
    {backend_id::seq, backend_id::omp, "xpose::seq",
     "the policy is xpose::seq: one thread, which is the caller's"},
};

/// Throws residency_error for operands that the backend cannot access, backend_error where it
/// cannot run, and what CUDA throws.
backend_choice choose_backend(execution const& where, operation op, named_operands operands) {
  if (where.backend == backend_id::cuda) return choose_cuda(where, op, operands);
  if (where.backend == backend_id::automatic) return choose_by_residency(where, op, operands);
  host_policy const& policy =
      *std::find_if(std::begin(host_policies), std::end(host_policies),
                    [&](host_policy const& p) { return p.asked == where.backend; });
  if (named_operand const* o = has_driver() ? find(operands, lives_on_device) : nullptr)
    refuse<residency_error>(name_of(op), ": ", o->name, " (", o->data,
                            ") is in device memory, which ", policy.name,
                            " cannot reach; use xpose::cuda or copy it to the host");
  return {policy.runs_on, policy.reason};
}

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
backend_choice choose(execution const& where, add_request const& r) {
  return choose_backend(where, r.op, {{"A", r.a}, {"B", r.b}, {"C", r.c}});
}
backend_choice choose(execution const& where, gemm_request const& r) {
  named_operand const a("A", r.a), b("B", r.b), c("C", r.c);
  if (r.layer == nullptr) return choose_backend(where, r.op, {a, b, c});
  return choose_backend(where, r.op, {a, b, c, {"scale", r.layer->scale}, {"bias", r.layer->bias}});
}

void fill(char* text, std::size_t bytes, std::string_view value) {
  text[value.copy(text, bytes - 1)] = '\0';
}

[[gnu::cold]] void fill(launch_report& report, backend_choice const& chosen) {
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

call_site site_of(launch_report const& report, execution const& where, bool is_user_code) {
  auto id = where.backend;
  for (backend const& b : backends)
    if (id != backend_id::seq && std::strcmp(b.name, report.backend) == 0)
      id = static_cast<backend_id>(&b - backends);
  return {id, id == backend_id::omp ? team_for(where.threads, 2) : 1, is_user_code};
}

template <class Request>
void run(execution const& where, Request const& r, user_code const& code = {});

/// Around the one run(): a second caller of choose() keeps it from being inlined.
template <class Request>
[[gnu::noinline, gnu::cold]] void run_watched(execution const& where, Request const& r,
                                              user_code const& code, unsigned watched_by) {
  using clock = std::chrono::steady_clock;
  nvtx_range const range((watched_by & nvtx_ranges) != 0 ? call_text(r) : std::string());
  watched_call<Request> report{{}, where, r};
  if ((watched_by & verbose_lines) != 0) report.on_complete = print_line<Request>;
  execution watched = where;
  watched.report = &report;
  auto const begin = clock::now();
  run(watched, r, code);
  if ((watched_by & call_log) == 0) return;
  double const seconds = std::chrono::duration<double>(clock::now() - begin).count();
  bench_line const line = bench_line_of(r, site_of(report, where, code.run != nullptr));
  log_call(line.text, line.remark, seconds);
}

/// All checks come before anything else.
template <class Request>
void run(execution const& where, Request const& r, user_code const& code) {
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
  run(where, r, code);
}
void run_add(execution const& where, add_request const& r, user_code const& code) {
  run(where, r, code);
}

chosen_backend choose_for_gemm(execution const& where, gemm_request const& r) {
  watchers.value();  // refuses what the environment asks for in vain
  check(r);
  backend_choice const chosen = choose(where, r);
  return {chosen.id, chosen.device};
}
void run_chosen_gemm(execution const& where, chosen_backend const& chosen, gemm_request const& r) {
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

}  // namespace xpose::detail

void xpose::reload_environment() noexcept { ++detail::environment_generation; }
