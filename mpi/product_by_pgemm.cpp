// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "product.hpp"
#include "product_operand.hpp"
#include "resolved_call.hpp"

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct descriptor {
  int fields[9];
};

descriptor describe(product_operand const& o, int context) {
  dist_layout const& l = o.layout();
  return {{1, context, static_cast<int>(l.rows), static_cast<int>(l.cols),
           static_cast<int>(l.block_rows), static_cast<int>(l.block_cols), l.first_row, l.first_col,
           static_cast<int>(o.leading_dimension())}};
}

char letter_of(product_operand const& o) { return o.is_transposed() ? 'T' : 'N'; }

}  // namespace

void multiply_by_pgemm(dist_execution const& where, dist_product const& p, bool on_devices) {
  constexpr dist_operation op = dist_operation::gemm;
  mpi_state& state = *where.state;
  process_grid const grid = p.c.layout.grid;
  product_operand a(p.a, grid, where, product_memory::host);
  product_operand b(p.b, grid, where, product_memory::host);
  product_operand c(p.c, grid, where, product_memory::host);
  agreement memory(where, op);
  memory.settle(refusal_of([&] {
    a.take_memory();
    b.take_memory();
    c.take_memory();
    state.grids.take_memory(grid);
  }));
  scalapack_functions const& scalapack = find_scalapack();
  int const context = state.grids.context_of(scalapack, state.communicator, grid);
  if (context >= 0) {
    product_type const& type = type_of(p.c);
    if (!type.is_zero(p.alpha)) {
      a.copy_in();
      b.copy_in();
    }
    if (!type.is_zero(p.beta)) c.copy_in();
    int const m = static_cast<int>(p.c.layout.rows);
    int const n = static_cast<int>(p.c.layout.cols);
    int const k = static_cast<int>(p.a.layout.cols);
    int const one = 1;
    char const op_a = letter_of(a);
    char const op_b = letter_of(b);
    (scalapack.*type.function)(&op_a, &op_b, &m, &n, &k, p.alpha, a.data(), &one, &one,
                               describe(a, context).fields, b.data(), &one, &one,
                               describe(b, context).fields, p.beta, c.data(), &one, &one,
                               describe(c, context).fields);
    c.copy_out();
  }
  settle_devices(where, op, on_devices);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
