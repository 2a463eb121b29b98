// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the driver of gemm knows of a kernel: the sizes of its tile, two packing functions and the
// multiplication of one tile, behind function pointers. Kernels of built-in types are compiled for
// each instruction set in gemv_kernel*.cpp; the kernel of any other type is instantiated from
// gemm/kernel/scalar.hpp where the type is known.
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/semiring.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A piece of A or B to pack: elements (i, p), i counting rows of A or columns of B, p along k.
struct panel_source {
  char const* first;
  index step;    // bytes from i to i + 1
  index k_step;  // bytes from p to p + 1
  index width;   // of i: at most a panel's
  index k_extent;
  bool conjugated;
  void const* context;
};

/// One tile of C: sums(i, j) = [sums(i, j) +] sum over p of a(i, p) * b(p, j). A packed panel is
/// steps along k, one behind the other; a step holds the unit of every row (or column) of the
/// panel, a unit being what one lane of a vector takes: an element, or several along k.
struct microkernel_args {
  index k_extent;  // in units
  char const* a;
  index
      a_row_step;  // all steps in bytes; 0: a is a packed panel, else a step along k is an element
  char const* b;
  index b_k_step;  // if a is no packed panel; or else b is one
  char* accumulators;
  index accumulators_pitch;
  index rows;
  index cols;
  bool continues;  // add to what sums hold
  bool
      is_split_k;  // of several parts of k: a block's own sums come first, added to the others then
  /// Pitched rows of A that will be read next, if their lines are to be asked for, or null.
  char const* a_next;
  void const* context;
};

/// Sums of a later part of k, to be added to those of the parts before; rows a pitch apart.
struct split_k_partials {
  char* accumulators;
  char const* partials;
  index pitch;
  index rows;
  index cols;
  void const* context;
};

/// A matrix of `rows` rows times a vector, whose elements and whose sums are contiguous; `pitch`
/// bytes from row to row, if rows are contiguous along k, or from one k to the next, if columns
/// are.
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
  // The largest tile, and of how many columns a vector consists.
  index rows;
  index cols;
  index vector_cols;
  // Elements along k that are multiplied before the next panels are packed, and of a unit.
  index k_extent;
  index unit;
  // Panels are whole multiples of so many units. Above 1 row panels are as high as a tile, but for
  // the last, in place of nearly equal.
  index k_groups_together;
  // Bytes: of a step of each panel, of what lies before the first step of B's, of a sum.
  index a_step;
  index b_step;
  index b_header;
  index accumulator_bytes;
  // Operands that need no conversion can be read where they are, instead of from a panel, if the
  // elements of rows of A or of B lie one behind the other; B's rows are whole vectors then.
  index in_place_bytes;  // of such an element; 0: panels only
  /// May the operands be exchanged, to write C by columns: C' = B' A'.
  bool commutes;

  void (*pack_a)(panel_source const& source, char* panel);
  void (*pack_b)(panel_source const& source, char* panel);
  /// Once B's panel is packed: calculates its header. Null if it has none.
  void (*finish_b_panel)(char* panel, index k_groups);
  void (*multiply)(microkernel_args const& job);
  /// Around a thread's multiplications, where it has to be told. Null where not.
  void (*begin)();
  void (*end)();
  void (*split_k_reduce)(split_k_partials const& job);

  /// Rows, or columns, that are contiguous in memory. Both operands are of elements of
  /// `element_bytes`. Null: the tiles do it.
  void (*gemv_rows)(gemv_args const& job);
  void (*gemv_columns)(gemv_args const& job);
  index element_bytes;

  /// For sums that are objects with constructors; null otherwise.
  void (*construct)(char* memory, index count);
  void (*destroy)(char* memory, index count);
};

/// The types that a kernel takes. C may be of any type: sums are converted when they are finished.
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

}  // namespace detail
}  // namespace v0
}  // namespace xpose
