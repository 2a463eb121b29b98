// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which backend and device a call runs on: by its policy, where its operands reside, and what this
// machine can run. Templates of the execution, so that a call across memories leaves those of all
// others inlined. For the registry alone.
#pragma once

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/detail/across_request.hpp>
#include <xpose/detail/current_device.hpp>
#include <xpose/error.hpp>

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

inline across_terms const* terms_of(execution const&) { return nullptr; }
inline across_terms const* terms_of(across_execution const& where) { return &where.across; }

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

inline bool lives_on_device(residency r) { return r == residency::device; }
inline bool is_pageable(residency r) { return r == residency::unknown_to_cuda; }
/// Includes not_told: the device itself will report that it is lost.
inline bool suits_device(residency r) {
  return r == residency::device || r == residency::managed || r == residency::not_told;
}

/// The first operand with elements whose memory is of this kind, or null.
inline named_operand const* find(named_operands operands, bool (*is_kind)(residency)) {
  for (named_operand const& o : operands)
    if (o.has_elements && is_kind(residency_of(o.data))) return &o;
  return nullptr;
}

/// The device of the policy's stream, which must be able to access every operand. For automatic,
/// and for a stream under capture, which may not be asked, the first operand in device memory
/// decides.
template <class Execution>
int choose_device(Execution const& where, operation op, named_operands operands) {
  int device = where.backend == backend_id::automatic ? -1 : device_of_stream(where);
  named_operand const* decides = nullptr;
  if (device < 0) {
    decides = find(operands, lives_on_device);
    if (decides == nullptr) return -1;
    device = device_of(decides->data);
  }
  if (terms_of(where) != nullptr) return device;  // what is out of its reach is copied there
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
inline environment_setting<bool> is_fallback_refused([] {
  char const* const value = std::getenv("XPOSE_FALLBACK");
  if (value == nullptr || *value == 0 || strcasecmp(value, "omp") == 0) return false;
  if (strcasecmp(value, "error") == 0) return true;
  refuse<backend_error>(
      "XPOSE_FALLBACK is \"", value,
      "\", and may be \"error\" (xpose::cuda throws where it cannot run) or \"omp\" (it runs "
      "there, as without the variable)");
});

template <class Execution>
backend_choice choose_cuda(Execution const& where, operation op, named_operands operands) {
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
  if (terms_of(where) != nullptr)
    return {backend_id::cuda, "the policy is xpose::cuda.across()", {}, device};
  current_device const there(device);
  // Under capture the driver does not yet know memory of cudaMallocAsync: the graph is not
  // launched.
  if (named_operand const* o = find(operands, is_pageable); o != nullptr && !is_captured(where))
    refuse<residency_error>(
        name_of(op), ": ", o->name, " (", o->data,
        ") is in pageable host memory, which xpose::cuda cannot reach; use device, managed "
        "or pinned memory, xpose::omp, or xpose::cuda.across(), which copies it");
  check_capture(name_of(op), where);
  return {backend_id::cuda, "the policy is xpose::cuda", {}, device};
}

template <class Execution>
backend_choice choose_by_residency(Execution const& where, operation op, named_operands operands) {
  named_operand const* const on_device = has_driver() ? find(operands, suits_device) : nullptr;
  if (on_device == nullptr)
    return {backend_id::omp, "xpose::automatic found every operand in host memory"};
  named_operand const* const pageable = find(operands, is_pageable);
  if (pageable != nullptr && terms_of(where) == nullptr)
    refuse<residency_error>(
        name_of(op), ": ", on_device->name, " (", on_device->data,
        ") is in device or managed memory and ", pageable->name, " (", pageable->data,
        ") in pageable host memory; xpose::automatic needs both in one place, and "
        "xpose::automatic.across() does not");
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
/// Null: of xpose::cuda and xpose::automatic.
inline host_policy const* host_policy_of(backend_id asked) {
  for (host_policy const& p : host_policies)
    if (p.asked == asked) return &p;
  return nullptr;
}

/// Throws residency_error for operands that the backend cannot access, backend_error where it
/// cannot run, and what CUDA throws. operands() lists them where they decide: without a driver all
/// memory is host memory.
template <class Execution, class Operands>
backend_choice choose_backend(Execution const& where, operation op, Operands const& operands) {
  host_policy const* const policy = host_policy_of(where.backend);
  if (policy != nullptr && !has_driver()) return {policy->runs_on, policy->reason};
  return operands([&](named_operands all) -> backend_choice {
    if (where.backend == backend_id::cuda) return choose_cuda(where, op, all);
    if (where.backend == backend_id::automatic) return choose_by_residency(where, op, all);
    if (named_operand const* o = find(all, lives_on_device))
      refuse<residency_error>(name_of(op), ": ", o->name, " (", o->data,
                              ") is in device memory, which ", policy->name,
                              " cannot reach; use xpose::cuda or copy it to the host");
    return {policy->runs_on, policy->reason};
  });
}

}  // namespace
}  // namespace detail
}  // namespace v0
}  // namespace xpose
