// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Complex gemm by three real products where four are usual (Gauss; as gemm, Higham, "Stability of a
// method for multiplying complex matrices with three real matrix multiplications", 1992):
//
//   T0 = Re A Re B     T1 = Im A Im B     T2 = (Re A + Im A)(Re B + Im B)
//   A B = T0 - T1 + i (T2 - T0 - T1)
//
// A kernel writes three real planes of A and of B, the real kernels multiply them as a batch of
// three, another kernel adds them up. Each pass keeps to the order in which its matrix lies in
// memory.

#include <xpose/backends/cuda/gemm/config/costs.hpp>
#include <xpose/backends/cuda/gemm/config/table.hpp>
#include <xpose/backends/cuda/gemm/three_products.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

#include <xpose/backends/core/problems/gemm_problem.hpp>

#include <cmath>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr int products = 3;
constexpr int pass_threads = 256;

/// A strided matrix, line by line: along the dimension in which it is contiguous, or nearly.
template <class T>
struct lines_of_matrix {
  T* data;
  index lines, length;
  index line_stride, stride;
};
template <class T>
lines_of_matrix<T> lines_of(T* data, operand const& o) {
  bool const by_rows = std::llabs(o.col_stride) <= std::llabs(o.row_stride);
  return by_rows ? lines_of_matrix<T>{data, o.rows, o.cols, o.row_stride, o.col_stride}
                 : lines_of_matrix<T>{data, o.cols, o.rows, o.col_stride, o.row_stride};
}

/// Three real matrices in the order of a complex one, rows (or columns) at multiples of 32 bytes.
template <class R>
struct real_planes {
  R* data;
  index pitch, plane;

  real_planes(void* memory, operand const& o) : data(static_cast<R*>(memory)) {
    constexpr index unit = 32 / sizeof(R);
    auto const lines = lines_of(data, o);
    pitch = ceil_div(lines.length, unit) * unit;
    plane = pitch * lines.lines;
  }
  index bytes() const { return products * plane * index{sizeof(R)}; }
  /// As a batch.
  operand batch_of(operand const& o) const {
    bool const by_rows = std::llabs(o.col_stride) <= std::llabs(o.row_stride);
    return {data,
            products,
            o.rows,
            o.cols,
            plane,
            by_rows ? pitch : 1,
            by_rows ? 1 : pitch,
            sizeof(R),
            alignof(R),
            element_type_of<R>(),
            false};
  }
};

/// visit(line, position in it) for a matrix's elements, by all threads of a grid.
template <class T, class Visit>
__device__ void for_each_element(lines_of_matrix<T> const& m, Visit const& visit) {
  index const blocks_of_line = (m.length + pass_threads - 1) / pass_threads;
  for (index block = blockIdx.x; block < m.lines * blocks_of_line; block += gridDim.x) {
    index const line = block / blocks_of_line;
    index const at = (block - line * blocks_of_line) * pass_threads + threadIdx.x;
    if (at < m.length) visit(line, at);
  }
}

template <class R>
__global__ void __launch_bounds__(pass_threads)
    split_complex(lines_of_matrix<complex_value<R> const> in, bool conjugates,
                  real_planes<R> const out) {
  pdl_wait();
  for_each_element(in, [&](index line, index at) {
    complex_value<R> const x = in.data[line * in.line_stride + at * in.stride];
    R const im = conjugates ? -x.im : x.im;
    R* const to = out.data + line * out.pitch + at;
    to[0] = x.re;
    to[out.plane] = im;
    to[2 * out.plane] = x.re + im;
  });
}

template <class R>
struct complex_scalars {
  complex_value<R> alpha, beta;
  bool alpha_is_one, beta_is_zero;
};

template <class R>
__global__ void __launch_bounds__(pass_threads)
    add_products(real_planes<R> const in, complex_scalars<R> const scalars,
                 lines_of_matrix<complex_value<R>> out) {
  pdl_wait();
  for_each_element(out, [&](index line, index at) {
    R const* const from = in.data + line * in.pitch + at;
    R const t0 = from[0];
    R const t1 = from[in.plane];
    complex_value<R> x{t0 - t1, from[2 * in.plane] - t0 - t1};
    complex_value<R>& c = out.data[line * out.line_stride + at * out.stride];
    if (!scalars.alpha_is_one) x = scalars.alpha * x;
    if (!scalars.beta_is_zero) x = x + scalars.beta * c;
    c = x;
  });
}

template <class R>
operand matrix_of_batch(operand o, index number) {
  o.data = static_cast<complex_value<R> const*>(o.data) + number * o.batch_stride;
  o.batch = 1;
  return o;
}

template <class R>
index blocks_of_pass(operand const& o) {
  constexpr index most = 1 << 20;
  auto const lines = lines_of(static_cast<R const*>(nullptr), o);
  return std::min(most, lines.lines * ceil_div(lines.length, pass_threads));
}

template <class R>
void split(execution const& where, operand const& o, real_planes<R> const& planes) {
  using K = complex_value<R>;
  launch_pdl(where, 1, blocks_of_pass<R>(o), pass_threads, 0, "split_complex", split_complex<R>,
             lines_of(static_cast<K const*>(o.data), o), o.conjugated, planes);
}

template <class R>
void multiply(execution const& where, gemm_request const& r,
              void (*run)(execution const&, gemm_request const&)) {
  using K = complex_value<R>;
  auto const bytes_of = [](operand const& o) { return real_planes<R>(nullptr, o).bytes(); };
  // Memory that the policy brings must not be given back before the work is done.
  execution of_products = where;
  of_products.nosync = where.nosync || !brings_memory(where, backend_id::cuda);
  stream_workspace const workspace(where, bytes_of(r.a) + bytes_of(r.b) + bytes_of(r.c));
  auto* const memory = static_cast<unsigned char*>(workspace.data());
  real_planes<R> const a(memory, r.a);
  real_planes<R> const b(memory + a.bytes(), r.b);
  real_planes<R> const c(memory + a.bytes() + b.bytes(), r.c);
  R const one = 1;
  R const zero = 0;
  gemm_request real{a.batch_of(r.a),
                    b.batch_of(r.b),
                    c.batch_of(r.c),
                    element_type_of<R>(),
                    semiring_id::plus_times,
                    &one,
                    &zero,
                    true,
                    false,
                    true,
                    gemm_precision::full};
  complex_scalars<R> const scalars{*static_cast<K const*>(r.alpha), *static_cast<K const*>(r.beta),
                                   r.alpha_is_one, r.beta_is_zero};
  for (index number = 0; number < r.c.batch; ++number) {
    split(where, matrix_of_batch<R>(r.a, number), a);
    split(where, matrix_of_batch<R>(r.b, number), b);
    run(of_products, real);
    operand const of_c = matrix_of_batch<R>(r.c, number);
    launch_pdl(where, 1, blocks_of_pass<R>(of_c), pass_threads, 0, "add_products", add_products<R>,
               c, scalars, lines_of(const_cast<K*>(static_cast<K const*>(of_c.data)), of_c));
  }
}

/// What the cost model expects of a batch of products of a table. Planes begin at sectors, so that
/// loads of doubles are wide in both orders; SIMT's are along the rows and columns of C.
template <class Table>
double cycles_by(gemm_request const& r, index batch, int bytes, gemm_rates const& rates) {
  device_properties const device = properties_of_device();
  gemm_gpu gpu{device.multiprocessors, device.capability, device.shared_bytes};
  gpu.rates = rates;
  gemm_extents extents{batch, r.c.rows, r.c.cols, r.a.cols, bytes,      bytes,
                       bytes, bytes,    true,     false,    {0, false}, {-1, false}};
  bool const has_simt_tiles = Table::configs[0].kind == gemm_kernel_kind::simt;
  auto const is_along = [](index stride, index other) {
    return std::llabs(stride) < std::llabs(other);
  };
  extents.a_loads_wide = !has_simt_tiles || is_along(r.a.row_stride, r.a.col_stride);
  extents.b_loads_wide = !has_simt_tiles || is_along(r.b.col_stride, r.b.row_stride);
  return choose_gemm_config(Table::configs, static_cast<int>(std::size(Table::configs)), extents,
                            gpu)
      .cycles;
}

template <class R, class ComplexTable, class RealTable>
bool pays(gemm_request const& r) {
  constexpr index most_bytes = index{4} << 30;
  constexpr double of_pass = 4000;  // a launch, and its first and last bytes
  auto const elements = [](operand const& o) { return o.rows * o.cols; };
  constexpr index most_elements = most_bytes / (products * index{sizeof(R)});
  for (operand const* o : {&r.a, &r.b, &r.c})
    if (o->rows > most_elements / o->cols) return false;
  index const all = elements(r.a) + elements(r.b) + elements(r.c);
  if (all > most_elements) return false;
  gemm_rates const rates = gemm_rates_of_device();
  double const of_passes = 3 * of_pass + static_cast<double>(all) * (2 + products) * sizeof(R) /
                                             (hopper_gemm_costs.memory_bytes * rates.memory);
  double const by_four = cycles_by<ComplexTable>(r, 1, 2 * sizeof(R), rates);
  double const by_three = cycles_by<RealTable>(r, products, sizeof(R), rates);
  return by_four >= 0 && by_three >= 0 && by_three + of_passes < by_four;
}

bool is_all_of(gemm_request const& r, element_type type) {
  return r.a.type == type && r.b.type == type && r.c.type == type && r.accumulate == type;
}

}  // namespace

bool pays_three_products(gemm_request const& r) {
  if (r.precision != gemm_precision::three_products || r.semiring != semiring_id::plus_times ||
      r.alpha_is_zero || r.a.cols == 0)
    return false;
  if (is_all_of(r, element_type_of<complex_value<float>>()))
    return pays<float, c64_configs, f32_configs>(r);
  return is_all_of(r, element_type_of<complex_value<double>>()) &&
         pays<double, c128_configs, f64_configs>(r);
}

void cuda_three_products(execution const& where, gemm_request const& r,
                         void (*run)(execution const& where, gemm_request const& r)) {
  if (explain_only(where, "three_products")) return;
  if (r.accumulate == element_type_of<complex_value<float>>()) multiply<float>(where, r, run);
  else multiply<double>(where, r, run);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
