// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace xpose::bench {
namespace {

template <class T>
struct wide {
  using type = long double;
  using real = T;
};
template <class T>
struct wide<std::complex<T>> {
  using type = std::complex<long double>;
  using real = T;
};

/// Two products and a sum, each of which may round.
constexpr long double roundings = 4;

template <class T>
std::string check_elements(add_case const& what, void const* a, void const* b, void const* c) {
  using W = typename wide<T>::type;
  auto const unit =
      static_cast<long double>(std::numeric_limits<typename wide<T>::real>::epsilon());
  auto const at = [](void const* data, index i, index j, bool transposed, index ld) {
    return W(static_cast<T const*>(data)[transposed ? j * ld + i : i * ld + j]);
  };
  std::string wrong;
#pragma omp parallel for
  for (index i = 0; i < what.rows; ++i) {
    std::string found;
    for (index j = 0; j < what.cols && found.empty(); ++j) {
      W const from_a = W(add_alpha) * at(a, i, j, what.transposed_a, what.lda);
      W const from_b = W(add_beta) * at(b, i, j, what.transposed_b, what.ldb);
      long double const error = std::abs(at(c, i, j, false, what.ldc) - (from_a + from_b));
      if (!(error <= roundings * unit * (std::abs(from_a) + std::abs(from_b))))
        found =
            "C(" + std::to_string(i) + ", " + std::to_string(j) + ") differs from the definition";
    }
    auto const* const behind =
        reinterpret_cast<unsigned char const*>(static_cast<T const*>(c) + i * what.ldc + what.cols);
    std::size_t const gap = static_cast<std::size_t>(what.ldc - what.cols) * sizeof(T) +
                            (i + 1 == what.rows ? guard_bytes : 0);
    bool const is_kept =
        std::all_of(behind, behind + gap, [](unsigned char byte) { return byte == poison; });
    if (found.empty() && !is_kept)
      found = "memory behind row " + std::to_string(i) + " of C was written";
    if (!found.empty())
#pragma omp critical
      wrong = found;
  }
  return wrong;
}

std::string compare_on_host(add_case const& what, void const* a, void const* b, void const* c) {
  switch (what.type.kind) {
    case element_kind::f64:
      return check_elements<double>(what, a, b, c);
    case element_kind::c64:
      return check_elements<std::complex<float>>(what, a, b, c);
    case element_kind::c128:
      return check_elements<std::complex<double>>(what, a, b, c);
    default:
      return check_elements<float>(what, a, b, c);
  }
}

}  // namespace

verdict verify_add(machine& where, add_case const& what, void const* a, void const* b,
                   void const* c) {
  if (!where.is_device()) return {compare_on_host(what, a, b, c), "definition"};
  auto const on_host = [&](void const* data, index elements, std::size_t guard) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(elements) * what.type.bytes + guard);
    where.copy_to_host(bytes.data(), data, bytes.size());
    return bytes;
  };
  auto const a_host = on_host(a, (what.transposed_a ? what.cols : what.rows) * what.lda, 0);
  auto const b_host = on_host(b, (what.transposed_b ? what.cols : what.rows) * what.ldb, 0);
  auto const c_host = on_host(c, what.rows * what.ldc, guard_bytes);
  return {compare_on_host(what, a_host.data(), b_host.data(), c_host.data()), "definition"};
}

}  // namespace xpose::bench
