// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of the rows of transpose/kernel_table.hpp, compiled for one width of word at a time:
// each transpose_words_<bytes>.cu instantiates those of its word.
#pragma once

#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/detail/execution.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A piece of a copy: extents and the blocks of any kernel fit 31 bits. Strides in bytes.
struct transpose_piece {
  copy_plan plan;  // of runs
  int word;
  char const* in;
  char* out;
  char const* readable_end;  // past what is read, of the piece
};

/// Launches a row's kernel; the row is one of this word.
void launch_words_1(execution const& where, int config, transpose_piece const& piece);
void launch_words_2(execution const& where, int config, transpose_piece const& piece);
void launch_words_4(execution const& where, int config, transpose_piece const& piece);
void launch_words_8(execution const& where, int config, transpose_piece const& piece);
void launch_words_16(execution const& where, int config, transpose_piece const& piece);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
