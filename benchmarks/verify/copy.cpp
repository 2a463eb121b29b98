// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes, copies and permutations: all of them are copies of strided matrices, so that one
// comparison with the reference backend, tile by tile, serves them all.

#include "types/cast.hpp"
#include "types/element_size.hpp"
#include "verify/verify.hpp"

#include <xpose/xpose.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace xpose::bench {
namespace {

constexpr std::size_t largest_on_host = std::size_t{64} << 20;
constexpr index tile = 256;

/// Matrices that follow one another in in and in out.
struct repetition {
  index count;
  index in_stride;
  index out_stride;
};

/// Row i of a matrix of out is contiguous; element (i, j) comes from (i, j) of a strided matrix of
/// in. Strides in elements.
struct copied_matrices {
  index rows;
  index cols;
  index in_row_stride;
  index in_col_stride;
  index out_row_stride;
  index padding;                        ///< elements behind a row of out that must stay unwritten
  std::vector<repetition> repetitions;  ///< the last one is the fastest
  index out_elements;                   ///< where the guard begins
};

copied_matrices matrices_of(transpose_case const& what, bool is_copy) {
  index const rows = is_copy ? what.rows : what.cols;
  index const cols = is_copy ? what.cols : what.rows;
  return {rows,
          cols,
          is_copy ? what.in_ld : 1,
          is_copy ? 1 : what.in_ld,
          what.out_ld,
          what.out_ld - cols,
          {{what.batch, what.in_batch_stride, what.out_batch_stride}},
          (what.batch - 1) * what.out_batch_stride + rows * what.out_ld};
}

/// The columns are out's fastest dimension. The rows are in's fastest dimension, or out's next one
/// where both have the same. Tiles are then read and written along cache lines.
copied_matrices matrices_of(permute_case const& what) {
  std::size_t const rank = what.extents.size();
  std::vector<repetition> dimensions(rank);  // of out
  index in_elements = 1;
  std::vector<index> in_strides(rank);
  for (std::size_t d = rank; d-- > 0; in_elements *= what.extents[d]) in_strides[d] = in_elements;
  index out_elements = 1;
  for (std::size_t d = rank; d-- > 0;) {
    auto const from = static_cast<std::size_t>(what.permutation[d]);
    dimensions[d] = {what.extents[from], in_strides[from], out_elements};
    out_elements *= what.extents[from];
  }
  repetition const col = dimensions.back();
  dimensions.pop_back();
  auto const fastest = std::find_if(dimensions.begin(), dimensions.end(),
                                    [](repetition const& d) { return d.in_stride == 1; });
  auto const chosen = fastest == dimensions.end() ? dimensions.end() - 1 : fastest;
  repetition const row = *chosen;
  dimensions.erase(chosen);
  return {row.count,      col.count, row.in_stride,         col.in_stride,
          row.out_stride, 0,         std::move(dimensions), out_elements};
}

/// Where matrix number m begins, in elements of in and of out.
std::pair<index, index> offsets_of(copied_matrices const& what, index m) {
  std::pair<index, index> offsets{0, 0};
  for (std::size_t r = what.repetitions.size(); r-- > 0; m /= what.repetitions[r].count) {
    index const at = m % what.repetitions[r].count;
    offsets.first += at * what.repetitions[r].in_stride;
    offsets.second += at * what.repetitions[r].out_stride;
  }
  return offsets;
}

/// A tile's operand for the reference: where it begins, its extents, and the strides of in.
struct tile_of_in {
  unsigned char const* from;
  index rows;
  index cols;
  index row_stride;
  index col_stride;
};

/// Writes the reference backend's result for one tile, packed, to expected.
using reference_function = std::function<void(tile_of_in const& in, unsigned char* expected)>;

reference_function moved_bits(std::size_t bytes_per_element) {
  return with_size(bytes_per_element, [](auto size) -> reference_function {
    using element = bytes_of<decltype(size)::value>;
    return [](tile_of_in const& in, unsigned char* expected) {
      copy(reference,
           matrix_view<element const>(reinterpret_cast<element const*>(in.from), in.rows, in.cols,
                                      strided{in.row_stride, in.col_stride}),
           matrix_view<element>(reinterpret_cast<element*>(expected), in.rows, in.cols));
    };
  });
}

reference_function cast_values(cast_case const& what) {
  return with_cast_types(
      what.moved.type.kind, what.out_type.kind,
      [](auto in_tag, auto out_tag) -> reference_function {
        using From = typename decltype(in_tag)::type;
        using To = typename decltype(out_tag)::type;
        return [](tile_of_in const& in, unsigned char* expected) {
          copy(reference,
               matrix_view<From const>(reinterpret_cast<From const*>(in.from), in.rows, in.cols,
                                       strided{in.row_stride, in.col_stride}),
               matrix_view<To>(reinterpret_cast<To*>(expected), in.rows, in.cols), cast<To>{});
        };
      });
}

std::string element_differs(index matrix, index i, index j) {
  return "out(" + std::to_string(i) + ", " + std::to_string(j) + ")" +
         (matrix > 0 ? " of matrix " + std::to_string(matrix) : "") + " differs from the reference";
}

bool is_poison(unsigned char const* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](unsigned char b) { return b == poison; });
}

/// One element of in and of out, in bytes.
struct element_bytes {
  index in;
  index out;
};

class host_check {
 public:
  host_check(copied_matrices const& what, element_bytes const& bytes,
             reference_function const& reference)
      : what_(what), bytes_(bytes), reference_(reference) {}

  /// The first difference that a thread found; empty: none.
  std::string run(unsigned char const* in, unsigned char const* out) const {
    index matrices = 1;
    for (auto const& r : what_.repetitions) matrices *= r.count;
    std::string wrong;
#pragma omp parallel
    {
      std::vector<unsigned char> expected(static_cast<std::size_t>(tile * tile * bytes_.out));
      std::string found;
#pragma omp for collapse(2) schedule(dynamic)
      for (index m = 0; m < matrices; ++m)
        for (index first_row = 0; first_row < what_.rows; first_row += tile)
          if (found.empty()) found = check_rows(in, out, m, first_row, expected.data());
      if (!found.empty())
#pragma omp critical
        wrong = found;
    }
    if (wrong.empty() && !is_poison(out + what_.out_elements * bytes_.out, guard_bytes))
      wrong = "memory behind out was written";
    return wrong;
  }

 private:
  std::string check_rows(unsigned char const* in, unsigned char const* out, index m,
                         index first_row, unsigned char* expected) const {
    auto const [in_offset, out_offset] = offsets_of(what_, m);
    index const rows = std::min(tile, what_.rows - first_row);
    auto const row_of_out = [&](index i) {
      return out + (out_offset + i * what_.out_row_stride) * bytes_.out;
    };
    for (index first_col = 0; first_col < what_.cols; first_col += tile) {
      index const cols = std::min(tile, what_.cols - first_col);
      index const at =
          in_offset + first_row * what_.in_row_stride + first_col * what_.in_col_stride;
      reference_({in + at * bytes_.in, rows, cols, what_.in_row_stride, what_.in_col_stride},
                 expected);
      for (index i = 0; i < rows; ++i) {
        auto const* const row = row_of_out(first_row + i) + first_col * bytes_.out;
        auto const* const right = expected + i * cols * bytes_.out;
        if (std::memcmp(row, right, static_cast<std::size_t>(cols * bytes_.out)) == 0) continue;
        auto const byte = std::mismatch(row, row + cols * bytes_.out, right).first - row;
        return element_differs(m, first_row + i, first_col + byte / bytes_.out);
      }
    }
    for (index i = first_row; i < first_row + rows; ++i)
      if (!is_poison(row_of_out(i) + what_.cols * bytes_.out,
                     static_cast<std::size_t>(what_.padding * bytes_.out)))
        return "memory behind row " + std::to_string(i) + " of out was written";
    return "";
  }

  copied_matrices const& what_;
  element_bytes bytes_;
  reference_function const& reference_;
};

/// Compares on the host, wherever the operands are.
verdict verify_on_host(machine& where, copied_matrices const& what, std::size_t in_bytes,
                       element_bytes const& bytes, reference_function const& reference,
                       void const* in, void const* out) {
  host_check const check(what, bytes, reference);
  if (!where.is_device())
    return {
        check.run(static_cast<unsigned char const*>(in), static_cast<unsigned char const*>(out)),
        "reference"};
  std::vector<unsigned char> in_host(in_bytes);
  std::vector<unsigned char> out_host(static_cast<std::size_t>(what.out_elements * bytes.out) +
                                      guard_bytes);
  where.copy_to_host(in_host.data(), in, in_host.size());
  where.copy_to_host(out_host.data(), out, out_host.size());
  return {check.run(in_host.data(), out_host.data()), "reference"};
}

}  // namespace

verdict verify_transpose(machine& where, transpose_case const& what, bool is_copy, void const* in,
                         void const* out) {
  copied_matrices const matrices = matrices_of(what, is_copy);
  auto const bytes = static_cast<index>(what.type.bytes);
  bool const is_large = static_cast<std::size_t>(matrices.out_elements * bytes) > largest_on_host;
  if (where.is_device() && is_large) {
    index const wrong = device::count_mismatches(what, is_copy, in, out, where.stream());
    return {wrong == 0 ? "" : std::to_string(wrong) + " elements of out differ",
            "definition on the device"};
  }
  return verify_on_host(where, matrices,
                        static_cast<std::size_t>(what.batch * what.rows * what.in_ld * bytes),
                        {bytes, bytes}, moved_bits(what.type.bytes), in, out);
}

verdict verify_cast(machine& where, cast_case const& what, void const* in, void const* out) {
  transpose_case const& moved = what.moved;
  return verify_on_host(
      where, matrices_of(moved, what.is_copy),
      static_cast<std::size_t>(moved.batch * moved.rows * moved.in_ld) * moved.type.bytes,
      {static_cast<index>(moved.type.bytes), static_cast<index>(what.out_type.bytes)},
      cast_values(what), in, out);
}

verdict verify_permute(machine& where, permute_case const& what, void const* in, void const* out) {
  copied_matrices const matrices = matrices_of(what);
  auto const bytes = static_cast<index>(what.type.bytes);
  return verify_on_host(where, matrices, static_cast<std::size_t>(matrices.out_elements * bytes),
                        {bytes, bytes}, moved_bits(what.type.bytes), in, out);
}

}  // namespace xpose::bench
