// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From operands to a bit copy, and the choice of a config.

#include <xpose/backends/cuda/transpose/select.hpp>

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

int widest_word(std::uint64_t bits) {
  int word = vec16_bytes;
  while (bits % static_cast<std::uint64_t>(word) != 0) word /= 2;
  return word;
}

char const* end_of_input(copy_plan const& plan, char const* in) {
  char const* end = in + plan.dimensions[0].extent;
  for (int d = 1; d < plan.count; ++d)
    end += std::max<index>(0, (plan.dimensions[d].extent - 1) * plan.dimensions[d].in_stride);
  return end;
}

/// Whether the matrices have one outer dimension and lie in it without gaps on both sides.
bool is_packed_batch(bit_copy const& c) {
  copy_plan const& plan = c.plan;
  index const run = plan.dimensions[0].extent;
  if (plan.count > 4 || c.in_pitch != c.cols * run || c.out_pitch != c.rows * run) return false;
  if (plan.count == 3) return true;  // one matrix
  auto const& batch = plan.dimensions[plan.in_fastest == 2 ? 3 : 2];
  index const bytes = c.rows * c.cols * run;
  return batch.in_stride == bytes && batch.out_stride == bytes;
}

bool has_aligned_rows(bit_copy const& c) {
  // Neighbouring tiles of a small matrix run together, so that sectors they share meet in L2.
  constexpr index small_matrix_bytes = index{1} << 18;
  copy_plan const& plan = c.plan;
  std::uint64_t const out_alignment =
      c.rows * c.cols * plan.dimensions[0].extent <= small_matrix_bytes ? vec16_bytes
                                                                        : sector_bytes;
  auto const in_bits = address_bits(plan, c.in, &copy_plan::dimension::in_stride, plan.in_fastest);
  return in_bits % vec16_bytes == 0 &&
         address_bits(plan, c.out, &copy_plan::dimension::out_stride, 1) % out_alignment == 0;
}

bit_copy bit_copy_of(copy_plan const& plan, char const* in, char* out) {
  index const run = plan.dimensions[0].extent;
  bit_copy c{plan, in, out};
  c.readable_end = end_of_input(plan, in);
  c.word_bytes = widest_word(static_cast<std::uint64_t>(run) |
                             address_bits(plan, in, &copy_plan::dimension::in_stride, 0) |
                             address_bits(plan, out, &copy_plan::dimension::out_stride, 0));
  c.words_in_run = run / c.word_bytes;
  c.word_count = plan.units / c.word_bytes;
  bool const is_in_order = plan.in_fastest <= 1;
  if (is_in_order) return c;
  auto const& rows = plan.dimensions[1];
  auto const& cols = plan.dimensions[plan.in_fastest];
  c.rows = rows.extent;
  c.cols = cols.extent;
  c.in_pitch = rows.in_stride;
  c.out_pitch = cols.out_stride;
  c.is_transposed = rows.out_stride == run && cols.in_stride == run;
  c.is_aligned = has_aligned_rows(c);
  c.is_vec16_aligned =
      (reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) %
          vec16_bytes ==
      0;
  c.is_batch = plan.count > 3;
  c.has_gaps = !is_packed_batch(c);
  c.is_in_place = in == out;
  return c;
}

/// 80 columns fill 62 % of tiles of 64, 83 % of tiles of 32.
bool is_filled_better_than_rival(transpose_config const& config, bit_copy const& c) {
  // Of unaligned bytes, merged tiles have 0.9 of the speed of the others.
  bool const is_of_unaligned_bytes = c.word_bytes == 1 && !c.is_aligned;
  double const min_gain = is_of_unaligned_bytes ? 1.2 : 1.1;
  return config.rival_rows == 0 ||
         filled(c.rows, config.kernel.rows) * filled(c.cols, config.kernel.cols) >
             min_gain * filled(c.rows, config.rival_rows) * filled(c.cols, config.rival_cols);
}

bool fits(transpose_config const& config, bit_copy const& c, int capability) {
  return config.word_bytes == c.word_bytes &&
         (config.words_in_run == 0 || config.words_in_run == c.words_in_run) &&
         c.word_count >= config.min_words && c.word_count < config.words_below &&
         c.rows >= config.min_side && c.cols >= config.min_side &&
         capability >= config.capability && config.suits(c, config) &&
         is_filled_better_than_rival(config, c);
}

transpose_table::config_range configs_of(int word_bytes) {
  using namespace transpose_table;
  return word_bytes == 1   ? configs<1>()
         : word_bytes == 2 ? configs<2>()
         : word_bytes == 4 ? configs<4>()
         : word_bytes == 8 ? configs<8>()
                           : configs<16>();
}

/// Whether a config is for any transpose of elements of one word, or any that is aligned.
bool is_of_tiles(transpose_config const& config) {
  return config.words_in_run == 1 && (config.suits == transpose_table::is_aligned ||
                                      config.suits == transpose_table::is_transposed ||
                                      config.suits == transpose_table::has_long_rows);
}

/// Whether a tuning file may name another tile.
bool gives_way_to_tuned(transpose_config const& config) {
  return is_of_tiles(config) || config.suits == transpose_table::fills_tiles_badly;
}

}  // namespace

std::uint64_t address_bits(copy_plan const& plan, void const* first,
                           index copy_plan::dimension::*stride, int along, int and_along) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(first);
  for (int d = 1; d < plan.count; ++d)
    if (d != along && d != and_along)
      bits |= static_cast<std::uint64_t>(plan.dimensions[d].*stride);
  return bits;
}

bit_copy plan_bit_copy(tensor_operand const& in, tensor_operand const& out) {
  copy_plan const plan = plan_runs(in, out);
  return bit_copy_of(plan, first_unit<char const>(in, plan.in_offset),
                     first_unit<char>(out, plan.out_offset));
}

bit_copy piece_of(bit_copy const& whole, copy_plan const& part) {
  return bit_copy_of(part, whole.in + (part.in_offset - whole.plan.in_offset),
                     whole.out + (part.out_offset - whole.plan.out_offset));
}

tuned_move_class class_of(bit_copy const& c) {
  auto const word = std::find(std::begin(tuned_words), std::end(tuned_words), c.word_bytes);
  auto const size = std::find_if(std::begin(tuned_bytes_below), std::end(tuned_bytes_below),
                                 [&](index below) { return c.word_count * c.word_bytes < below; });
  return {static_cast<std::size_t>(word - std::begin(tuned_words)), c.is_aligned,
          static_cast<std::size_t>(size - std::begin(tuned_bytes_below))};
}

std::vector<transpose_config const*> tile_configs(int word_bytes, int capability) {
  std::vector<transpose_config const*> found;
  transpose_table::config_range const table = configs_of(word_bytes);
  for (auto const* config = table.first; config != table.last; ++config) {
    bool const is_known = std::any_of(found.begin(), found.end(), [&](auto const* other) {
      return other->launch == config->launch && other->suits == config->suits;
    });
    if (is_of_tiles(*config) && config->word_bytes == word_bytes &&
        capability >= config->capability && !is_known)
      found.push_back(config);
  }
  return found;
}

transpose_config const& select_transpose_kernel(bit_copy const& c, move_gpu const& gpu) {
  transpose_table::config_range const table = configs_of(c.word_bytes);
  transpose_config const& first =
      *std::find_if(table.first, table.last, [&](transpose_config const& config) {
        return fits(config, c, gpu.capability);  // each table has a config for anything
      });
  if (gpu.tuned == nullptr || !gives_way_to_tuned(first) || c.is_in_place ||
      std::min(c.rows, c.cols) < min_tuned_side)
    return first;
  tuned_move_class const of = class_of(c);
  transpose_config const* const tuned = gpu.tuned->configs[of.word][of.is_aligned ? 1 : 0][of.size];
  return tuned != nullptr && tuned->suits(c, *tuned) ? *tuned : first;
}

piece_limits limits_of(transpose_config const& config, transpose_limits const& most) {
  return {(config.numbers_tiles ? most.words_in_tiles : most.words) * config.word_bytes,
          most.extent, true};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
