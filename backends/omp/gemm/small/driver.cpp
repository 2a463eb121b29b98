// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/environment.hpp>
#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/gemm/small/choice.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>
#include <atomic>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Of the active ISA, without a search for it at each call.
environment_setting<small_kernels const*> active_kernels([] {
  return &small_kernels_of(active_isa());
});
/// No more than a kernel's KC, so that sums have the bits of the general driver's.
constexpr index most_k = 256;
/// Of A and B beyond most_small_products. us by the general driver and here, again and from memory:
/// f64 100x100x100 TN 20.7, 16.4 and 41.5, 31.4, 120x120x120 31.3, 27.2 and 46.6, 53.1, 300x64x100
/// 35.3, 30.7 and 54.6, 69.5; with pitches of 16 and 32 KB 128x128x128 of f32 30.6, 19.4, of f64
/// 36.3, 36.1 (Zen 5, 2026-11-29).
constexpr index most_bytes = 256 << 10;
/// Of a matrix times a vector; of the whole batch where several threads would share it. run_gemv()
/// gives fewer, of any type, to one thread.
constexpr index most_gemv_elements = 16 << 10;
/// Of a strip of B's columns that are transposed at a time: an L1 cache holds it.
constexpr index strip_bytes = 32 << 10;

bool is_of_one_type(gemm_request const& r) {
  element_type const type = r.c.type;
  return r.a.type == type && r.b.type == type && r.accumulate == type &&
         r.semiring == semiring_id::plus_times && r.layer == nullptr && !r.alpha_is_zero &&
         r.a.cols > 0;
}

/// Whether a call of products up to small_kernel::most_products has too few for a second thread.
bool is_serial(gemm_request const& r) {
  return static_cast<double>(r.c.rows * r.c.cols * r.a.cols) * static_cast<double>(r.c.batch) <
         static_cast<double>(tuned.gemm_team_products);
}

/// Beyond most_small_products only what one thread multiplies: the general driver shares a matrix
/// between threads.
bool takes(execution const& where, gemm_request const& r, small_kernel const& kernel) {
  index const rows = r.c.rows, cols = r.c.cols, k = r.a.cols;
  index const most =
      std::min(limit_of_small_products.load(std::memory_order_relaxed), kernel.most_products);
  if (k > most_k || rows > most || cols > most || rows * cols * k > most) return false;
  return rows * cols * k <= most_small_products ||
         ((rows + cols) * k * r.c.bytes_per_element <= most_bytes &&
          (is_serial(r) || team_for(where.threads, r.c.batch + 1) == 1));
}

template <element_type Type>
environment_setting<gemm_kernel const*> active_gemv([] {
  return find_gemm_kernel({Type, Type, Type, semiring_id::plus_times});
});
gemm_kernel const* active_gemv_of(element_type type) {
  return type == element_type::f32           ? active_gemv<element_type::f32>.value()
         : type == element_type::f64         ? active_gemv<element_type::f64>.value()
         : type == element_type::complex_f32 ? active_gemv<element_type::complex_f32>.value()
         : type == element_type::complex_f64 ? active_gemv<element_type::complex_f64>.value()
                                             : nullptr;
}

bool is_of_vector(gemm_request const& r) { return r.c.rows == 1 || r.c.cols == 1; }

/// Whether tiles or dots multiply a matrix by a vector faster than a gemv: by extents, strides and
/// instruction set alone, as their bits are others. us by gemv and so, f64: 60x1x58 TT 0.36, 0.19;
/// 1x11x36 TN 0.11, 0.06; 46x1x40 TT 0.17, 0.13. Of a matrix whose rows are contiguous, and few,
/// they are slower: 12x1x40 NN 0.04, 0.08 (Emerald Rapids, 2026-11-30).
bool takes_vector(small_kernel const& kernel, gemm_request const& r) {
  constexpr index most_elements = 64 * 64, least_k = 6, least_rows_along_k = 13;
  if (kernel.multiply_by_columns == nullptr) return false;
  small_operand const a = r.c.cols == 1 ? operand_of<false>(r.a) : operand_of<true>(r.b);
  if (a.rows < 2 || a.cols < 2 || a.rows > most_elements || a.cols > most_k_by_columns ||
      a.rows * a.cols > most_elements)
    return false;
  return gemv_goes_by_rows(a.rows, a.cols, a.row_stride, a.col_stride, 1)
             ? a.rows >= least_rows_along_k
             : a.cols >= least_k;
}

[[gnu::noinline]] bool run_small_gemv(execution const& where, gemm_request const& r) {
  small_gemv chosen;
  if (!choose_small_gemv(where, r, chosen)) return false;
  if (explain_only(where, "gemv_small")) return true;
  gemv_args args = chosen.first;
  for (index n = 0; n < r.c.batch; ++n) {
    chosen.multiply(args);
    args.matrix += chosen.matrix_batch_step;
    args.vector += chosen.vector_batch_step;
    args.accumulators += chosen.c_batch_step;
  }
  return true;
}

small_product matrix(small_batch const& s, index n) {
  small_product p = s.first;
  p.a += n * s.a_batch_step;
  p.b += n * s.b_batch_step;
  p.c += n * s.c_batch_step;
  return p;
}

/// What the matrices of a thread need besides the operands. Scratch holds rows of C, then a strip
/// of rows of B, then what a transpose needs.
class small_call {
 public:
  small_call(small_batch const& matrices, small_kernel const& kernel_of_type, index bytes)
      : batch(matrices), kernel(kernel_of_type), bytes_per_element(bytes) {
    if (!batch.needs_scratch()) return;
    transpose_matrix_ = active_simd_kernels().transposes_for(bytes).transpose;
    small_product const& p = batch.first;
    if (batch.transposes_c) {
      c_pitch = pitch_of(p.cols);
      c_bytes = p.rows * c_pitch;
    }
    if (batch.transposes_b) {
      index const unit = 3 * kernel.vector_cols;  // as the kernel takes them
      index const units = quotient(strip_bytes, p.k_extent * bytes * unit);
      cols_at_once = std::min(p.cols, std::max<index>(1, units) * unit);
      b_pitch = pitch_of(cols_at_once);
    }
    rows_bytes_ = c_bytes + p.k_extent * b_pitch;
  }

  index scratch_bytes() const {
    return transpose_matrix_ == nullptr ? 0 : rows_bytes_ + transpose_workspace_bytes;
  }
  /// in: height x width, out: width x height.
  void transpose(char const* in, index in_pitch, char* out, index out_pitch, index width,
                 index height, char* scratch) const {
    transpose_matrix_({in, in_pitch, out, out_pitch, width, height}, store_mode::cached,
                      scratch + rows_bytes_);
  }

  small_batch const& batch;
  small_kernel const& kernel;
  index const bytes_per_element;
  index c_pitch = 0;
  index c_bytes = 0;
  index cols_at_once = 0;  // of B
  index b_pitch = 0;

 private:
  /// Whole cache lines, and not all in the same set.
  index pitch_of(index cols) const {
    index const lines = ceil_div(cols * bytes_per_element, 64);
    return (lines % 32 == 0 ? lines + 1 : lines) * 64;
  }

  simd_transpose transpose_matrix_ = nullptr;
  index rows_bytes_ = 0;
};

/// B with contiguous columns: a strip of them after the other.
void multiply_by_strips(small_call const& call, small_product const& all, char* scratch) {
  small_product p = all;
  p.b = scratch + call.c_bytes;
  p.b_k_step = call.b_pitch;
  for (index first = 0; first < all.cols; first += call.cols_at_once) {
    p.cols = std::min(call.cols_at_once, all.cols - first);
    p.c = all.c + first * call.bytes_per_element;
    call.transpose(all.b + first * all.b_k_step, all.b_k_step, scratch + call.c_bytes, p.b_k_step,
                   p.k_extent, p.cols, scratch);
    call.kernel.multiply(p);
  }
}

/// C with contiguous columns.
void multiply_transposed(small_call const& call, small_product const& all, char* scratch) {
  small_product p = all;
  p.c = scratch;
  p.c_step = call.c_pitch;
  if (p.beta != nullptr) call.transpose(all.c, all.c_step, p.c, p.c_step, p.rows, p.cols, scratch);
  if (call.batch.transposes_b) multiply_by_strips(call, p, scratch);
  else call.kernel.multiply(p);
  call.transpose(p.c, p.c_step, all.c, all.c_step, p.cols, p.rows, scratch);
}

/// Matrices of one tile each: of batches of 100 and 1000, 4 cubed of f32 takes 10 ns, by the kernel
/// 18; of f64 10, 18; of f32 8 cubed 24, 33; 3x16x2 7, 18; 6x14x20 49, 57 (Zen 3, 2026-11-30).
void multiply_tiles(small_batch const& s, small_tile_function tile, range own) {
  small_product const p = matrix(s, own.first);
  small_tile t{p.a, p.b, p.c, p.cols, p.b_k_step, p.c_step};
  for (index n = own.first; n < own.end; ++n) {
    tile(p, t);
    t.a += s.a_batch_step;
    t.b += s.b_batch_step;
    t.c += s.c_batch_step;
  }
}

void multiply(small_call const& call, range own, char* scratch) {
  if (small_tile_function const tile = only_tile_of(call.batch, call.kernel))
    return multiply_tiles(call.batch, tile, own);
  for (index n = own.first; n < own.end; ++n) {
    small_product const p = matrix(call.batch, n);
    if (!call.batch.needs_scratch()) multiply_directly(call.batch, call.kernel, p);
    else if (call.batch.transposes_c) multiply_transposed(call, p, scratch);
    else multiply_by_strips(call, p, scratch);
  }
}

}  // namespace

bool choose_small_gemv(execution const& where, gemm_request const& r, small_gemv& chosen) {
  if (!is_of_vector(r) || !is_of_one_type(r) || !r.alpha_is_one || !r.beta_is_zero) return false;
  bool const is_exchanged = r.c.cols != 1;
  auto const [a, x, y] = is_exchanged ? operands_of<true>(r) : operands_of<false>(r);
  bool const has_rows = gemv_goes_by_rows(a.rows, a.cols, a.row_stride, a.col_stride, 1);
  bool const is_contiguous = (has_rows || a.row_stride == 1) &&
                             (x.row_stride == 1 || x.rows == 1) &&
                             (y.row_stride == 1 || y.rows == 1);
  index const most =
      std::min(limit_of_small_products.load(std::memory_order_relaxed), most_gemv_elements);
  // In a batch, the sums of a larger matrix may be parts in run_gemv().
  bool const is_one_chain =
      static_cast<double>(a.rows * a.cols * r.c.bytes_per_element) < gemm_tuning.serial_gemv_bytes;
  bool const is_small = a.rows <= most && a.cols <= most && a.rows * a.cols <= most &&
                        (r.c.batch <= quotient(most, a.rows * a.cols) ||
                         (is_one_chain && team_for(where.threads, r.c.batch) == 1));
  gemm_kernel const* const kernel = active_gemv_of(r.c.type);
  if (!is_small || !is_contiguous || !has_countable_strides(a) || !has_countable_strides(x) ||
      !has_countable_strides(y) || kernel == nullptr || kernel->gemv_rows == nullptr)
    return false;
  index const bytes = r.c.bytes_per_element;
  chosen = {{a.data, (has_rows ? a.row_stride : a.col_stride) * bytes, a.rows, x.data, a.cols,
             const_cast<char*>(y.data), a.conjugated, x.conjugated},
            has_rows ? kernel->gemv_rows : kernel->gemv_columns,
            a.batch_stride * bytes,
            x.batch_stride * bytes,
            y.batch_stride * bytes,
            is_exchanged};
  return true;
}

small_kernel const* choose_small_kernel(execution const& where, gemm_request const& r,
                                        small_batch& batch) {
  if (!is_of_one_type(r)) return nullptr;
  small_kernel const* const kernel = active_kernels.value()->of(r.c.type);
  bool const is_taken = kernel != nullptr && (!is_of_vector(r) || takes_vector(*kernel, r)) &&
                        takes(where, r, *kernel) && choose(r, *kernel, batch);
  // By scratch, a gemv is faster.
  bool const is_better_by_gemv = is_taken && is_of_vector(r) && batch.needs_scratch();
  return is_taken && !is_better_by_gemv ? kernel : nullptr;
}

void limit_small_products(index most) {
  limit_of_small_products.store(most, std::memory_order_relaxed);
}

bool run_small_gemm(execution const& where, gemm_request const& r) {
  small_batch batch;
  small_kernel const* const kernel = choose_small_kernel(where, r, batch);
  if (kernel == nullptr) return run_small_gemv(where, r);
  if (explain_only(where, kernel->name)) return true;

  if (r.c.batch == 1 && !batch.needs_scratch()) {
    multiply_directly(batch, *kernel, batch.first);
    remember_small_gemm(where, r, batch, *kernel);
    return true;
  }

  range const all{0, r.c.batch};
  int const team = is_serial(r) ? 1 : team_size(where.threads, all.end);
  small_call const call(batch, *kernel, r.c.bytes_per_element);
  index const own_bytes = call.scratch_bytes();
  workspace const memory(team * own_bytes, team);
  parallel_for(team, team,
               [&](index n) { multiply(call, all.part(team, n), memory.data() + n * own_bytes); });
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
