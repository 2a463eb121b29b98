// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An operand of a call from Python: memory, extents and strides of somebody's array, held while the
// call runs.
#pragma once

#include <nanobind/nanobind.h>
#include <xpose/xpose.h>

#include <cstdint>

namespace xpose::python {

namespace nb = nanobind;

/// NumPy's limit.
inline constexpr int most_dimensions = 64;

/// What an array is, without its owner. Strides count elements.
struct array {
  char* data = nullptr;
  int rank = 0;
  std::int64_t extents[most_dimensions];
  std::int64_t strides[most_dimensions];
  xpose_dtype dtype = XPOSE_RAW;
  std::int64_t element_bytes = 0;
  bool is_read_only = false;
  bool is_conjugated = false;  // read through complex conjugation

  std::int64_t count() const;
  bool is_complex() const { return dtype == XPOSE_C64 || dtype == XPOSE_C128; }
};

/// An array and what keeps its memory alive: the object itself, a buffer of the buffer protocol or
/// a tuple that _arrays.describe() returned.
class held_array : public array {
 public:
  /// Takes torch.Tensor by DLPack's C interface, cupy.ndarray by its attributes and whatever has
  /// the buffer protocol; of anything else it asks _arrays.describe(), which takes 2 us more.
  /// Raises TypeError for what is no array, with `operation` and `name` in front.
  held_array(nb::handle object, char const* operation, char const* name);
  ~held_array();
  held_array(held_array const&) = delete;
  held_array& operator=(held_array const&) = delete;

 private:
  bool take_tensor(nb::handle object);
  bool take_cupy(nb::handle object);
  bool take_unnamed(nb::handle object);
  bool take_buffer(nb::handle object);
  void release();
  void take_description(nb::tuple description);

  Py_buffer buffer_{};
  bool has_buffer_ = false;
  nb::object owner_;
};

/// The types of torch and CuPy, which are known once the package has seen an array of theirs.
void know_tensors(nb::handle type);
void know_cupy(nb::handle type);

/// For an output: raises ValueError where the array is read-only.
void require_writable(array const& out, char const* operation);

}  // namespace xpose::python
