// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The header of a .npy file, read and written: versions 1.0, 2.0 and 3.0.
#pragma once

#include <xpose/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace xpose::tools {

struct npy_header {
  std::string descr;     // the dtype as the file spells it, kept for the output
  bool is_utf8 = false;  // version 3.0 spells field names in UTF-8, the others in Latin-1
  bool is_fortran_order = false;
  std::vector<index> shape;
  index bytes_per_element = 0;
  char kind = '\0';  // NumPy's letter: b i u f c m M S U V; '\0' for a structured type
  bool is_big_endian = false;

  index elements = 0;
  std::size_t bytes_before_data = 0;
};

/// The header at the start of a file's bytes. Throws failure, naming the path, for anything but a
/// well-formed header whose data lie in the file.
npy_header read_npy_header(std::string const& path, std::string_view file);

/// The bytes before the data: magic, version, dict, padding to 64 bytes, newline.
/// Of header, descr, is_utf8, is_fortran_order and shape are used.
std::string npy_header_bytes(npy_header const& header);

/// "(3, 4)", as Python writes a tuple.
std::string shape_text(std::vector<index> const& shape);

}  // namespace xpose::tools
