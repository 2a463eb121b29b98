// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/gemm/small/small.hpp>
#include <xpose/backends/omp/runtime/settings.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace xpose::detail {
namespace {

std::atomic<index> most_products{most_small_products};
/// No more than a kernel's KC, so that sums have the bits of the general driver's.
constexpr index most_k = 256;

bool has_two_parts(element_type type) {
  return type == element_type::complex_f32 || type == element_type::complex_f64;
}

bool takes(gemm_request const& r) {
  element_type const type = r.c.type;
  bool const has_kernel = r.a.type == type && r.b.type == type && r.accumulate == type &&
                          r.semiring == semiring_id::plus_times && r.layer == nullptr &&
                          !r.alpha_is_zero;
  index const k = r.a.cols;
  index const most = most_products.load(std::memory_order_relaxed);
  return has_kernel && r.c.rows > 1 && r.c.cols > 1 && k > 0 && k <= most_k && r.c.rows <= most &&
         r.c.cols <= most && r.c.rows * r.c.cols * k <= most;
}

/// A matrix of the batch after the other.
struct small_batch {
  small_product first;
  index a_batch_step;
  index b_batch_step;
  index c_batch_step;
};

/// False: some stride is none that the kernels take.
bool read(gemm_request const& r, small_batch& s, bool& transposes_b) {
  operand const* a = &r.a;
  operand const* b = &r.b;
  bool const is_by_columns = r.c.col_stride != 1;  // then C' = B' A'
  if (is_by_columns && r.c.row_stride != 1) return false;
  auto const rows_of = [=](operand const& o) { return is_by_columns ? o.cols : o.rows; };
  auto const row_stride = [=](operand const& o) {
    return is_by_columns ? countable_stride(o.cols, o.col_stride)
                         : countable_stride(o.rows, o.row_stride);
  };
  auto const col_stride = [=](operand const& o) {
    return is_by_columns ? countable_stride(o.rows, o.row_stride)
                         : countable_stride(o.cols, o.col_stride);
  };
  auto const batch_step = [&](operand const& o) {
    return countable_stride(o.batch, o.batch_stride) * r.c.bytes_per_element;
  };
  if (is_by_columns) std::swap(a, b);
  bool const a_is_contiguous = col_stride(*a) == 1 || row_stride(*a) == 1;
  transposes_b = col_stride(*b) != 1;
  if (!a_is_contiguous || (transposes_b && row_stride(*b) != 1)) return false;
  index const bytes = r.c.bytes_per_element;
  s.first = {static_cast<char const*>(a->data),
             row_stride(*a) * bytes,
             col_stride(*a) * bytes,
             static_cast<char const*>(b->data),
             row_stride(*b) * bytes,
             static_cast<char*>(const_cast<void*>(r.c.data)),
             row_stride(r.c) * bytes,
             rows_of(r.c),
             is_by_columns ? r.c.rows : r.c.cols,
             r.a.cols,
             r.alpha_is_one ? nullptr : r.alpha,
             r.beta_is_zero ? nullptr : r.beta,
             a->conjugated,
             b->conjugated};
  if (transposes_b) s.first.b_k_step = col_stride(*b) * bytes;
  s.a_batch_step = batch_step(*a);
  s.b_batch_step = batch_step(*b);
  s.c_batch_step = batch_step(r.c);
  return true;
}

small_product matrix(small_batch const& s, index n) {
  small_product p = s.first;
  p.a += n * s.a_batch_step;
  p.b += n * s.b_batch_step;
  p.c += n * s.c_batch_step;
  return p;
}

/// B with contiguous columns: its panels are packed, one after the other.
void multiply_packed(small_batch const& s, small_kernel const& kernel, gemm_kernel const& packing,
                     range own, char* panel) {
  for (index n = own.first; n < own.end; ++n) {
    small_product const all = matrix(s, n);
    small_product p = all;
    p.b = panel;
    p.b_k_step = packing.b_step;
    for (index first = 0; first < all.cols; first += packing.nr) {
      p.cols = std::min(packing.nr, all.cols - first);
      p.c = all.c + first * packing.in_place_bytes;
      packing.pack_b({all.b + first * all.b_k_step, all.b_k_step, packing.in_place_bytes, p.cols,
                      p.k_extent, false, nullptr},
                     panel);
      kernel.multiply(p);
    }
  }
}

void multiply(small_batch const& s, small_kernel const& kernel, range own) {
  for (index n = own.first; n < own.end; ++n) kernel.multiply(matrix(s, n));
}

}  // namespace

void set_most_small_products(index most) { most_products.store(most, std::memory_order_relaxed); }

bool run_small_gemm(execution const& where, gemm_request const& r) {
  if (!takes(r)) return false;
  small_kernel const* const kernel = small_kernels_of(active_isa()).of(r.c.type);
  small_batch batch;
  bool transposes_b;
  if (kernel == nullptr || !read(r, batch, transposes_b)) return false;
  if (transposes_b && has_two_parts(r.c.type)) return false;  // panels of B would be in two parts
  if (explain_only(where, kernel->name)) return true;

  range const all{0, r.c.batch};
  index const products = r.c.rows * r.c.cols * r.a.cols;
  bool const is_serial = static_cast<double>(products) * static_cast<double>(all.end) <
                         static_cast<double>(tuned.gemm_team_products);
  int const team = is_serial ? 1 : team_size(where.threads, all.end);
  gemm_kernel const* const packing =
      transposes_b ? find_gemm_kernel({r.a.type, r.b.type, r.accumulate, r.semiring}) : nullptr;
  constexpr index written_behind = 2 * 64;  // packing with vectors writes behind a panel
  index const own_bytes = transposes_b ? r.a.cols * packing->b_step + written_behind : 0;
  workspace const memory(team * own_bytes, team);
  parallel_for(team, team, [&](index n) {
    range const own = all.part(team, n);
    if (transposes_b) multiply_packed(batch, *kernel, *packing, own, memory.data() + n * own_bytes);
    else multiply(batch, *kernel, own);
  });
  return true;
}

}  // namespace xpose::detail
