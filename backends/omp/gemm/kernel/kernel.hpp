// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the GEMM driver knows of a kernel: block sizes, two packing functions and a microkernel,
// behind function pointers. Kernels of built-in types are compiled for each instruction set in
// kernel/reals.cpp and kernel/integers.cpp; scalar.hpp instantiates the kernel of any other type
// where the type is known.
//
// The letters of BLIS: the microkernel adds A(MR x KC) B(KC x NR) to a tile of C, MR x NR. MC x NC
// is the block of C whose operands are packed at a time. Packing copies a micro-panel of A (MR
// rows) or of B (NR columns) so that the microkernel reads it in one stream:
//
//   A, MR = 3         a00 a01 a02 ..        micro-panel    a00 a10 a20 | a01 a11 a21 | a02 ..
//                     a10 a11 a12 ..   ->
//                     a20 a21 a22 ..        one k-group after the other, MR elements each
//
// A k-group is what one lane of a vector takes of k at once: an element, or two or four neighbours
// along k for instructions that add short dot products (VNNI, AMX, bfloat16).
#pragma once

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/detail/element_type.hpp>
#include <xpose/semiring.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A piece of A or B to pack: elements (i, p), i counting rows of A or columns of B, p along k.
struct panel_source {
  char const* first;
  index step;      // bytes from i to i + 1
  index k_step;    // bytes from p to p + 1
  index width;     // of i: at most MR or NR
  index k_extent;  // of p
  bool conjugated;
  void const* context;
};

/// One tile: accumulators(i, j) = [accumulators(i, j) +] sum over p of a(i, p) * b(p, j).
struct microkernel_args {
  index k_groups;
  char const* a;
  index a_row_step;  // all steps in bytes; 0: a is packed, else unpacked with k contiguous
  char const* b;
  index b_k_step;  // if a is unpacked; or else b is packed
  char* accumulators;
  index accumulators_pitch;
  index rows;
  index cols;
  bool continues;   // add to what the accumulators hold
  bool is_split_k;  // the block's own products are summed first, and then added to the accumulators
  /// The rows of A to be prefetched, as far apart as a's, or null.
  char const* a_next;
  void const* context;
};

/// Partial sums of a later part of k, to be added to those of the parts before; rows a pitch apart.
struct split_k_partials {
  char* accumulators;
  char const* partials;
  index pitch;
  index rows;
  index cols;
  void const* context;
};

/// GEMV: a matrix of `rows` rows times a vector, whose elements and whose accumulators are
/// contiguous. `pitch`: bytes from row to row, if rows are contiguous along k, or from one k to the
/// next, if columns are.
struct gemv_args {
  char const* matrix;
  index pitch;
  index rows;
  char const* vector;
  index k_extent;
  char* accumulators;
  bool matrix_is_conjugated;
  bool vector_is_conjugated;
};

struct gemm_kernel {
  char const* name;
  index mr;            // rows of the largest tile
  index nr;            // and columns
  index vector_cols;   // columns of a vector
  index kc;            // elements of k that are multiplied before the next panels are packed
  index k_group_size;  // elements of a k-group
  /// Panels are whole multiples of so many k-groups. Above 1 (AMX), all row panels but the last
  /// have MR rows; else their heights are nearly equal.
  index k_groups_per_block;
  index a_step;    // bytes of a k-group of a micro-panel of A
  index b_step;    // and of B
  index b_header;  // bytes before B's first k-group
  index accumulator_bytes;
  /// Bytes of an element that needs no conversion: the microkernel can read it where it is, if rows
  /// of A, and of B, are contiguous. 0: only from panels.
  index in_place_bytes;
  /// Else rows of B that are read in place are whole vectors.
  bool masks_b_in_place;
  /// May the operands be exchanged, to write C by columns: C' = B' A'.
  bool commutes;

  void (*pack_a)(panel_source const& source, char* panel);
  void (*pack_b)(panel_source const& source, char* panel);
  /// Computes the header of a packed panel of B. Null if it has none.
  void (*finish_b_panel)(char* panel, index k_groups);
  void (*microkernel)(microkernel_args const& args);
  /// AMX, around a thread's microkernels: loads the tile configuration, releases the tiles. Or
  /// null.
  void (*configure_tiles)();
  void (*release_tiles)();
  void (*split_k_reduce)(split_k_partials const& args);

  /// For matrices whose rows, or columns, are contiguous; of vectors, `element_bytes` apart. Null:
  /// a GEMV is a GEMM of one column.
  void (*gemv_rows)(gemv_args const& args);
  void (*gemv_columns)(gemv_args const& args);
  index element_bytes;

  /// For accumulators that are objects with constructors; null otherwise.
  void (*construct)(char* memory, index count);
  void (*destroy)(char* memory, index count);
};

/// The types that a kernel takes. C may be of any type: the epilogue converts to it.
struct kernel_types {
  element_type a;
  element_type b;
  element_type accumulate;
  semiring_id semiring;

  friend constexpr bool operator==(kernel_types const& x, kernel_types const& y) {
    return x.a == y.a && x.b == y.b && x.accumulate == y.accumulate && x.semiring == y.semiring;
  }
};

/// The kernel of this machine, or of the instruction set that XPOSE_ISA names, for these types;
/// null if there is none. Throws backend_error if XPOSE_ISA names one that is not here.
XPOSE_EXPORT gemm_kernel const* find_gemm_kernel(kernel_types const& types);

/// The first entry whose types match and whose instructions this machine has is taken.
struct gemm_kernel_entry {
  kernel_types types;
  bool (*is_supported)();  // null: wherever the table's instruction set is
  gemm_kernel kernel;
};

/// The compiled kernels of one instruction set and file.
struct gemm_kernel_table {
  gemm_kernel_entry const* entries;
  int count;
};

/// Of gemm/kernel/reals.cpp and gemm/kernel/integers.cpp, for one of Highway's targets.
gemm_kernel_table real_and_complex_kernels(isa target);
gemm_kernel_table integer_and_tropical_kernels(isa target);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
