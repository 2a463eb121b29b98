// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The loops of a program around a call: what makes its input and what uses its output.
#pragma once

#include <cstddef>

namespace xpose::bench {

/// Writes every byte of host memory, by at least two threads; what a thread of xpose reads first
/// was mostly written by another one.
void write_words(void* memory, std::size_t bytes, int threads);
/// Reads every byte.
void read_words(void const* memory, std::size_t bytes, int threads);

}  // namespace xpose::bench
