// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The exceptions. Argument errors are thrown before any work is done or enqueued: outputs are
// untouched. Every message names the operation, the operand, its values and the rule it broke.
#pragma once

#include <xpose/config.hpp>

#include <stdexcept>
#include <system_error>

namespace xpose {
inline namespace v0 {

/// Base of everything xpose throws except std::bad_alloc. Not a std::exception itself, so that the
/// classes below stay catchable as std::exception, std::invalid_argument, std::runtime_error and
/// std::system_error.
class XPOSE_EXPORT error {
 public:
  virtual ~error();
  virtual char const* what() const noexcept = 0;
};

/// An argument breaks a rule of the call.
class XPOSE_EXPORT argument_error : public std::invalid_argument, public error {
 public:
  explicit argument_error(char const* message);
  ~argument_error() override;
  char const* what() const noexcept override;
};

/// Extents are negative or do not fit each other.
class XPOSE_EXPORT shape_error : public argument_error {
 public:
  using argument_error::argument_error;
  ~shape_error() override;
};

/// A leading dimension, stride, pointer or alignment cannot describe the view, or output elements
/// coincide.
class XPOSE_EXPORT layout_error : public argument_error {
 public:
  using argument_error::argument_error;
  ~layout_error() override;
};

/// An output shares memory with an operand it must not share with.
class XPOSE_EXPORT alias_error : public argument_error {
 public:
  using argument_error::argument_error;
  ~alias_error() override;
};

/// A size in elements or bytes does not fit 64 bits.
class XPOSE_EXPORT overflow_error : public argument_error {
 public:
  using argument_error::argument_error;
  ~overflow_error() override;
};

/// An operand lives in memory that the policy's backend cannot reach.
class XPOSE_EXPORT residency_error : public argument_error {
 public:
  using argument_error::argument_error;
  ~residency_error() override;
};

/// The backend asked for cannot run here: not built, no driver, no device, or a user function not
/// built for it.
class XPOSE_EXPORT backend_error : public std::runtime_error, public error {
 public:
  explicit backend_error(char const* message);
  ~backend_error() override;
  char const* what() const noexcept override;
};

/// The CUDA runtime refused a call. code().value() is the cudaError_t, what() names the call and
/// the error.
class XPOSE_EXPORT cuda_error : public std::system_error, public error {
 public:
  cuda_error(int code, char const* call);
  ~cuda_error() override;
  char const* what() const noexcept override;
};

/// A kernel, xpose's or any other of the process, failed in a way that CUDA does not forgive: every
/// later CUDA call of the process fails too, `seq` and `omp` go on working. what() names the call
/// that was told, not the kernel.
class XPOSE_EXPORT device_lost : public cuda_error {
 public:
  using cuda_error::cuda_error;
  ~device_lost() override;
};

/// Category of cuda_error's code(): value = cudaError_t, message = the runtime's name and text for
/// it.
XPOSE_EXPORT std::error_category const& cuda_category() noexcept;

namespace detail {

/// What a call of the CUDA runtime ended with, as an exception: std::bad_alloc if it found no
/// memory, device_lost if the process cannot use the device any more, cuda_error else.
[[noreturn]] XPOSE_EXPORT void throw_cuda_error(int code, char const* call);

}  // namespace detail

}  // namespace v0
}  // namespace xpose
