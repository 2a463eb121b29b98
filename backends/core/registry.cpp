// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one table of backends, and the driver of the compiled library: check the request, choose a
// backend, report it, run.

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/error.hpp>
#include <xpose/explain.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

template <class Request>
using driver = void (*)(execution const&, Request const&);

struct backend {
  backend_id id;
  char const* name;
  driver<copy_request> copy;  // transpose and permute too
  driver<gemm_request> gemm;
  driver<inplace_request> transpose_inplace;
  driver<add_request> add;
};

constexpr backend backends[] = {
    {backend_id::reference, "reference", reference_run_copy, reference_run_gemm,
     reference_run_inplace, reference_run_add},
    {backend_id::omp, "omp", omp_run_copy, omp_run_gemm, omp_run_inplace, omp_run_add},
    {backend_id::cuda, "cuda", cuda_run_copy, cuda_run_gemm, cuda_run_inplace, cuda_run_add},
};

struct named_operand {
  template <class Operand>
  named_operand(char const* given, Operand const& o)
      : name(given), data(o.data), has_elements(o.data != nullptr && !is_empty(o)) {}
  char const* name;
  void const* data;  // null: empty, or a view of an iterator, which has no memory
  bool has_elements;
};

/// The chosen backend. The reason is a literal, which costs no allocation, or built for this call.
struct choice {
  backend const* runs;
  char const* literal;
  std::string made;
  int device = -1;  // cuda: negative: the current one

  char const* reason() const { return made.empty() ? literal : made.c_str(); }
};

choice choose(backend_id id, char const* reason) {
  return {&backends[static_cast<int>(id)], reason, {}, -1};
}
choice choose(backend_id id, std::string reason) {
  return {&backends[static_cast<int>(id)], "", std::move(reason), -1};
}

bool environment_says(char const* variable, char const* value) {
  char const* const set = std::getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

bool lives_on_device(residency r) {
  return r == residency::device;
}
bool is_pageable(residency r) {
  return r == residency::unknown_to_cuda;
}
/// Includes not_told: the device itself will report that it is lost.
bool suits_device(residency r) {
  return r == residency::device || r == residency::managed || r == residency::not_told;
}

/// The first operand with elements whose memory is of this kind, or null.
named_operand const* find(std::initializer_list<named_operand> operands,
                          bool (*is_kind)(residency)) {
  for (named_operand const& o : operands)
    if (o.has_elements && is_kind(residency_of(o.data))) return &o;
  return nullptr;
}

void refuse_device_memory(char const* op, std::initializer_list<named_operand> operands,
                          char const* where) {
  if (!has_driver()) return;
  if (named_operand const* o = find(operands, lives_on_device))
    throw residency_error(message(op, ": ", o->name, " (", o->data, ") is in device memory, which ",
                                  where, " cannot reach; use xpose::cuda or copy it to the host")
                              .c_str());
}

/// The device of the policy's stream, which must be able to access every operand. For automatic,
/// and for a stream under capture, which may not be asked, the first operand in device memory
/// decides.
int choose_device(execution const& where, char const* op,
                  std::initializer_list<named_operand> operands) {
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
    throw residency_error(message(op, ": ", o.name, " (", o.data, ") is in memory of device ", home,
                                  ", which device ", device, " cannot reach; the call runs on ",
                                  device, " because ", reason)
                              .c_str());
  }
  return device;
}

choice choose_cuda(execution const& where, char const* op,
                   std::initializer_list<named_operand> operands) {
  int const device = cuda_availability().devices > 1 ? choose_device(where, op, operands) : -1;
  availability const& cuda = cuda_availability(device);
  if (!cuda.is_available) {
    if (where.strict || is_fallback_refused())
      throw backend_error(message(op, ": xpose::cuda cannot run: ", cuda.reason).c_str());
    if (named_operand const* o = has_driver() ? find(operands, lives_on_device) : nullptr)
      throw residency_error(
          message(op, ": ", o->name, " (", o->data,
                  ") is in device memory, and xpose::cuda cannot run: ", cuda.reason)
              .c_str());
    return choose(backend_id::omp,
                  message("xpose::cuda fell back to the processor: ", cuda.reason));
  }
  current_device const there(device);
  // Under capture the driver does not yet know memory of cudaMallocAsync: the graph is not
  // launched.
  if (named_operand const* o = find(operands, is_pageable); o != nullptr && !is_captured(where))
    throw residency_error(
        message(op, ": ", o->name, " (", o->data,
                ") is in pageable host memory, which xpose::cuda cannot reach; use device, managed "
                "or pinned memory, or xpose::omp")
            .c_str());
  choice chosen = choose(backend_id::cuda, "the policy is xpose::cuda");
  chosen.device = device;
  check_capture(op, where);
  return chosen;
}

choice choose_by_residency(execution const& where, char const* op,
                           std::initializer_list<named_operand> operands) {
  named_operand const* const on_device = has_driver() ? find(operands, suits_device) : nullptr;
  if (on_device == nullptr)
    return choose(backend_id::omp, "xpose::automatic found every operand in host memory");
  named_operand const* const pageable = find(operands, is_pageable);
  if (pageable != nullptr)
    throw residency_error(
        message(op, ": ", on_device->name, " (", on_device->data,
                ") is in device or managed memory and ", pageable->name, " (", pageable->data,
                ") in pageable host memory; xpose::automatic needs both in one place")
            .c_str());
  choice cuda = choose_cuda(where, op, operands);
  if (cuda.runs->id == backend_id::cuda)
    cuda.made = message("xpose::automatic found operand '", on_device->name,
                        "' in device or managed memory");
  return cuda;
}

choice choose(execution const& where, char const* op,
              std::initializer_list<named_operand> operands) {
  switch (where.backend) {
    case backend_id::cuda:
      return choose_cuda(where, op, operands);
    case backend_id::automatic:
      return choose_by_residency(where, op, operands);
    case backend_id::omp:
      refuse_device_memory(op, operands, "xpose::omp");
      break;
    case backend_id::reference:
      refuse_device_memory(op, operands, "xpose::seq");
      break;
  }
  return choose(where.backend, where.backend == backend_id::omp ? "the policy is xpose::omp"
                                                                : "the policy is xpose::seq");
}

// All that differs between operations: name, output, operands, driver.

char const* name(copy_request const& r) {
  return name_of(r.op);
}
char const* name(gemm_request const&) {
  return name_of(operation::gemm);
}
char const* name(inplace_request const&) {
  return name_of(operation::transpose_inplace);
}
char const* name(add_request const&) {
  return name_of(operation::add);
}

tensor_operand const& output_of(copy_request const& r) {
  return r.out;
}
operand const& output_of(gemm_request const& r) {
  return r.c;
}
operand const& output_of(inplace_request const& r) {
  return r.view;
}
operand const& output_of(add_request const& r) {
  return r.c;
}

template <class Request>
bool is_no_op(Request const& r) {
  return is_empty(output_of(r));
}
bool is_no_op(inplace_request const& r) {
  return moves_nothing(r.view);
}

choice choose(execution const& where, copy_request const& r) {
  return choose(where, name(r), {{"in", r.in}, {"out", r.out}});
}
choice choose(execution const& where, gemm_request const& r) {
  return choose(where, name(r), {{"A", r.a}, {"B", r.b}, {"C", r.c}});
}
choice choose(execution const& where, inplace_request const& r) {
  return choose(where, name(r), {{"view", r.view}});
}
choice choose(execution const& where, add_request const& r) {
  return choose(where, name(r), {{"A", r.a}, {"B", r.b}, {"C", r.c}});
}

void run_compiled(backend const& b, execution const& where, copy_request const& r) {
  b.copy(where, r);
}
void run_compiled(backend const& b, execution const& where, gemm_request const& r) {
  b.gemm(where, r);
}
void run_compiled(backend const& b, execution const& where, inplace_request const& r) {
  b.transpose_inplace(where, r);
}
void run_compiled(backend const& b, execution const& where, add_request const& r) {
  b.add(where, r);
}

void fill(char* text, std::size_t bytes, std::string const& value) {
  std::snprintf(text, bytes, "%s", value.c_str());
}

void fill(launch_report& report, choice const& chosen) {
  fill(report.backend, sizeof report.backend, chosen.runs->name);
  fill(report.reason, sizeof report.reason, chosen.reason());
}

/// XPOSE_VERBOSE: one line a call on standard error, by one write, so that lines of several threads
/// do not mix.
struct verbose_line : launch_report {
  std::string before;  // the kernel's name
  std::string behind;
};

template <class Request>
verbose_line verbose_line_of(execution const& where, choice const& chosen, Request const& r) {
  verbose_line line{};
  fill(line, chosen);
  auto const& out = output_of(r);
  line.before = message("xpose: ", name(r), " to ", extents(out), " of ", out.bytes_per_element,
                        " bytes: backend ", line.backend, ", kernel ");
  if (chosen.runs->id == backend_id::cuda)
    line.behind = message(", stream ", where.stream, where.nosync ? ", nosync" : ", sync");
  if (chosen.runs->id == backend_id::omp && where.threads != 0)
    line.behind += message(", threads ", where.threads);
  line.behind += message(" (", line.reason, ")\n");
  line.on_complete = [](launch_report const& report) {
    auto const& self = static_cast<verbose_line const&>(report);
    std::fputs((self.before + self.kernel + self.behind).c_str(), stderr);
  };
  return line;
}

/// Runs the backend's driver, or the caller's own templates.
template <class Request>
void start(execution const& where, choice const& made, Request const& r, user_code const* code) {
  if (is_no_op(r)) static_cast<void>(explain_only(where, "none"));
  else if (code != nullptr) code->run(code->context, where, made.runs->id);
  else run_compiled(*made.runs, where, r);
}

/// Apart from run(), so that calls without XPOSE_VERBOSE pay nothing for it.
template <class Request>
[[gnu::noinline, gnu::cold]] void start_verbosely(execution const& where, choice const& made,
                                                  Request const& r, user_code const* code) {
  verbose_line line = verbose_line_of(where, made, r);
  execution telling = where;
  telling.report = &line;
  start(telling, made, r, code);
}

/// All checks come before anything else.
template <class Request>
void run(execution const& where, Request const& r, user_code const* code = nullptr) {
  check(r);
  choice const made = choose(where, r);
  current_device const there(made.device);
  if (where.report != nullptr) fill(*where.report, made);
  else if (environment_says("XPOSE_VERBOSE", "1")) return start_verbosely(where, made, r, code);
  start(where, made, r, code);
}

template <class Request>
explanation_text explain(execution const& where, Request const& r) {
  launch_report report{};
  report.explain_only = true;
  execution asking = where;
  asking.report = &report;
  run(asking, r);
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

void run_copy(execution const& where, copy_request const& r) {
  run(where, r);
}
void run_gemm(execution const& where, gemm_request const& r) {
  run(where, r);
}
void run_transpose_inplace(execution const& where, inplace_request const& r) {
  run(where, r);
}
void run_add(execution const& where, add_request const& r) {
  run(where, r);
}

void run_copy(execution const& where, copy_request const& r, user_code const& code) {
  run(where, r, &code);
}
void run_gemm(execution const& where, gemm_request const& r, user_code const& code) {
  run(where, r, &code);
}
void run_add(execution const& where, add_request const& r, user_code const& code) {
  run(where, r, &code);
}

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
  throw backend_error(message("explain: ", name_of(op),
                              " cannot be called here with these element ",
                              "types; code of yours for xpose::cuda is compiled by nvcc")
                          .c_str());
}

void refuse_user_code_on_cuda(operation op) {
  throw backend_error(message(name_of(op),
                              ": the operands live on a device, but the user function, type or "
                              "semiring of this call was compiled for "
                              "another place; compile it with nvcc, as __host__ __device__")
                          .c_str());
}

void require(bool are_its_views, operation op) {
  if (are_its_views) return;
  char const* views = "two views, in and out";
  if (op == operation::gemm || op == operation::add) views = "three views, A, B and C";
  if (op == operation::permute) views = "two tensors, in and out, and a permutation";
  if (op == operation::transpose_inplace) views = "one view";
  throw shape_error(message("explain: ", name_of(op), " takes ", views).c_str());
}

bool cuda_is_available(char* reason, std::size_t reason_bytes) {
  availability const& cuda = cuda_availability(-1);
  fill(reason, reason_bytes, cuda.reason);
  return cuda.is_available;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
