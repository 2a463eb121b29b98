// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Arrays in .npy files: an input that lies in its mapped file, an output of a given dtype and
// shape.
#pragma once

#include "files/mapped_file.hpp"
#include "files/run_record.hpp"
#include "npy/npy_header.hpp"

#include <xpose/detail/request.hpp>

#include <memory>

namespace xpose::tools {

class npy_input {
 public:
  /// Throws failure.
  explicit npy_input(std::string const& path);

  std::string const& path() const { return file_.path(); }
  npy_header const& header() const { return header_; }
  void const* data() const { return file_.bytes().data() + header_.bytes_before_data; }
  input_file const& file() const { return file_; }

 private:
  input_file file_;
  npy_header header_;
};

class npy_output {
 public:
  /// header as for npy_header_bytes, with bytes_per_element. With the lines of an identity the
  /// output is a resumable_file. Throws failure.
  npy_output(std::string const& path, npy_header const& header, run_identity const& identity = {});

  void* data() { return file_->data() + bytes_before_data_; }
  output_bytes& file() { return *file_; }
  void commit() { file_->commit(); }

 private:
  std::unique_ptr<output_bytes> file_;
  std::size_t bytes_before_data_;
};

/// Throws failure, naming the path, if an array's bytes do not fit 64 bits.
void check_size(std::string const& path, npy_header const& header);

/// The elements of an array as bytes of any alignment, its dimensions in NumPy's order; an array
/// without dimensions has one of one element. Up to 8 dimensions.
detail::tensor_operand describe_tensor(void const* data, npy_header const& header);

/// The same of an array of two or three dimensions, the first of three being the batch.
detail::operand describe(void const* data, npy_header const& header);

}  // namespace xpose::tools
