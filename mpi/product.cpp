// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm: ScaLAPACK's p?gemm, or on devices cuBLASMp's, on the local matrices as they are. Both know
// column-major local matrices; where C is row-major, C^T = B^T A^T is computed on the transposed
// grid, whose local matrices are the same memory read column-major.
#include "product.hpp"
#include "move.hpp"
#include "nccl_watch.hpp"
#include "operand_rules.hpp"
#include "product_operand.hpp"
#include "resolved_call.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>
#include <xpose/mpi.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr dist_operation op = dist_operation::gemm;

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

constexpr product_type product_types[] = {
    {element_type::f32, "psgemm", &scalapack_functions::psgemm, cublasmp_f32, is_zero_as<float>},
    {element_type::f64, "pdgemm", &scalapack_functions::pdgemm, cublasmp_f64, is_zero_as<double>},
    {element_type::complex_f32, "pcgemm", &scalapack_functions::pcgemm, cublasmp_complex_f32,
     is_complex_zero_as<float>},
    {element_type::complex_f64, "pzgemm", &scalapack_functions::pzgemm, cublasmp_complex_f64,
     is_complex_zero_as<double>},
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
  check_input(op, "A", where, local_operand(p.a, rank));
  check_input(op, "B", where, local_operand(p.b, rank));
  check_output(op, "C", where, local_c);
}

/// Throws what p?gemm would have against the product.
void check_pgemm(dist_product const& p, int rank) {
  check_32_bits("A", p.a, rank);
  check_32_bits("B", p.b, rank);
  check_32_bits("C", p.c, rank);
  find_scalapack();
}

/// How the processes multiply, and what is in the way of cuBLASMp: on processors p?gemm is no
/// second choice, and nobody asks.
struct product_way {
  bool is_on_devices;
  char const* obstacle;  // empty: cuBLASMp
  nccl_use nccl;

  bool by_cublasmp() const { return is_on_devices && *obstacle == '\0'; }
};

void explain_product(dist_product const& p, product_way const& way, explanation_text& text) {
  process_grid const& grid = p.c.layout.grid;
  bool const by_cublasmp = way.by_cublasmp();
  write_text(text.backend, sizeof(text.backend), "mpi");
  write_text(text.kernel, sizeof(text.kernel), by_cublasmp ? "cublasMpGemm" : type_of(p.c).name);
  write_text(text.reason, sizeof(text.reason),
             message("of ", by_cublasmp ? find_cublasmp()->from : find_scalapack().from,
                     ", on a grid of ", grid.rows, 'x', grid.cols,
                     way.is_on_devices && !by_cublasmp
                         ? message(", through memory of the host; not cuBLASMp: ", way.obstacle)
                         : std::string()));
}

/// What keeps this process from cuBLASMp.
nccl_use use_of_cublasmp(dist_execution const& where) {
  if (where.device == nullptr) return nccl_use::no_device;
  if (find_cublasmp() == nullptr) return nccl_use::not_found;
  if (where.state->cublasmp.has_failed()) return nccl_use::failed;
  return where.state->nccl.use_of(where.device->device());
}

char const* obstacle_in(dist_product const& p, nccl_use use, int processes) {
  if (use == nccl_use::not_found && find_cublasmp() == nullptr) return why_no_cublasmp();
  if (use == nccl_use::not_found && find_nccl() != nullptr)
    return "another process did not find it, or NCCL";
  char const* const of_nccl = obstacle_of(use);
  return *of_nccl != '\0' ? of_nccl : cublasmp_obstacle(p, processes);
}

/// Throws on all processes if p?gemm is needed, and one process has something against it.
void settle_pgemm(dist_execution const& where, product_way const& way, refusal own) {
  if (own.kind != error_kind::none)
    own.text = message("gemm: no cuBLASMp: ", way.obstacle, "; ", own.text);
  agreement agreed(where, op);
  agreed.settle(own);
}

void multiply(dist_execution const& where, dist_product const& p, product_way way,
              refusal const& pgemm) {
  if (way.by_cublasmp()) {
    if (multiply_by_cublasmp(where, p, way.nccl)) return;
    way.obstacle = "it could not start";
    settle_pgemm(where, way, pgemm);
  }
  multiply_by_pgemm(where, p, way.is_on_devices);
}

/// C = beta C: cuBLASMp's header says of neither case what is read.
bool is_scaling(dist_product const& p) {
  return p.a.layout.cols == 0 || type_of(p.c).is_zero(p.alpha);
}

void explain_scaling(explanation_text& text) {
  write_text(text.backend, sizeof(text.backend), "mpi");
  write_text(text.kernel, sizeof(text.kernel), "local");
  write_text(text.reason, sizeof(text.reason), "k is 0: every process multiplies C by beta");
}

/// By the local policy's gemm with k = 0.
void scale(dist_execution const& where, dist_operand const& of_c, void const* alpha,
           void const* beta) {
  operand const c = local_operand(of_c, where.state->rank);
  operand a = c;
  a.data = nullptr;
  a.cols = 0;
  operand b = c;
  b.data = nullptr;
  b.rows = 0;
  refusal const own = refusal_of([&] {
    run_gemm(where.local, {a, b, c, c.type, semiring_id::plus_times, alpha, beta, false, true,
                           type_of(of_c).is_zero(beta), gemm_precision::full});
  });
  if (where.device != nullptr) where.device->finish();
  agreement agreed(where, op);
  agreed.settle(own);
}

index bits_of(dist_product const& p) {
  auto const bytes = static_cast<std::size_t>(p.c.bytes_per_element);
  unsigned char scalars[32] = {};
  std::copy_n(static_cast<unsigned char const*>(p.alpha), bytes, scalars);
  std::copy_n(static_cast<unsigned char const*>(p.beta), bytes, scalars + 16);
  return static_cast<index>(digest_of_bytes(scalars, sizeof(scalars)));
}

}  // namespace

product_type const& type_of(dist_operand const& o) {
  for (product_type const& t : product_types)
    if (t.type == o.type) return t;
  refuse<backend_error>("gemm: p?gemm has no such element type");
}

void run_dist_product(dist_execution const& given, dist_product const& p) {
  resolved_call call(given, op);
  dist_execution const& where = call.where;
  refusal pgemm;
  refusal own = refusal_of([&] {
    call.resolve();
    check_product(where, p);
    pgemm = refusal_of([&] { check_pgemm(p, where.state->rank); });
  });
  if (where.device == nullptr && own.kind == error_kind::none) own = pgemm;
  agreement agreed(where, op);
  agreed.same_layout("A", p.a.layout);
  agreed.same_layout("B", p.b.layout);
  agreed.same_layout("C", p.c.layout);
  agreed.same("C", "the number of its element type", static_cast<index>(p.c.type));
  agreed.same("the call", "bits of alpha and beta", bits_of(p));
  int const by_rows = agreed.largest(is_by_rows(local_operand(p.c, where.state->rank)));
  int const devices = agreed.largest(where.device != nullptr);
  int const use = agreed.largest(static_cast<index>(use_of_cublasmp(where)));
  agreed.settle(own);

  bool const flips = agreed.result(by_rows) != 0;
  dist_product const product =
      flips ? dist_product{transposed(p.b), transposed(p.a), transposed(p.c), p.alpha, p.beta} : p;
  product_way way{agreed.result(devices) != 0, "", nccl_use::no_device};
  if (way.is_on_devices && is_scaling(p)) {
    if (given.explained != nullptr) return explain_scaling(*given.explained);
    return scale(where, p.c, p.alpha, p.beta);
  }
  if (way.is_on_devices) {
    way.nccl = settle_nccl(where, static_cast<nccl_use>(agreed.result(use)));
    way.obstacle = obstacle_in(product, way.nccl, where.state->size);
    if (!way.by_cublasmp()) settle_pgemm(where, way, pgemm);
  }
  if (given.explained != nullptr) return explain_product(p, way, *given.explained);
  if (p.c.layout.rows == 0 || p.c.layout.cols == 0) return;
  multiply(where, product, way, pgemm);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
