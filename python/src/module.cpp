// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose._core: the calls of xpose.h for the functions of __init__.py, which choose outputs and
// policies. Arguments by position; an explanation in place of the call where explains is true.

#include "calls.hpp"

namespace xpose::python {
namespace {

/// Where a call runs, as __init__.py passes it: (xpose_backend, threads, cudaStream_t, flags).
xpose_policy policy_of(nb::tuple const& where) {
  xpose_policy policy = xpose_policy_of(static_cast<xpose_backend>(nb::cast<int>(where[0])));
  policy.threads = nb::cast<int>(where[1]);
  policy.stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(where[2]));
  policy.flags = nb::cast<std::uint64_t>(where[3]);
  return policy;
}

/// None, or the explanation as (backend, kernel, reason).
nb::object result_of(bool explains, xpose_explanation const& answer) {
  if (!explains) return nb::none();
  return nb::make_tuple(answer.backend, answer.kernel, answer.reason);
}

nb::object permute_arrays(nb::tuple where, nb::handle in, nb::handle out, nb::handle axes,
                          int function, bool explains) {
  held_array const from(in, "permute", "a");
  held_array const to(out, "permute", "out");
  require_writable(to, "permute");
  xpose_explanation answer{};
  auto chosen = static_cast<xpose_function>(function);
  if (from.is_complex() && chosen != XPOSE_CAST) {
    bool const conjugates = from.is_conjugated ^ to.is_conjugated ^ (chosen == XPOSE_CONJUGATE);
    chosen = conjugates ? XPOSE_CONJUGATE : XPOSE_IDENTITY;
  } else if (from.is_conjugated || to.is_conjugated) {
    throw nb::type_error(
        "permute: a lazily conjugated tensor is not converted; resolve_conj() it first");
  }
  permute(policy_of(where), from, to, axes, chosen, explains ? &answer : nullptr);
  return result_of(explains, answer);
}

nb::object transpose_array_inplace(nb::tuple where, nb::handle view, bool explains) {
  held_array const held(view, "transpose_inplace", "a");
  require_writable(held, "transpose_inplace");
  xpose_explanation answer{};
  auto const strides = transpose_inplace(policy_of(where), held, explains ? &answer : nullptr);
  if (explains) return result_of(true, answer);
  return nb::make_tuple(strides.first, strides.second);
}

nb::object add_arrays(nb::tuple where, nb::handle alpha, nb::handle a, nb::handle beta,
                      nb::handle b, nb::handle out, bool explains) {
  held_array const left(a, "add", "a");
  held_array const right(b, "add", "b");
  held_array const to(out, "add", "out");
  require_writable(to, "add");
  xpose_explanation answer{};
  add(policy_of(where), alpha, left, beta, right, to, explains ? &answer : nullptr);
  return result_of(explains, answer);
}

nb::object matmul_arrays(nb::tuple where, nb::handle alpha, nb::handle a, nb::handle b,
                         nb::handle beta, nb::handle out, nb::tuple options, nb::handle then,
                         bool explains) {
  held_array left(a, "matmul", "a");
  held_array right(b, "matmul", "b");
  held_array to(out, "matmul", "out");
  require_writable(to, "matmul");
  xpose_gemm_options gemm = xpose_default_gemm_options();
  gemm.semiring = static_cast<xpose_semiring>(nb::cast<int>(options[0]));
  if (gemm.semiring == XPOSE_OR_AND)
    for (array* operand :
         {static_cast<array*>(&left), static_cast<array*>(&right), static_cast<array*>(&to)})
      if (operand->dtype == XPOSE_BOOL) operand->dtype = XPOSE_U8;  // 0 and 1 are the numbers
  gemm.precision = static_cast<xpose_precision>(nb::cast<int>(options[1]));
  gemm.accumulate = static_cast<xpose_dtype>(nb::cast<int>(options[2]));
  left.is_conjugated ^= left.is_complex() && nb::cast<bool>(options[3]);
  right.is_conjugated ^= right.is_complex() && nb::cast<bool>(options[4]);
  xpose_explanation answer{};
  auto const run = [&](layer const* applied) {
    matmul(policy_of(where), alpha, left, right, beta, to, gemm, applied,
           explains ? &answer : nullptr);
    return result_of(explains, answer);
  };
  if (then.is_none()) return run(nullptr);
  // (scale, bias, number of xpose_activation)
  auto const parts = nb::cast<nb::tuple>(then);
  std::optional<held_array> scale;
  std::optional<held_array> bias;
  if (!nb::object(parts[0]).is_none()) scale.emplace(nb::object(parts[0]), "matmul", "scale");
  if (!nb::object(parts[1]).is_none()) bias.emplace(nb::object(parts[1]), "matmul", "bias");
  layer const applied{scale ? &*scale : nullptr, bias ? &*bias : nullptr,
                      static_cast<xpose_activation>(nb::cast<int>(parts[2]))};
  return run(&applied);
}

}  // namespace

void require_ok(xpose_status status) {
  if (status == XPOSE_OK) return;
  nb::object const error =
      nb::module_::import_("xpose._errors")
          .attr("of_status")(static_cast<int>(status), xpose_last_error(), xpose_last_cuda_error());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace xpose::python

NB_MODULE(_core, m) {
  using namespace xpose::python;
  namespace nb = nanobind;
  m.def("version", [] { return xpose_version(); });
  m.def("know_tensors", [](nb::handle type) { know_tensors(type); });
  m.def("know_cupy", [](nb::handle type) { know_cupy(type); });
  m.def("reload_environment", [] { xpose_reload_environment(); });
  m.def("permute", &permute_arrays, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
        nb::arg());
  m.def("transpose_inplace", &transpose_array_inplace);
  m.def("add", &add_arrays);
  m.def("matmul", &matmul_arrays, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}
