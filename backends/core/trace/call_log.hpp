// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// XPOSE_LOG: the calls of this process as command lines of xpose-bench, which `xpose-bench replay`
// reads. XPOSE_LOG=bench writes equal calls as one line when the process ends, the longest first;
// XPOSE_LOG=calls writes each call as it happens. Behind a colon comes the file's name, in which %p
// becomes the process's number; without one the log goes to standard error.
//
//   xpose-bench gemm --policy omp --threads 2 --types f32 --shapes 4x4x4:NT  # calls 12, seconds
//   0.1 # not replayable: transpose f32 300x200 on omp: user function  # calls 2, seconds 0.003
#pragma once

#include <xpose/config.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Opens the log that the value of XPOSE_LOG asks for (null, empty: none) and ends the one before;
/// whether there is one. Throws backend_error for another value, and for a file that cannot be
/// written. Safe for concurrent callers.
bool open_call_log(char const* setting);

/// One call of the line, "xpose-bench ..." or a comment, and its remark. Safe for concurrent
/// callers; nothing happens without an open log. A child of fork() logs its own calls if the file's
/// name has %p, else none. Calls that come when the process has ended its log are written at once.
void log_call(std::string const& line, std::string const& remark, double seconds);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
