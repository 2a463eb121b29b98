// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/copy.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/element_functions.hpp>
#include <xpose/backends/word_table.hpp>

#include <limits>

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
void copy_words(execution const& where, copy_plan const& plan, tensor_operand const& in,
                tensor_operand const& out) {
  copy_in_tiles(where.threads, plan, first_unit<Word const>(in, plan.in_offset),
                first_unit<Word>(out, plan.out_offset), identity{});
}

constexpr word_row table[] = {
    {1, "transpose_tiles<1>", "copy_runs<1>", copy_words<word<std::uint8_t>>},
    {2, "transpose_tiles<2>", "copy_runs<2>", copy_words<word<std::uint16_t>>},
    {4, "transpose_tiles<4>", "copy_runs<4>", copy_words<word<std::uint32_t>>},
    {8, "transpose_tiles<8>", "copy_runs<8>", copy_words<word<std::uint64_t>>},
    {16, "transpose_tiles<16>", "copy_runs<16>", copy_words<word<sixteen_bytes>>},
};

}  // namespace

char const* omp_copy_kernel(copy_request const& r) {
  return kernel_name(table, r, std::numeric_limits<int>::max());
}

void omp_run_copy(execution const& where, copy_request const& r) {
  if (r.function == element_function::copy_bits) return copy_words_by(table, where, r);
  run_element_function(r, [&](auto from, auto to, auto f) {
    omp_copy<typename decltype(from)::type, typename decltype(to)::type>(where.threads, r.in, r.out,
                                                                         f);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
