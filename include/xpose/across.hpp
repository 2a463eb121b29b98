// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls whose operands lie in several memories: the host's, a device's, another device's; matrices
// larger than a device's memory; several devices.
#pragma once

#include <xpose/detail/across_request.hpp>

#include <initializer_list>

namespace xpose {
inline namespace v0 {

/// What a call across memories may take, and whom it tells how far it is:
///     xp::cuda.across(xp::across_options().device_bytes(index{4} << 30).progress(bar))
class across_options {
 public:
  /// At most so many bytes of temporary memory on each device. Zero: the library's choice, a
  /// quarter of a GiB for copies and sums, and up to half of the device's memory for gemm. Throws
  /// shape_error if negative.
  constexpr across_options device_bytes(index bytes) const {
    if (bytes < 0) detail::refuse_device_bytes(bytes);
    across_options options = *this;
    options.terms_.device_bytes = bytes;
    return options;
  }
  /// report(done, total) is called with bytes of the output: with 0 before the first piece, then
  /// after each piece that is done, with `total` at the end. By one thread at a time; of several
  /// devices by a thread of the call's own. The call then returns when it is done, whatever the
  /// policy says of nosync. `report` is kept by reference. An exception of it ends the call and
  /// reaches the caller; what the output then holds is not defined.
  template <class Report>
  across_options progress(Report& report) const {
    across_options options = *this;
    options.terms_.context = const_cast<void*>(static_cast<void const*>(&report));
    options.terms_.progress = [](void* context, index done, index total) {
      (*static_cast<Report*>(context))(done, total);
    };
    return options;
  }
  constexpr detail::across_terms const& terms() const noexcept { return terms_; }

 private:
  detail::across_terms terms_;
};

/// xpose::cuda.across(), xpose::automatic.across(): operands of copy, transpose, permute, add and
/// gemm may lie in any memory: pageable, pinned, registered, managed, or that of any device. They
/// may exceed the device's memory: pieces of them pass through it. docs/across.md says how.
/// Element functions, types, semirings and epilogues are those compiled into the library; with one
/// of the caller's own, operands out of the device's reach are a backend_error.
/// Returns when the output is ready. With nosync() it returns after enqueue if no operand is in
/// pageable memory, there is no progress() and no devices(): operands must then stay until the
/// stream is done. Under capture in a graph: backend_error.
/// Temporary memory: across_options says on the device; 64 MiB of pinned memory for pageable
/// operands, kept by the process for later calls. All of it is taken before the first byte of the
/// output is written (std::bad_alloc); of gemm, what its kernels take with the first piece.
/// After a cuda_error the output holds finished pieces, and is undefined elsewhere.
template <class Policy>
class across_policy {
 public:
  constexpr across_policy(Policy const& policy, across_options const& options) noexcept
      : policy_(policy), terms_(options.terms()) {}

  /// On these devices of the machine, each with a part of the output. Operands may lie on the host
  /// or on one of the devices. Work begins after what the policy's stream has been given; the call
  /// returns when it is done. Throws shape_error unless they are 1 to 16 numbers, none negative,
  /// none twice; the call throws backend_error for a device that the machine has not.
  across_policy devices(std::initializer_list<int> numbers) const {
    detail::check_devices(numbers.begin(), numbers.size());
    across_policy policy = *this;
    policy.terms_.device_count = 0;
    for (int const number : numbers) policy.terms_.devices[policy.terms_.device_count++] = number;
    return policy;
  }
  constexpr Policy const& base() const noexcept { return policy_; }
  constexpr detail::across_terms const& terms() const noexcept { return terms_; }

 private:
  Policy policy_;
  detail::across_terms terms_;
};

}  // namespace v0
}  // namespace xpose
