// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turns exceptions into statuses of the C interface. Every entry point goes through run_guarded().
#pragma once

#include <xpose/xpose.h>
#include <xpose/error.hpp>

#include <cstring>
#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A thread's last failure. Recording one allocates nothing, since there may be no memory.
struct c_error {
  char message[1024];
  std::int32_t cuda_code;
};

inline xpose_status record(c_error& to, xpose_status status, char const* message,
                           int cuda_code = 0) noexcept {
  std::size_t const length = strnlen(message, sizeof to.message - 1);
  std::memmove(to.message, message, length);
  to.message[length] = '\0';
  to.cuda_code = cuda_code;
  return status;
}

/// Inside a handler: records the current exception. Derived classes come before their bases.
inline xpose_status record_exception(c_error& to) noexcept {
  try {
    throw;
  } catch (shape_error const& e) {
    return record(to, XPOSE_SHAPE_ERROR, e.what());
  } catch (layout_error const& e) {
    return record(to, XPOSE_LAYOUT_ERROR, e.what());
  } catch (alias_error const& e) {
    return record(to, XPOSE_ALIAS_ERROR, e.what());
  } catch (overflow_error const& e) {
    return record(to, XPOSE_OVERFLOW_ERROR, e.what());
  } catch (residency_error const& e) {
    return record(to, XPOSE_RESIDENCY_ERROR, e.what());
  } catch (argument_error const& e) {
    return record(to, XPOSE_ARGUMENT_ERROR, e.what());
  } catch (backend_error const& e) {
    return record(to, XPOSE_BACKEND_ERROR, e.what());
  } catch (device_lost const& e) {
    return record(to, XPOSE_DEVICE_LOST, e.what(), e.code().value());
  } catch (cuda_error const& e) {
    return record(to, XPOSE_CUDA_ERROR, e.what(), e.code().value());
  } catch (std::bad_alloc const&) {
    return record(to, XPOSE_OUT_OF_MEMORY, "out of memory");
  } catch (std::exception const& e) {
    return record(to, XPOSE_UNKNOWN_ERROR, e.what());
  } catch (...) {
    return record(to, XPOSE_UNKNOWN_ERROR, "an exception that is no std::exception");
  }
}

/// Runs call() and turns what it throws into a status and a message.
template <class Call>
xpose_status run_guarded(c_error& to, Call const& call) noexcept {
  try {
    call();
    return XPOSE_OK;
  } catch (...) {
    return record_exception(to);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
