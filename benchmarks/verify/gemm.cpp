// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "types/random.hpp"
#include "verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

namespace xpose::bench {
namespace {

constexpr index most_products_checked = index{1} << 24;
constexpr index elements_sampled = 1024;
constexpr int sign_vectors = 2;

/// The arithmetic in which the check is made: double, complex double, or integers modulo 2^64.
template <class T>
struct wide {
  using type = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
};
template <class T>
struct wide<std::complex<T>> {
  using type = std::complex<double>;
};

template <class T>
typename wide<T>::type widen(T const& value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else if constexpr (detail::is_short_real<T>)
    return static_cast<double>(static_cast<float>(value));
  else return static_cast<typename wide<T>::type>(value);
}

/// One matrix of the case, read through its strides.
template <class T>
struct stored {
  T const* data;
  index rows;
  index cols;
  index row_stride;
  index col_stride;

  auto operator()(index i, index j) const { return widen(data[i * row_stride + j * col_stride]); }
};

template <class T>
stored<T> view_of(T const* data, index rows, index cols, index ld, bool transposed) {
  return {data, rows, cols, transposed ? 1 : ld, transposed ? ld : 1};
}

/// The rounding of one operation: of the accumulate type of products of T, and of the stored C.
/// Doubles are checked in doubles, so that both sides round.
template <class T>
double rounding_unit() {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>>)
    return 0x1p-52;
  else return 0x1p-24;
}
/// Largest relative error of a product whose factors are rounded, or truncated, to tf32.
constexpr double tf32_unit = 0x1p-9;
/// Largest relative error of float8 products that tensor cores accumulate with truncation.
constexpr double float8_unit = 0x1p-10;
template <class Out>
double stored_unit() {
  if constexpr (std::is_same_v<Out, float16>) return 0x1p-11;
  if constexpr (std::is_same_v<Out, bfloat16>) return 0x1p-8;
  return 0;
}

/// y = M x for sign_vectors vectors at once, and magnitudes = |M| x_magnitudes.
template <class T, class W>
void multiply(stored<T> const& m, std::vector<W> const& x, std::vector<W>& y,
              std::vector<double> const& x_magnitudes, std::vector<double>& magnitudes,
              bool in_parallel) {
  constexpr index rows_in_block = 64;
  y.assign(static_cast<std::size_t>(m.rows * sign_vectors), W{});
  magnitudes.assign(static_cast<std::size_t>(m.rows), 0.0);
  auto const add = [&](index i, index j) {
    W const value = m(i, j);
    for (int v = 0; v < sign_vectors; ++v)
      y[static_cast<std::size_t>(i * sign_vectors + v)] +=
          value * x[static_cast<std::size_t>(j * sign_vectors + v)];
    if constexpr (!std::is_integral_v<W>)
      magnitudes[static_cast<std::size_t>(i)] +=
          std::abs(value) * x_magnitudes[static_cast<std::size_t>(j)];
  };
#pragma omp parallel for if (in_parallel)
  for (index first = 0; first < m.rows; first += rows_in_block) {
    index const last = std::min(m.rows, first + rows_in_block);
    if (m.col_stride == 1) {
      for (index i = first; i < last; ++i)
        for (index j = 0; j < m.cols; ++j) add(i, j);
    } else {
      for (index j = 0; j < m.cols; ++j)
        for (index i = first; i < last; ++i) add(i, j);
    }
  }
}

template <class T, class Out>
class gemm_check {
 public:
  using W = typename wide<T>::type;

  gemm_check(gemm_case const& what, semiring_choice semiring, void const* a, void const* b,
             void const* c)
      : what_(what),
        semiring_(semiring),
        a_(static_cast<T const*>(a)),
        b_(static_cast<T const*>(b)),
        c_(static_cast<Out const*>(c)) {}

  verdict run() const {
    index const elements = what_.batch * what_.m * what_.n;
    if (elements * what_.k <= most_products_checked)
      return {check_elements(elements, elements), "definition"};
    std::string wrong = check_elements(std::min(elements_sampled, elements), elements);
    if (semiring_ != semiring_choice::plus_times) return {wrong, "1024 elements"};
    if (wrong.empty()) wrong = check_by_signs();
    return {wrong, "freivalds, 1024 elements"};
  }

 private:
  stored<T> a(index matrix) const {
    return view_of(a_ + matrix * what_.a_batch_stride, what_.m, what_.k, what_.lda,
                   what_.transposed_a);
  }
  stored<T> b(index matrix) const {
    return view_of(b_ + matrix * what_.b_batch_stride, what_.k, what_.n, what_.ldb,
                   what_.transposed_b);
  }
  stored<Out> c(index matrix) const {
    return view_of(c_ + matrix * what_.c_batch_stride, what_.m, what_.n, what_.ldc, false);
  }

  /// count elements: all of them in order, or random ones with the corners of the first matrix.
  std::string check_elements(index count, index elements) const {
    std::string wrong;
#pragma omp parallel for schedule(dynamic, 16)
    for (index e = 0; e < count; ++e) {
      index at = e;
      if (count < elements) {
        index const corners[] = {0, what_.n - 1, (what_.m - 1) * what_.n, what_.m * what_.n - 1,
                                 elements - 1};
        at = e < 5 ? corners[e]
                   : static_cast<index>(hash_of(static_cast<std::uint64_t>(e), 7) %
                                        static_cast<std::uint64_t>(elements));
      }
      index const matrix = at / (what_.m * what_.n);
      index const i = at / what_.n % what_.m;
      index const j = at % what_.n;
      if (!is_right(matrix, i, j))
#pragma omp critical
        wrong = "C(" + std::to_string(i) + ", " + std::to_string(j) + ")" +
                (what_.batch > 1 ? " of matrix " + std::to_string(matrix) : "") +
                " is beyond the rounding error";
    }
    return wrong;
  }

  /// The error that rounding explains: k in the worst case, 16 sqrt(k) with every likelihood.
  double growth() const {
    auto const k = static_cast<double>(what_.k);
    return std::min(k + 2, 16 * std::sqrt(k)) * (std::is_same_v<W, std::complex<double>> ? 2 : 1);
  }

  double tensor_core_error() const {
    if constexpr (detail::is_float8<T>) return float8_unit;
    else return what_.may_round_to_tf32 ? tf32_unit : 0;
  }

  bool is_right(index matrix, index i, index j) const {
    auto const a_view = a(matrix);
    auto const b_view = b(matrix);
    auto const stored_c = c(matrix)(i, j);
    if constexpr (std::is_same_v<T, float>) {
      if (semiring_ != semiring_choice::plus_times)
        return is_right_path(a_view, b_view, i, j, stored_c);
    }
    W sum{};
    double magnitude = 0;
    for (index p = 0; p < what_.k; ++p) {
      W const product = a_view(i, p) * b_view(p, j);
      sum += product;
      if constexpr (!std::is_integral_v<W>) magnitude += std::abs(product);
    }
    if constexpr (std::is_integral_v<W>) return static_cast<Out>(sum) == static_cast<Out>(stored_c);
    else
      return std::abs(stored_c - sum) <=
             (rounding_unit<T>() * growth() + tensor_core_error()) * magnitude +
                 2 * stored_unit<Out>() * std::abs(sum);
  }

  bool is_right_path(stored<T> const& a_view, stored<T> const& b_view, index i, index j,
                     double stored_c) const {
    bool const is_min = semiring_ == semiring_choice::min_plus;
    double best = is_min ? INFINITY : -INFINITY;
    for (index p = 0; p < what_.k; ++p) {
      auto const length = static_cast<double>(static_cast<float>(a_view(i, p) + b_view(p, j)));
      best = is_min ? std::min(best, length) : std::max(best, length);
    }
    return best == stored_c;
  }

  std::string check_by_signs() const {
    std::string wrong;
#pragma omp parallel for if (what_.batch > 1) schedule(dynamic)
    for (index matrix = 0; matrix < what_.batch; ++matrix) {
      std::string const found = check_by_signs(matrix);
      if (!found.empty())
#pragma omp critical
        wrong = found;
    }
    return wrong;
  }

  std::string check_by_signs(index matrix) const {
    bool const in_parallel = what_.batch == 1;
    std::vector<W> x(static_cast<std::size_t>(what_.n * sign_vectors));
    for (std::size_t s = 0; s < x.size(); ++s) x[s] = (hash_of(s, 11) & 1) != 0 ? W(1) : W{} - W(1);
    std::vector<double> const ones(static_cast<std::size_t>(what_.n), 1.0);
    std::vector<W> bx, abx, cx;
    std::vector<double> b_magnitudes, ab_magnitudes, c_magnitudes;
    multiply(b(matrix), x, bx, ones, b_magnitudes, in_parallel);
    multiply(a(matrix), bx, abx, b_magnitudes, ab_magnitudes, in_parallel);
    multiply(c(matrix), x, cx, ones, c_magnitudes, in_parallel);
    auto const n = static_cast<double>(what_.n);
    for (index i = 0; i < what_.m; ++i) {
      auto const row = static_cast<std::size_t>(i);
      // n independent errors add up like their square root; 8 of it never happens by chance.
      double const of_element =
          (rounding_unit<T>() * std::min(growth(), 2 * std::sqrt(what_.k)) + tensor_core_error()) *
              ab_magnitudes[row] / n +
          stored_unit<Out>() * c_magnitudes[row] / n;
      for (int v = 0; v < sign_vectors; ++v) {
        auto const s = row * sign_vectors + static_cast<std::size_t>(v);
        bool is_equal = false;
        if constexpr (std::is_integral_v<W>)
          is_equal = static_cast<Out>(cx[s]) == static_cast<Out>(abx[s]);
        else is_equal = std::abs(cx[s] - abx[s]) <= 8 * std::sqrt(n) * of_element;
        if (!is_equal)
          return "row " + std::to_string(i) + " of C" +
                 (what_.batch > 1 ? " of matrix " + std::to_string(matrix) : "") +
                 " fails Freivalds' check";
      }
    }
    return "";
  }

  gemm_case what_;
  semiring_choice semiring_;
  T const* a_;
  T const* b_;
  Out const* c_;
};

}  // namespace

verdict verify_gemm(machine& where, gemm_case const& what, gemm_type const& type, void const* a,
                    void const* b, void const* c) {
  std::vector<unsigned char> copies[3];
  if (where.is_device()) {
    index const a_rows = what.transposed_a ? what.k : what.m;
    index const b_rows = what.transposed_b ? what.n : what.k;
    auto const bring = [&](std::vector<unsigned char>& copy, void const*& memory, index elements,
                           std::size_t bytes_per_element) {
      copy.resize(static_cast<std::size_t>(elements) * bytes_per_element);
      where.copy_to_host(copy.data(), memory, copy.size());
      memory = copy.data();
    };
    bring(copies[0], a, what.batch * a_rows * what.lda, what.type.bytes);
    bring(copies[1], b, what.batch * b_rows * what.ldb, what.type.bytes);
    bring(copies[2], c, what.batch * what.m * what.ldc, what.c_type.bytes);
  }
  auto const check = [&](auto in, auto out) {
    return gemm_check<decltype(in), decltype(out)>(what, type.semiring, a, b, c).run();
  };
  bool const is_out_f32 = what.c_type.kind == element_kind::f32;
  switch (what.type.kind) {
    case element_kind::f32:
      return check(float{}, float{});
    case element_kind::f64:
      return check(double{}, double{});
    case element_kind::c64:
      return check(std::complex<float>{}, std::complex<float>{});
    case element_kind::c128:
      return check(std::complex<double>{}, std::complex<double>{});
    case element_kind::f16:
      return is_out_f32 ? check(float16{}, float{}) : check(float16{}, float16{});
    case element_kind::bf16:
      return is_out_f32 ? check(bfloat16{}, float{}) : check(bfloat16{}, bfloat16{});
    case element_kind::e4m3:
      return is_out_f32 ? check(float8_e4m3{}, float{}) : check(float8_e4m3{}, bfloat16{});
    case element_kind::e5m2:
      return check(float8_e5m2{}, float{});
    case element_kind::i8:
      return check(std::int8_t{}, std::int32_t{});
    case element_kind::u8:
      return check(std::uint8_t{}, std::int32_t{});
    case element_kind::i32:
      return check(std::int32_t{}, std::int32_t{});
    case element_kind::i64:
      return check(std::int64_t{}, std::int64_t{});
    case element_kind::bytes:
      break;
  }
  return {"gemm of bytes does not exist", "nothing"};
}

}  // namespace xpose::bench
