// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/copy.hpp>

#include <xpose/backends/element_functions.hpp>
#include <xpose/backends/omp/backend.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Words may stand for any element type (may_alias): their bytes are moved, never interpreted.
template <class Bits>
struct __attribute__((may_alias)) word {
  Bits bits;
};
struct sixteen_bytes {
  std::uint64_t low, high;
};

template <class Word>
void copy_words(int threads, copy_plan const& plan, operand const& in, operand const& out) {
  auto const* from = static_cast<char const*>(in.data) + plan.in_offset;
  auto* to = static_cast<char*>(const_cast<void*>(out.data)) + plan.out_offset;
  copy_in_tiles(threads, plan, reinterpret_cast<Word const*>(from), reinterpret_cast<Word*>(to),
                identity{});
}

struct word_row {
  int bytes;
  char const* kernel_turned;
  char const* kernel_in_order;
  void (*run)(int threads, copy_plan const&, operand const&, operand const&);
};

constexpr word_row table[] = {
    {1, "transpose_tiles<1>", "copy_runs<1>", copy_words<word<std::uint8_t>>},
    {2, "transpose_tiles<2>", "copy_runs<2>", copy_words<word<std::uint16_t>>},
    {4, "transpose_tiles<4>", "copy_runs<4>", copy_words<word<std::uint32_t>>},
    {8, "transpose_tiles<8>", "copy_runs<8>", copy_words<word<std::uint64_t>>},
    {16, "transpose_tiles<16>", "copy_runs<16>", copy_words<word<sixteen_bytes>>},
};

word_row const& row_for(copy_plan const& plan) {
  for (auto const& row : table)
    if (row.bytes == plan.bytes_per_unit) return row;
  return table[0];
}

struct runner {
  template <class In, class Out, class F>
  static void run(execution const& where, operand const& in, operand const& out) {
    omp_copy<In, Out>(where.threads, in, out, F{});
  }
};

}  // namespace

char const* omp_copy_kernel(copy_request const& r) {
  if (r.function != element_function::copy_bits)
    return plan_elements(r.in, r.out).turns() ? "transform_tiles" : "transform_runs";
  copy_plan const plan = plan_words(r.in, r.out);
  word_row const& row = row_for(plan);
  return plan.turns() ? row.kernel_turned : row.kernel_in_order;
}

void omp_run_copy(execution const& where, copy_request const& r) {
  if (r.function != element_function::copy_bits) return run_element_function<runner>(where, r);
  copy_plan const plan = plan_words(r.in, r.out);
  row_for(plan).run(where.threads, plan, r.in, r.out);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
