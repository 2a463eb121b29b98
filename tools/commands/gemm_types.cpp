// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/gemm_types.hpp"

#include "terminal/failure.hpp"

#include <xpose/detail/compiled_gemm.hpp>

#include <algorithm>

namespace xpose::tools {
namespace {

using detail::element_type;
using detail::semiring_id;

template <class... A, class... B, class... C, class... K, class... Semiring>
std::vector<gemm_type> types_of(
    detail::gemm_type_list<detail::gemm_types<A, B, C, K, Semiring>...>) {
  return {{detail::element_type_of<A>(), detail::element_type_of<B>(), detail::element_type_of<C>(),
           detail::element_type_of<K>(), detail::semiring_id_of<Semiring>()}...};
}

std::vector<gemm_type> const& types() {
  static std::vector<gemm_type> const all = types_of(detail::compiled_gemms{});
  return all;
}

void add_name(std::string& names, element_type type) {
  std::string const name = type_of(type).name;
  if ((", " + names + ", ").find(", " + name + ", ") == std::string::npos)
    names += (names.empty() ? "" : ", ") + name;
}

/// The type of an operand. NumPy's bool is a byte that is 0 or 1, which or_and multiplies.
element_type operand_type(std::string const& path, npy_header const& header,
                          std::string const& declared, semiring_id semiring) {
  named_type const* const type = type_of_elements(path, header, declared);
  if (semiring == semiring_id::or_and && header.kind == 'b') return element_type::u8;
  std::string taken;
  for (gemm_type const& t : types()) {
    if (t.semiring != semiring) continue;
    if (type != nullptr && t.a == type->element) return t.a;
    add_name(taken, t.a);
  }
  std::string const& over = semiring_names()[static_cast<std::size_t>(semiring)];
  throw failure(path, "gemm does not take dtype ", header.descr,
                semiring == semiring_id::plus_times ? "" : " over " + over, "; it takes ", taken,
                semiring == semiring_id::or_and ? ", bool" : "", ": convert with xpose cast");
}

}  // namespace

std::vector<std::string> const& semiring_names() {
  static std::vector<std::string> const names = {"plus_times", "min_plus", "max_plus", "or_and"};
  return names;
}

semiring_id semiring_named(std::string const& name) {
  auto const& names = semiring_names();
  return static_cast<semiring_id>(std::find(names.begin(), names.end(), name) - names.begin());
}

gemm_type find_gemm_type(gemm_inputs const& in, semiring_id semiring, std::string const& to) {
  element_type const a = operand_type(in.a_path, *in.a, in.a_declared, semiring);
  element_type const b = operand_type(in.b_path, *in.b, in.b_declared, semiring);
  named_type const* const wanted = find_type(to);
  std::string outputs;
  for (gemm_type const& t : types()) {
    if (t.a != a || t.b != b || t.semiring != semiring) continue;
    if (wanted == nullptr || wanted->element == t.out) return t;
    add_name(outputs, t.out);
  }
  if (outputs.empty())
    throw failure(in.b_path, "dtype ", in.b->descr, " (", type_of(b).name, "), but ", in.a_path,
                  " has ", in.a->descr, " (", type_of(a).name, "); convert one of them with xpose ",
                  "cast");
  throw failure("--to", "gemm of ", type_of(a).name, " gives ", outputs, ", not ", to);
}

}  // namespace xpose::tools
