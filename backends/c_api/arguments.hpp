// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Converts the structs of the C interface to the library's own: policies, operands, functions.
// Every number is checked, since callers may pass anything; messages name the operation and the
// operand.
#pragma once

#include <xpose/xpose.h>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>
#include <xpose/policy.hpp>

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The operation and operand that a message names.
struct c_argument {
  char const* op;
  char const* operand;
};

template <class Error = argument_error, class... Parts>
[[noreturn]] void refuse_at(c_argument at, Parts const&... parts) {
  refuse<Error>(at.op, ": ", at.operand, parts...);
}

template <class T>
T& required(c_argument at, T* given) {
  if (given == nullptr) refuse_at(at, " is null");
  return *given;
}

/// The entry of a number from the caller; entries are in the order of the enumeration.
template <class Enum, class Entry, std::size_t Count>
Entry const& entry_of(c_argument at, char const* what, Enum given, Entry const (&entries)[Count]) {
  auto const number = static_cast<std::int64_t>(given);
  if (number < 0 || number >= static_cast<std::int64_t>(Count))
    refuse_at(at, what, " is ", number, ", expected 0 to ", Count - 1);
  return entries[number];
}

/// Reads a struct that starts with its size, from a caller with an older or newer header.
template <class Struct>
Struct read_sized(c_argument at, Struct const* given, std::size_t first_size) {
  std::uint64_t const size = required(at, given).size;
  // More than a page is not a struct, but a size that was never set.
  if (size < first_size || size > 4096)
    refuse_at(at, " has size ", size, ", expected ", sizeof(Struct), " (its sizeof)");
  auto const* const bytes = reinterpret_cast<unsigned char const*>(given);
  auto const is_set = [](unsigned char byte) { return byte != 0; };
  if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size, is_set))
    refuse_at(at, " has size ", size, " and fields that are not zero behind the ", sizeof(Struct),
              " bytes that xpose ", XPOSE_VERSION, " knows");
  Struct known{};
  std::memcpy(&known, given, std::min(static_cast<std::size_t>(size), sizeof known));
  return known;
}

inline execution without_memory(xpose_policy const& p) {
  if (p.backend == XPOSE_AUTOMATIC) return policy_traits<automatic_policy>::make(automatic);
  if (p.backend == XPOSE_SEQ) return policy_traits<seq_policy>::make(seq);
  if (p.backend == XPOSE_REFERENCE) return policy_traits<reference_policy>::make(reference);
  if (p.backend == XPOSE_OMP)
    return policy_traits<omp_policy>::make(omp.with(xpose::threads{p.threads}));
  cuda_policy policy = cuda.on(static_cast<stream_handle>(p.stream));
  if ((p.flags & XPOSE_NOSYNC) != 0) policy = policy.nosync();
  if ((p.flags & XPOSE_STRICT) != 0) policy = policy.strict();
  return policy_traits<cuda_policy>::make(policy);
}

inline execution read_policy(char const* op, xpose_policy const* given) {
  c_argument const at{op, "policy"};
  constexpr std::size_t first_size = 32;
  xpose_policy const p = read_sized(at, given, first_size);
  constexpr char const* names[] = {"XPOSE_AUTOMATIC", "XPOSE_SEQ", "XPOSE_OMP", "XPOSE_CUDA",
                                   "XPOSE_REFERENCE"};
  char const* const name = entry_of(at, "'s backend", p.backend, names);
  constexpr std::uint64_t known_flags = XPOSE_NOSYNC | XPOSE_STRICT;
  if ((p.flags & ~known_flags) != 0)
    refuse_at(at, " has flags ", p.flags, ", expected those of ", known_flags);
  if (p.backend != XPOSE_OMP && p.threads != 0)
    refuse_at(at, " has threads ", p.threads, ", which ", name, " does not take");
  if (p.backend != XPOSE_CUDA && p.stream != nullptr)
    refuse_at(at, " has stream ", p.stream, ", which ", name, " does not take");
  if (p.backend != XPOSE_CUDA && p.flags != 0)
    refuse_at(at, " has flags ", p.flags, ", which ", name, " does not take");

  if (p.threads < 0) refuse_at<shape_error>(at, " has threads ", p.threads, ", expected 0 or more");

  if ((p.allocate == nullptr) != (p.deallocate == nullptr))
    refuse_at(at, " has ", p.allocate == nullptr ? "deallocate" : "allocate",
              " alone, expected both functions or neither");
  if (p.backend == XPOSE_AUTOMATIC && p.allocate != nullptr)
    refuse_at(at, " has allocate, which ", name, " does not take");

  execution where = without_memory(p);
  where.memory = {p.memory_context, p.allocate, p.deallocate};
  return where;
}

struct c_dtype {
  char const* name;
  element_type type;
  int bytes;
  int alignment;
};

template <class T>
constexpr c_dtype dtype_of(char const* name) {
  return {name, element_type_of<T>(), sizeof(T), static_cast<int>(alignof(T))};
}

/// In the order of xpose_dtype.
inline constexpr c_dtype c_dtypes[] = {
    {"raw", element_type::other, 0, 1},
    dtype_of<bool>("bool"),
    dtype_of<std::int8_t>("i8"),
    dtype_of<std::uint8_t>("u8"),
    dtype_of<std::int16_t>("i16"),
    dtype_of<std::uint16_t>("u16"),
    dtype_of<std::int32_t>("i32"),
    dtype_of<std::uint32_t>("u32"),
    dtype_of<std::int64_t>("i64"),
    dtype_of<std::uint64_t>("u64"),
    dtype_of<float16>("f16"),
    dtype_of<bfloat16>("bf16"),
    dtype_of<float>("f32"),
    dtype_of<double>("f64"),
    dtype_of<std::complex<float>>("c64"),
    dtype_of<std::complex<double>>("c128"),
    dtype_of<float8_e4m3>("e4m3"),
    dtype_of<float8_e5m2>("e5m2"),
};

static_assert(sizeof c_dtypes / sizeof *c_dtypes == XPOSE_E5M2 + 1);

/// The entry of the element type; for raw elements with the caller's size.
inline c_dtype read_dtype(c_argument at, xpose_dtype dtype, std::int64_t element_bytes) {
  c_dtype entry = entry_of(at, "'s dtype", dtype, c_dtypes);
  if (entry.bytes == 0) {
    if (element_bytes < 1 || element_bytes > std::numeric_limits<int>::max())
      refuse_at(at, " has raw elements of ", element_bytes, " bytes, expected 1 to ",
                std::numeric_limits<int>::max());
    entry.bytes = static_cast<int>(element_bytes);
  } else if (element_bytes != 0 && element_bytes != entry.bytes) {
    refuse_at(at, " has element_bytes ", element_bytes, ", but its dtype ", entry.name, " has ",
              entry.bytes);
  }
  return entry;
}

/// The rules of the C++ views.
inline void check_view(c_argument at, void const* data, int bytes, dimension const* dimensions,
                       int count) {
  auto const size = static_cast<std::size_t>(bytes);
  if (!is_valid_view(data == nullptr, size, dimensions, count))
    refuse_view(message(at.op, ": ", at.operand).c_str(), data == nullptr, size, dimensions, count);
}

inline operand describe(c_argument at, xpose_matrix const& m, index count, index batch_stride,
                        bool is_batch) {
  c_dtype const dtype = read_dtype(at, m.dtype, m.element_bytes);
  if (m.conjugated != 0 && m.dtype == XPOSE_RAW)
    refuse_at(at, " is raw, which has no complex conjugate");
  dimension const dimensions[] = {
      {count, batch_stride}, {m.rows, m.row_stride}, {m.cols, m.col_stride}};
  int const left_out = is_batch ? 0 : 1;
  check_view(at, m.data, dtype.bytes, dimensions + left_out, 3 - left_out);
  return {m.data,       count,       m.rows,          m.cols,     batch_stride,     m.row_stride,
          m.col_stride, dtype.bytes, dtype.alignment, dtype.type, m.conjugated != 0};
}

inline operand read_operand(c_argument at, xpose_matrix const* given) {
  return describe(at, required(at, given), 1, 0, false);
}
inline operand read_operand(c_argument at, xpose_batch const* given) {
  xpose_batch const& b = required(at, given);
  return describe(at, b.first, b.count, b.batch_stride, true);
}

/// An operand that is written to.
template <class View>
operand read_output(c_argument at, View const* given) {
  operand const o = read_operand(at, given);
  if (o.conjugated) refuse_at(at, " is conjugated, and only inputs may be");
  return o;
}

inline tensor_operand read_operand(c_argument at, xpose_tensor const* given) {
  xpose_tensor const& t = required(at, given);
  c_dtype const dtype = read_dtype(at, t.dtype, t.element_bytes);
  if (t.rank < 1 || t.rank > tensor_operand::max_rank)
    refuse_at<shape_error>(at, " has rank ", t.rank, ", expected 1 to ",
                           int{tensor_operand::max_rank});
  tensor_operand o{t.data, t.rank, {}, dtype.bytes, dtype.alignment, dtype.type, false, false};
  for (int d = 0; d < t.rank; ++d) o.dimensions[d] = {t.extents[d], t.strides[d]};
  check_view(at, o.data, o.bytes_per_element, o.dimensions, o.count);
  return o;
}

inline xpose_dtype number_of_dtype(xpose_matrix const& m) { return m.dtype; }
inline xpose_dtype number_of_dtype(xpose_batch const& b) { return b.first.dtype; }
inline xpose_dtype number_of_dtype(xpose_tensor const& t) { return t.dtype; }
template <class View>
char const* name_of_dtype(View const& v) {
  return c_dtypes[number_of_dtype(v)].name;
}

/// The compiled function of a copy between checked operands.
template <class View, class Operand>
element_function read_function(char const* op, xpose_function given, View const& in_view,
                               View const& out_view, Operand const& in, Operand const& out) {
  c_argument const at{op, "function"};
  constexpr char const* names[] = {"XPOSE_IDENTITY", "XPOSE_CONJUGATE", "XPOSE_CAST"};
  char const* const name = entry_of(at, "", given, names);
  c_dtype const& from = c_dtypes[number_of_dtype(in_view)];
  c_dtype const& to = c_dtypes[number_of_dtype(out_view)];
  if (given == XPOSE_CONJUGATE && number_of_dtype(in_view) == XPOSE_RAW)
    refuse_at(at, " is XPOSE_CONJUGATE, and raw elements have no complex conjugate");
  bool const conjugates = is_complex_type(from.type) && in.conjugated != (given == XPOSE_CONJUGATE);
  bool const is_same = &from == &to && in.bytes_per_element == out.bytes_per_element;
  if (is_same) return conjugates ? element_function::conjugate : element_function::copy_bits;

  auto const elements = [](c_dtype const& dtype, int bytes) {
    return message(dtype.name, " of ", bytes, bytes == 1 ? " byte" : " bytes");
  };
  std::string const types = message("in has ", elements(from, in.bytes_per_element), ", out ",
                                    elements(to, out.bytes_per_element));
  if (given != XPOSE_CAST)
    refuse_at(at, " is ", name, ", but ", types, ": only XPOSE_CAST goes from one to another");
  if (!is_compiled_cast(to.type, from.type))
    refuse_at<backend_error>(at, " is XPOSE_CAST, but ", types,
                             ": casts are among real and among complex numbers, and of e4m3 and "
                             "e5m2 with f16, bf16 and f32");
  if (conjugates)
    refuse_at<backend_error>(at, " is XPOSE_CAST and in is conjugated, but ", types,
                             ": conjugate and cast in two calls");
  return element_function::cast;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
