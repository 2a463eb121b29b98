// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose gemm multiplies: the dtypes, what comes out, and scalars in the accumulate type.
#pragma once

#include "npy/npy_header.hpp"

#include <xpose/detail/element_type.hpp>

#include <string>

namespace xpose::tools {

struct gemm_type {
  char const* name;  // as --help and messages say it
  char kind;         // of A and B, as NumPy's letter and bytes
  index bytes;
  detail::element_type element;
  char out_kind;
  index out_bytes;
  detail::element_type out;
  char const* out_descr;
  detail::element_type accumulate;
};

/// Throws failure, naming the path and the dtypes that are taken.
gemm_type const& find_gemm_type(std::string const& path, npy_header const& header);

/// alpha or beta in the accumulate type.
struct gemm_scalar {
  alignas(16) unsigned char bytes[16];
  bool is_one;
  bool is_zero;
};

/// Reads "2", "-1.5", "1e3", and for a complex type "1+2j" or "3j". Throws failure, naming the
/// option.
gemm_scalar read_scalar(char const* option, std::string const& text, gemm_type const& type);

}  // namespace xpose::tools
