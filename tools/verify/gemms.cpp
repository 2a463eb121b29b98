// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// verify: every gemm that the library compiles.

#include "verify/elements.hpp"
#include "verify/operations.hpp"

#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/semiring.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

namespace xpose::tools {
namespace {

using detail::element_type;
using detail::semiring_id;

struct gemm_row {
  element_type a, b, c, accumulate;
  semiring_id semiring;
};

/// The library's own list of types, so that a new entry is verified from the day it exists.
template <class... A, class... B, class... C, class... K, class... Semiring>
std::vector<gemm_row> rows_of(detail::gemm_type_list<detail::gemm_types<A, B, C, K, Semiring>...>) {
  return {{detail::element_type_of<A>(), detail::element_type_of<B>(), detail::element_type_of<C>(),
           detail::element_type_of<K>(), detail::semiring_id_of<Semiring>()}...};
}

std::string name_of(gemm_row const& row) {
  std::string name = row_of(row.a).name;
  if (row.b != row.a) name += std::string(" by ") + row_of(row.b).name;
  if (row.c != row.a) name += std::string(" to ") + row_of(row.c).name;
  if (row.semiring == semiring_id::min_plus) name += ", min_plus";
  if (row.semiring == semiring_id::max_plus) name += ", max_plus";
  if (row.semiring == semiring_id::or_and) name += ", or_and";
  return name;
}

struct gemm_case {
  index k_extent;
  bool repeats_a;  // one matrix for every matrix of the batch
  bool repeats_b;
  bool conjugates_a;
  bool conjugates_b;
  alignas(16) unsigned char alpha[16] = {};
  alignas(16) unsigned char beta[16] = {};
  std::complex<double> alpha_value;
  std::complex<double> beta_value;
  verify_buffer a;
  verify_buffer b;
  verify_buffer c;
};

enum class numbers_are { small_integers, real };

std::complex<double> draw_value(random_numbers& numbers, element_row const& type,
                                numbers_are which) {
  auto const one = [&]() -> double {
    if (which == numbers_are::real)
      return static_cast<double>(draw(numbers, -1000000, 1000000)) / 1000000;
    // No zero among floats: 0 times a negative is -0, and then the order of additions would show.
    if (type.is_integer) return static_cast<double>(draw(numbers, type.is_signed ? -3 : 0, 3));
    double const size = static_cast<double>(draw(numbers, 1, 3));
    return draw(numbers, 0, 1) == 0 ? size : -size;
  };
  double const real = one();
  return {real, type.is_complex ? one() : 0.0};
}

void fill(random_numbers& numbers, verify_buffer& buffer, element_row const& type,
          numbers_are which) {
  buffer.for_each(
      [&](unsigned char* element) { type.store(element, draw_value(numbers, type, which)); });
}

gemm_case draw_case(random_numbers& numbers, gemm_row const& types, numbers_are which) {
  index const rows = draw_extent(numbers);
  index const cols = draw_extent(numbers);
  index const k_extent = draw(numbers, 0, 9) == 0 ? draw(numbers, 250, 300) : draw_extent(numbers);
  bool const is_batch = rows * cols < 5000 && draw(numbers, 0, 2) == 0;
  index const batch = is_batch ? draw(numbers, 1, 4) : 1;
  bool const repeats_a = batch > 1 && draw(numbers, 0, 3) == 0;
  bool const repeats_b = batch > 1 && draw(numbers, 0, 3) == 0;
  auto const buffer = [&](index count, index r, index c, element_type type) {
    return verify_buffer(numbers, count, r, c, row_of(type).bytes, row_of(type).alignment, type);
  };
  bool const is_complex = row_of(types.a).is_complex;
  gemm_case result{k_extent,
                   repeats_a,
                   repeats_b,
                   is_complex && draw(numbers, 0, 1) == 0,
                   is_complex && draw(numbers, 0, 1) == 0,
                   {},
                   {},
                   1.0,
                   0.0,
                   buffer(repeats_a ? 1 : batch, rows, k_extent, types.a),
                   buffer(repeats_b ? 1 : batch, k_extent, cols, types.b),
                   buffer(batch, rows, cols, types.c)};
  fill(numbers, result.a, row_of(types.a), which);
  fill(numbers, result.b, row_of(types.b), which);
  fill(numbers, result.c, row_of(types.c), which);
  element_row const& accumulate = row_of(types.accumulate);
  // Half of the cases are plain products; the others scale and add.
  if (draw(numbers, 0, 1) == 0) {
    constexpr double alphas[] = {1, 2, -1, 0};
    constexpr double betas[] = {0, 1, -2};
    result.alpha_value = alphas[draw(numbers, 0, 3)];
    result.beta_value = betas[draw(numbers, 0, 2)];
  }
  accumulate.store(result.alpha, result.alpha_value);
  accumulate.store(result.beta, result.beta_value);
  return result;
}

detail::gemm_request request_for(gemm_case const& c, gemm_row const& types, detail::operand a,
                                 detail::operand b, detail::operand const& out) {
  auto const repeat = [&out](detail::operand& o) {
    o.batch = out.batch;
    o.batch_stride = 0;
  };
  if (c.repeats_a) repeat(a);
  if (c.repeats_b) repeat(b);
  a.conjugated = c.conjugates_a;
  b.conjugated = c.conjugates_b;
  bool const is_ring = types.semiring == semiring_id::plus_times;
  // In another semiring 0 and 1 are ordinary numbers; min plus even adds them. Half the cases there
  // leave C alone.
  bool const plain = c.beta_value == 0.0;
  return {a,
          b,
          out,
          types.accumulate,
          types.semiring,
          c.alpha,
          c.beta,
          is_ring ? c.alpha_value == 1.0 : plain,
          is_ring && c.alpha_value == 0.0,
          plain,
          gemm_precision::full};
}

/// 2 gamma_k (|alpha| |A| |B| + |beta| |C|) and the rounding to C's type, for element (b, i, j).
/// A complex product is four real ones and two sums: k counts twice, and |z| is |re| + |im|.
class error_bound {
 public:
  error_bound(gemm_case& c, gemm_row const& types, verify_buffer& c_before, bool is_on_device)
      : types_(types),
        k_extent_(c.k_extent),
        tensor_core_error_(is_on_device && detail::is_float8_type(types.a) ? 1.0 / 1024 : 0),
        case_(c) {
    load(c.a, row_of(types.a), a_);
    load(c.b, row_of(types.b), b_);
    load(c_before, row_of(types.c), c_);
  }

  double at(index b, index i, index j, index rows, index cols, double magnitude) const {
    double products = 0;
    index const first_a = (case_.repeats_a ? 0 : b * rows * k_extent_) + i * k_extent_;
    index const first_b = (case_.repeats_b ? 0 : b * k_extent_ * cols) + j;
    for (index p = 0; p < k_extent_; ++p)
      products += a_[static_cast<std::size_t>(first_a + p)] *
                  b_[static_cast<std::size_t>(first_b + p * cols)];
    double const of_c = c_[static_cast<std::size_t>((b * rows + i) * cols + j)];
    double const steps = static_cast<double>(k_extent_ + 4) * (row_of(types_.a).is_complex ? 2 : 1);
    double const u = row_of(types_.accumulate).roundoff;
    double const gamma = steps * u / (1 - steps * u);
    double const sum = std::abs(case_.alpha_value) * products + std::abs(case_.beta_value) * of_c;
    // Both results are rounded to C's type; below its normal numbers by a fixed step at most.
    double const u_of_c = row_of(types_.c).roundoff;
    return (2 * gamma + tensor_core_error_) * sum + 2 * u_of_c * (magnitude + gamma * sum) +
           std::ldexp(1.0, -24) * u_of_c;
  }

 private:
  static void load(verify_buffer& buffer, element_row const& type, std::vector<double>& sizes) {
    buffer.for_each([&](unsigned char const* element) {
      std::complex<double> const value = type.load(element);
      sizes.push_back(std::abs(value.real()) + std::abs(value.imag()));
    });
  }

  gemm_row types_;
  index k_extent_;
  double tensor_core_error_;  // what their truncation of float8 sums loses
  gemm_case const& case_;
  std::vector<double> a_, b_, c_;
};

bool is_within_bound(gemm_case& c, gemm_row const& types, verify_buffer& before,
                     verify_buffer& expected, bool is_on_device) {
  error_bound const bound(c, types, before, is_on_device);
  element_row const& type = row_of(types.c);
  std::vector<std::complex<double>> wanted;
  expected.for_each([&](unsigned char const* e) { wanted.push_back(type.load(e)); });
  index const rows = c.c.on_host().rows;
  index const cols = c.c.on_host().cols;
  std::size_t at = 0;
  bool is_within = true;
  c.c.for_each([&](unsigned char const* element) {
    std::complex<double> const found = type.load(element);
    std::complex<double> const right = wanted[at];
    auto const position = static_cast<index>(at++);
    double const difference =
        std::abs(found.real() - right.real()) + std::abs(found.imag() - right.imag());
    double const magnitude = std::abs(right.real()) + std::abs(right.imag());
    index const j = position % cols;
    index const i = position / cols % rows;
    // Not "difference > bound": that lets NaN through.
    if (!(difference <= bound.at(position / cols / rows, i, j, rows, cols, magnitude)))
      is_within = false;
  });
  return is_within;
}

void run_case(verify_target const& target, gemm_case& c, gemm_row const& types, numbers_are which,
              row_counter& counter) {
  verify_buffer before = c.c;
  verify_buffer expected = c.c;
  detail::run_gemm(the_reference,
                   request_for(c, types, c.a.on_host(), c.b.on_host(), expected.on_host()));

  device_memory a_memory, b_memory, c_memory;
  detail::gemm_request const request =
      target.is_on_device ? request_for(c, types, c.a.to_device(a_memory), c.b.to_device(b_memory),
                                        c.c.to_device(c_memory))
                          : request_for(c, types, c.a.on_host(), c.b.on_host(), c.c.on_host());
  detail::explanation_text const ran = detail::explain_gemm(target.where, request);
  detail::run_gemm(target.where, request);
  if (target.is_on_device) c.c.from_device(c_memory);
  bool const is_match = which == numbers_are::small_integers
                            ? c.c.has_bytes_of(expected)
                            : is_within_bound(c, types, before, expected, target.is_on_device);
  counter.add(ran, is_match && c.c.is_poison_around());
}

}  // namespace

void verify_gemms(verify_run const& run, row_taker const& take) {
  random_numbers numbers(run.seed * 1000 + 200);
  for (numbers_are const which : {numbers_are::small_integers, numbers_are::real})
    for (gemm_row const& types : rows_of(detail::compiled_gemms{})) {
      bool const is_real = which == numbers_are::real;
      // Minima and maxima of sums are exact up to one rounding, and integers always.
      if (is_real && (row_of(types.a).is_integer || types.semiring != semiring_id::plus_times))
        continue;
      row_counter counter("gemm", name_of(types),
                          is_real ? pass_criterion::error_bound : pass_criterion::equal_bits);
      for (int i = 0; i < run.cases; ++i) {
        gemm_case c = draw_case(numbers, types, which);
        run_case(run.target, c, types, which, counter);
      }
      take(counter.row());
    }
}

}  // namespace xpose::tools
