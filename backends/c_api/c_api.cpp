// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The C interface: each entry point reads its arguments into the same request as the C++ interface
// and calls the same driver. No kernel is instantiated here.

#include <xpose/backends/c_api/arguments.hpp>
#include <xpose/backends/c_api/status.hpp>
#include <xpose/backends/core/problems/compiled_gemm.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/detail/add_dispatch.hpp>
#include <xpose/explain.hpp>
#include <xpose/transpose_inplace.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

thread_local c_error last_error{};

/// Who asks, and whether the call runs or is explained to them.
struct caller {
  xpose_policy const* policy;
  bool explains = false;
  xpose_explanation* answer = nullptr;

  /// call(where) with the policy read; its failure becomes the status.
  template <class Call>
  xpose_status runs(operation op, Call const& call) const noexcept {
    return run_guarded(last_error, [&] {
      execution where = read_policy(name_of(op), policy);
      if (!explains) return call(where);
      launch_report report{};
      report.explain_only = true;
      where.report = &report;
      xpose_explanation& answered = required({name_of(op), "answer"}, answer);
      call(where);
      static_assert(sizeof answered.backend == sizeof report.backend &&
                    sizeof answered.kernel == sizeof report.kernel &&
                    sizeof answered.reason == sizeof report.reason);
      std::memcpy(answered.backend, report.backend, sizeof report.backend);
      std::memcpy(answered.kernel, report.kernel, sizeof report.kernel);
      std::memcpy(answered.reason, report.reason, sizeof report.reason);
    });
  }
};

// transpose, copy, permute

template <class View>
xpose_status transpose_or_copy(caller const& by, operation op, View const* in, View const* out,
                               xpose_function function) noexcept {
  return by.runs(op, [&](execution const& where) {
    char const* const name = name_of(op);
    operand from = read_operand({name, "in"}, in);
    operand const to = read_output({name, "out"}, out);
    element_function const f = read_function(name, function, *in, *out, from, to);
    if (op == operation::transpose) {
      std::swap(from.rows, from.cols);
      std::swap(from.row_stride, from.col_stride);
    }
    run_copy(where, {op, as_tensor(from), as_tensor(to), f});
  });
}

xpose_status permute(caller const& by, xpose_tensor const* in, xpose_tensor const* out,
                     std::int32_t const* permutation, xpose_function function) noexcept {
  return by.runs(operation::permute, [&](execution const& where) {
    tensor_operand const from = read_operand({"permute", "in"}, in);
    tensor_operand const to = read_operand({"permute", "out"}, out);
    if (from.count != to.count)
      refuse_at<shape_error>({"permute", "out"}, " has rank ", to.count, ", expected ", from.count);
    (void)required({"permute", "permutation"}, permutation);
    run_copy(where, {operation::permute, permuted(from, permutation), to,
                     read_function("permute", function, *in, *out, from, to)});
  });
}

// transpose_inplace

/// Describes the view's memory after its transpose in place.
void transpose_view(xpose_matrix& m) {
  strided const s = strides_after_inplace(m.rows, m.cols, {m.row_stride, m.col_stride});
  std::swap(m.rows, m.cols);
  m.row_stride = s.row_stride;
  m.col_stride = s.col_stride;
}
void transpose_view(xpose_batch& b) { transpose_view(b.first); }

/// A const view is only explained.
template <class View>
xpose_status transpose_inplace(caller const& by, View* view) noexcept {
  return by.runs(operation::transpose_inplace, [&](execution const& where) {
    run_transpose_inplace(where, {read_output({"transpose_inplace", "view"}, view)});
    if constexpr (!std::is_const_v<View>) transpose_view(*view);
  });
}

// add

/// The caller's scalar, or the default for null.
template <class K>
K scalar_at(void const* given, K const& otherwise) {
  if (given == nullptr) return otherwise;
  K value;
  std::memcpy(&value, given, sizeof value);  // of any alignment
  return value;
}

template <class View>
xpose_status add(caller const& by, void const* alpha, View const* a, void const* beta,
                 View const* b, View const* c) noexcept {
  return by.runs(operation::add, [&](execution const& where) {
    add_request r{};
    r.a = read_operand({"add", "A"}, a);
    r.b = read_operand({"add", "B"}, b);
    r.c = read_output({"add", "C"}, c);
    auto const run_typed = [&](auto type) {
      using T = typename decltype(type)::type;
      auto const one = canonical_type_t<add_compute_t<T, T>>(1);
      auto const alpha_value = scalar_at(alpha, one);
      auto const beta_value = scalar_at(beta, one);
      r.alpha = &alpha_value;
      r.beta = &beta_value;
      r.alpha_kind = kind_of(alpha_value);
      r.beta_kind = kind_of(beta_value);
      run_add(where, r);
    };
    bool const is_one_type = r.a.type == r.c.type && r.b.type == r.c.type;
    if (is_one_type && (run_with_type(r.c.type, castable_reals{}, run_typed) ||
                        run_with_type(r.c.type, castable_complexes{}, run_typed)))
      return;
    refuse_at<backend_error>({"add", "A"}, " has ", name_of_dtype(*a), ", B ", name_of_dtype(*b),
                             ", C ", name_of_dtype(*c),
                             ": sums are of one dtype, which is a number");
  });
}

// gemm

/// Runs the request if its types are those of the list's entry.
template <class A, class B, class C, class K, class Semiring>
bool run_if_asked(execution const& where, gemm_request r, bool is_default_accumulate,
                  gemm_types<A, B, C, K, Semiring> entry) {
  if (is_default_accumulate) r.accumulate = element_type_of<canonical_type_t<accumulator_t<A>>>();
  if (!is_asked(r, entry)) return false;
  K const alpha = scalar_at(r.alpha, K());
  K const beta = scalar_at(r.beta, K());
  gemm_scalars<K> const known = make_scalars(alpha, beta, Semiring{});
  r.alpha_is_one = r.alpha == nullptr || known.alpha_is_one;
  r.alpha_is_zero = r.alpha != nullptr && known.alpha_is_zero;
  r.beta_is_zero = r.beta == nullptr || known.beta_is_zero;
  r.alpha = &alpha;
  r.beta = &beta;
  run_gemm(where, r);
  return true;
}

template <class... Rows>
bool run_if_compiled(execution const& where, gemm_request const& r, bool is_default_accumulate,
                     gemm_type_list<Rows...>) {
  return (run_if_asked(where, r, is_default_accumulate, Rows{}) || ...);
}

layer_request read_layer(xpose_layer const* given, xpose_dtype of_c) {
  c_argument const at{"gemm", "layer"};
  constexpr std::size_t first_size = 32;
  xpose_layer const layer = read_sized(at, given, first_size);
  constexpr activation activations[] = {activation::none, activation::relu, activation::gelu};
  layer_request r{};
  r.last = entry_of(at, "'s activation", layer.activation, activations);
  if (layer.reserved != 0) refuse_at(at, " has reserved ", layer.reserved, ", expected 0");
  auto const read = [&](char const* name, xpose_matrix const* m) {
    if (m == nullptr) return operand{};
    operand const o = read_operand({"gemm", name}, m);
    if (m->dtype != of_c)
      refuse_at<backend_error>({"gemm", name}, " has ", name_of_dtype(*m), ", expected C's ",
                               c_dtypes[of_c].name);
    return o;
  };
  r.scale = read("scale", layer.scale);
  r.bias = read("bias", layer.bias);
  return r;
}

template <class View>
xpose_status gemm(caller const& by, void const* alpha, View const* a, View const* b,
                  void const* beta, View const* c, xpose_gemm_options const* given) noexcept {
  return by.runs(operation::gemm, [&](execution const& where) {
    c_argument const at{"gemm", "options"};
    constexpr std::size_t first_size = 24;
    xpose_gemm_options const options =
        given == nullptr ? xpose_default_gemm_options() : read_sized(at, given, first_size);
    // in the order of xpose_semiring and xpose_gemm_precision
    constexpr semiring_id semirings[] = {semiring_id::plus_times, semiring_id::min_plus,
                                         semiring_id::max_plus, semiring_id::or_and};
    constexpr char const* semiring_names[] = {"plus_times", "min_plus", "max_plus", "or_and"};
    constexpr gemm_precision precisions[] = {gemm_precision::full, gemm_precision::fast_f32,
                                             gemm_precision::tf32, gemm_precision::three_products};
    c_dtype const& accumulate = entry_of(at, "' accumulate", options.accumulate, c_dtypes);
    gemm_request r{};
    r.accumulate = accumulate.type;
    r.semiring = entry_of(at, "' semiring", options.semiring, semirings);
    r.precision = entry_of(at, "' precision", options.precision, precisions);
    if (options.reserved != 0) refuse_at(at, " has reserved ", options.reserved, ", expected 0");
    r.a = read_operand({"gemm", "A"}, a);
    r.b = read_operand({"gemm", "B"}, b);
    r.c = read_output({"gemm", "C"}, c);
    r.alpha = alpha;
    r.beta = beta;
    bool const is_default = options.accumulate == XPOSE_RAW;
    layer_request layer{};
    if (options.layer != nullptr) {
      layer = read_layer(options.layer, number_of_dtype(*c));
      r.layer = &layer;
    }
    if (options.layer == nullptr ? run_if_compiled(where, r, is_default, compiled_gemms{})
                                 : run_if_compiled(where, r, is_default, compiled_layers{}))
      return;
    refuse_at<backend_error>({"gemm", "A"}, " has ", name_of_dtype(*a), ", B ", name_of_dtype(*b),
                             ", C ", name_of_dtype(*c), ", accumulate ",
                             is_default ? "the default" : accumulate.name, ", semiring ",
                             semiring_names[options.semiring],
                             options.layer != nullptr ? ", with a layer" : "",
                             ": no such kernel is compiled (docs/c_api.md lists those that are)");
  });
}

}  // namespace
}  // namespace detail
}  // namespace v0
}  // namespace xpose

using namespace xpose::detail;
using xpose::operation;

char const* xpose_version() noexcept { return XPOSE_VERSION; }

char const* xpose_status_name(xpose_status status) noexcept {
  constexpr char const* names[] = {
      "ok",          "argument_error", "shape_error",     "layout_error",
      "alias_error", "overflow_error", "residency_error", "backend_error",
      "cuda_error",  "out_of_memory",  "unknown_error",   "device_lost"};
  bool const is_known = status >= XPOSE_OK && status <= XPOSE_DEVICE_LOST;
  return is_known ? names[status] : "unknown status";
}

char const* xpose_last_error() noexcept { return last_error.message; }

std::int32_t xpose_last_cuda_error() noexcept { return last_error.cuda_code; }

void xpose_reload_environment() noexcept { xpose::reload_environment(); }

xpose_status xpose_transpose(xpose_policy const* policy, xpose_matrix const* in,
                             xpose_matrix const* out, xpose_function function) noexcept {
  return transpose_or_copy({policy}, operation::transpose, in, out, function);
}
xpose_status xpose_transpose_batch(xpose_policy const* policy, xpose_batch const* in,
                                   xpose_batch const* out, xpose_function function) noexcept {
  return transpose_or_copy({policy}, operation::transpose, in, out, function);
}
xpose_status xpose_explain_transpose(xpose_policy const* policy, xpose_batch const* in,
                                     xpose_batch const* out, xpose_function function,
                                     xpose_explanation* answer) noexcept {
  return transpose_or_copy({policy, true, answer}, operation::transpose, in, out, function);
}

xpose_status xpose_copy(xpose_policy const* policy, xpose_matrix const* in, xpose_matrix const* out,
                        xpose_function function) noexcept {
  return transpose_or_copy({policy}, operation::copy, in, out, function);
}
xpose_status xpose_copy_batch(xpose_policy const* policy, xpose_batch const* in,
                              xpose_batch const* out, xpose_function function) noexcept {
  return transpose_or_copy({policy}, operation::copy, in, out, function);
}
xpose_status xpose_explain_copy(xpose_policy const* policy, xpose_batch const* in,
                                xpose_batch const* out, xpose_function function,
                                xpose_explanation* answer) noexcept {
  return transpose_or_copy({policy, true, answer}, operation::copy, in, out, function);
}

xpose_status xpose_permute(xpose_policy const* policy, xpose_tensor const* in,
                           xpose_tensor const* out, std::int32_t const* permutation,
                           xpose_function function) noexcept {
  return permute({policy}, in, out, permutation, function);
}
xpose_status xpose_explain_permute(xpose_policy const* policy, xpose_tensor const* in,
                                   xpose_tensor const* out, std::int32_t const* permutation,
                                   xpose_function function, xpose_explanation* answer) noexcept {
  return permute({policy, true, answer}, in, out, permutation, function);
}

xpose_status xpose_transpose_inplace(xpose_policy const* policy, xpose_matrix* view) noexcept {
  return transpose_inplace({policy}, view);
}
xpose_status xpose_transpose_inplace_batch(xpose_policy const* policy, xpose_batch* view) noexcept {
  return transpose_inplace({policy}, view);
}
xpose_status xpose_explain_transpose_inplace(xpose_policy const* policy, xpose_batch const* view,
                                             xpose_explanation* answer) noexcept {
  return transpose_inplace({policy, true, answer}, view);
}

xpose_status xpose_add(xpose_policy const* policy, void const* alpha, xpose_matrix const* a,
                       void const* beta, xpose_matrix const* b, xpose_matrix const* c) noexcept {
  return add({policy}, alpha, a, beta, b, c);
}
xpose_status xpose_add_batch(xpose_policy const* policy, void const* alpha, xpose_batch const* a,
                             void const* beta, xpose_batch const* b,
                             xpose_batch const* c) noexcept {
  return add({policy}, alpha, a, beta, b, c);
}
xpose_status xpose_explain_add(xpose_policy const* policy, xpose_batch const* a,
                               xpose_batch const* b, xpose_batch const* c,
                               xpose_explanation* answer) noexcept {
  return add({policy, true, answer}, nullptr, a, nullptr, b, c);
}

xpose_status xpose_gemm(xpose_policy const* policy, void const* alpha, xpose_matrix const* a,
                        xpose_matrix const* b, void const* beta, xpose_matrix const* c,
                        xpose_gemm_options const* options) noexcept {
  return gemm({policy}, alpha, a, b, beta, c, options);
}
xpose_status xpose_gemm_batch(xpose_policy const* policy, void const* alpha, xpose_batch const* a,
                              xpose_batch const* b, void const* beta, xpose_batch const* c,
                              xpose_gemm_options const* options) noexcept {
  return gemm({policy}, alpha, a, b, beta, c, options);
}
xpose_status xpose_explain_gemm(xpose_policy const* policy, xpose_batch const* a,
                                xpose_batch const* b, xpose_batch const* c,
                                xpose_gemm_options const* options,
                                xpose_explanation* answer) noexcept {
  return gemm({policy, true, answer}, nullptr, a, b, nullptr, c, options);
}
