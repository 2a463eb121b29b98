// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm: ScaLAPACK's p?gemm on the local matrices as they are. p?gemm knows column-major local
// matrices; where C is row-major, C^T = B^T A^T is computed on the transposed grid, whose local
// matrices are the same memory read column-major.
#include "agreement.hpp"
#include "messages.hpp"
#include "move.hpp"
#include "operand_rules.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>
#include <xpose/mpi.hpp>

#include <algorithm>
#include <limits>

namespace xpose::detail {
namespace {

constexpr dist_operation op = dist_operation::gemm;

bool is_same_grid(process_grid const& a, process_grid const& b) {
  bool const is_line = a.rows == 1 || a.cols == 1;
  return a.rows == b.rows && a.cols == b.cols && (is_line || a.ranks == b.ranks);
}

void check_grid(char const* name, process_grid const& grid, process_grid const& c) {
  if (is_same_grid(grid, c) || is_same_grid(grid.transposed(), c)) return;
  auto const text = [](process_grid const& g) {
    return message(g.rows, 'x', g.cols, g.ranks == row_major ? "" : " column-major");
  };
  refuse<layout_error>("gemm: ", name, " is on a ", text(grid), " grid, C on a ", text(c),
                       " grid; p?gemm takes operands on C's grid, or transposed ones on its "
                       "transpose: redistribute it first");
}

void check_32_bits(char const* name, dist_operand const& o, int rank) {
  constexpr index most = std::numeric_limits<int>::max();
  operand const local = local_operand(o, rank);
  index const ld = std::max(std::abs(local.row_stride), std::abs(local.col_stride));
  bool const fits = o.layout.rows <= most && o.layout.cols <= most && ld <= most &&
                    (local.cols == 0 || local.rows <= most / local.cols);
  if (!fits)
    refuse<backend_error>("gemm: ", name, " is ", o.layout.rows, 'x', o.layout.cols, ", here ",
                          local.rows, 'x', local.cols, " with a leading dimension of up to ", ld,
                          "; p?gemm counts elements in 32 bits");
}

template <class T>
bool is_zero_as(void const* scalar) {
  auto const* const parts = static_cast<T const*>(scalar);
  return parts[0] == T(0);
}
template <class T>
bool is_complex_zero_as(void const* scalar) {
  auto const* const parts = static_cast<T const*>(scalar);
  return parts[0] == T(0) && parts[1] == T(0);
}

/// What differs between the types.
struct product_type {
  element_type type;
  char const* name;
  pgemm_function scalapack_functions::*function;
  bool (*is_zero)(void const* scalar);
};
constexpr product_type product_types[] = {
    {element_type::f32, "psgemm", &scalapack_functions::psgemm, is_zero_as<float>},
    {element_type::f64, "pdgemm", &scalapack_functions::pdgemm, is_zero_as<double>},
    {element_type::complex_f32, "pcgemm", &scalapack_functions::pcgemm, is_complex_zero_as<float>},
    {element_type::complex_f64, "pzgemm", &scalapack_functions::pzgemm, is_complex_zero_as<double>},
};

product_type const& type_of(dist_operand const& o) {
  for (product_type const& t : product_types)
    if (t.type == o.type) return t;
  refuse<backend_error>("gemm: p?gemm has no such element type");
}

/// An operand as p?gemm takes it.
class pgemm_operand {
 public:
  pgemm_operand(dist_operand const& o, process_grid const& grid, int rank)
      : is_transposed_(!is_same_grid(o.layout.grid, grid)),
        given_(is_transposed_ ? transposed(o) : o),
        local_(local_operand(given_, rank)) {}

  bool is_direct() const {
    bool const has_stride =
        local_.cols <= 1 || local_.col_stride >= std::max<index>(local_.rows, 1);
    return is_empty(local_) || ((local_.rows == 1 || local_.row_stride == 1) && has_stride);
  }
  void take_memory() {
    if (!is_direct())
      memory_ = message_memory(local_.rows * local_.cols * local_.bytes_per_element);
  }
  void copy_in(execution const& where) const {
    if (!is_direct()) copy(where, local_, packed());
  }
  void copy_out(execution const& where) const {
    if (!is_direct()) copy(where, packed(), local_);
  }
  void* data() const { return const_cast<void*>(is_direct() ? local_.data : packed().data); }
  char op_letter() const { return is_transposed_ ? 'T' : 'N'; }

  struct descriptor {
    int fields[9];
  };
  descriptor descriptor_in(int context) const {
    dist_layout const& l = given_.layout;
    auto const block = [](index given, index extent) {
      return static_cast<int>(std::min(given, std::max<index>(extent, 1)));
    };
    index const ld = is_direct() && local_.cols > 1 ? local_.col_stride : local_.rows;
    return {{1, context, static_cast<int>(l.rows), static_cast<int>(l.cols),
             block(l.block_rows, l.rows), block(l.block_cols, l.cols), l.first_row, l.first_col,
             static_cast<int>(std::max<index>(ld, 1))}};
  }

 private:
  operand packed() const {
    operand o = local_;
    o.data = memory_.data();
    o.row_stride = 1;
    o.col_stride = local_.rows;
    return o;
  }
  static void copy(execution const& where, operand const& from, operand const& to) {
    copy_without_fail(
        where, {operation::copy, as_tensor(from), as_tensor(to), element_function::copy_bits});
  }

  bool is_transposed_;
  dist_operand given_;
  operand local_;
  message_memory memory_;
};

void check_product(dist_execution const& where, dist_product const& p) {
  dist_layout const& a = p.a.layout;
  dist_layout const& b = p.b.layout;
  dist_layout const& c = p.c.layout;
  struct {
    char const* name;
    dist_operand const& operand;
  } const all[] = {{"A", p.a}, {"B", p.b}, {"C", p.c}};
  for (auto const& [name, o] : all) check_operand(op, name, o, *where.state);
  check_extents(op, "B", b, a.cols, b.cols);
  check_extents(op, "C", c, a.rows, b.cols);
  check_grid("A", a.grid, c.grid);
  check_grid("B", b.grid, c.grid);
  int const rank = where.state->rank;
  operand const local_c = local_operand(p.c, rank);
  check_apart(op, "C", local_c, "A", local_operand(p.a, rank));
  check_apart(op, "C", local_c, "B", local_operand(p.b, rank));
  check_input(op, "A", where.local, local_operand(p.a, rank));
  check_input(op, "B", where.local, local_operand(p.b, rank));
  check_output(op, "C", where.local, local_c);
  for (auto const& [name, o] : all) check_32_bits(name, o, rank);
  find_scalapack();
}

void multiply(dist_execution const& where, dist_product const& p) {
  mpi_state& state = *where.state;
  process_grid const grid = p.c.layout.grid;
  pgemm_operand a(p.a, grid, state.rank);
  pgemm_operand b(p.b, grid, state.rank);
  pgemm_operand c(p.c, grid, state.rank);
  agreement memory(where, op);
  memory.settle(refusal_of([&] {
    a.take_memory();
    b.take_memory();
    c.take_memory();
    state.grids.take_memory(grid);
  }));
  scalapack_functions const& scalapack = find_scalapack();
  int const context = state.grids.context_of(scalapack, state.communicator, grid);
  if (context < 0) return;
  product_type const& type = type_of(p.c);
  if (!type.is_zero(p.alpha)) {
    a.copy_in(where.local);
    b.copy_in(where.local);
  }
  if (!type.is_zero(p.beta)) c.copy_in(where.local);
  int const m = static_cast<int>(p.c.layout.rows);
  int const n = static_cast<int>(p.c.layout.cols);
  int const k = static_cast<int>(p.a.layout.cols);
  int const one = 1;
  char const op_a = a.op_letter();
  char const op_b = b.op_letter();
  (scalapack.*type.function)(&op_a, &op_b, &m, &n, &k, p.alpha, a.data(), &one, &one,
                             a.descriptor_in(context).fields, b.data(), &one, &one,
                             b.descriptor_in(context).fields, p.beta, c.data(), &one, &one,
                             c.descriptor_in(context).fields);
  c.copy_out(where.local);
}

void explain_product(dist_product const& p, explanation_text& text) {
  process_grid const& grid = p.c.layout.grid;
  write_text(text.backend, sizeof(text.backend), "mpi");
  write_text(text.kernel, sizeof(text.kernel), type_of(p.c).name);
  write_text(text.reason, sizeof(text.reason),
             message("of ", find_scalapack().from, ", on a grid of ", grid.rows, 'x', grid.cols));
}

index bits_of(dist_product const& p) {
  auto const bytes = static_cast<std::size_t>(p.c.bytes_per_element);
  unsigned char scalars[32] = {};
  std::copy_n(static_cast<unsigned char const*>(p.alpha), bytes, scalars);
  std::copy_n(static_cast<unsigned char const*>(p.beta), bytes, scalars + 16);
  return static_cast<index>(digest_of_bytes(scalars, sizeof(scalars)));
}

}  // namespace

void run_dist_product(dist_execution const& where, dist_product const& p) {
  refusal const own = refusal_of([&] { check_product(where, p); });
  agreement agreed(where, op);
  agreed.same_layout("A", p.a.layout);
  agreed.same_layout("B", p.b.layout);
  agreed.same_layout("C", p.c.layout);
  agreed.same("C", "the number of its element type", static_cast<index>(p.c.type));
  agreed.same("the call", "bits of alpha and beta", bits_of(p));
  int const by_rows = agreed.largest(is_by_rows(local_operand(p.c, where.state->rank)));
  agreed.settle(own);
  if (where.explained != nullptr) return explain_product(p, *where.explained);
  if (p.c.layout.rows == 0 || p.c.layout.cols == 0) return;
  bool const flips = agreed.result(by_rows) != 0;
  multiply(
      where,
      flips ? dist_product{transposed(p.b), transposed(p.a), transposed(p.c), p.alpha, p.beta} : p);
}

}  // namespace xpose::detail
