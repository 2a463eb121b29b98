// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Brings the pages of mapped files into memory before a call works on them, so that its time is
// that of memory and not that of a disk.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose::tools {

/// Reads a byte of each page in which the operand has elements, on so many threads; 0: all.
void read_pages(detail::tensor_operand const& o, int threads);

/// Asks the system to read the operand's pages of a file, all at once, and no others: a part of a
/// larger matrix is many short runs, around each of which it would read 128 KB by itself.
void request_pages(detail::tensor_operand const& o);

/// The same as read_pages() for an operand that will be written: the pages get memory, and keep
/// their content.
void make_pages(detail::tensor_operand const& o, int threads);

}  // namespace xpose::tools
