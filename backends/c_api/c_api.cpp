// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The C interface: each entry point reads its arguments into the same request as the C++ interface
// and calls the same driver. No kernel is instantiated here.

#include <xpose/backends/c_api/arguments.hpp>
#include <xpose/backends/c_api/status.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/detail/add_dispatch.hpp>
#include <xpose/explain.hpp>
#include <xpose/transpose_inplace.hpp>

namespace xpose::detail {
namespace {

thread_local c_error last_error{};

template <class Call>
xpose_status guarded(Call const& call) noexcept {
  return run_guarded(last_error, call);
}

/// What an entry point does with its request: run it.
struct runner {
  execution where;

  void operator()(copy_request const& r) const { run_copy(where, r); }
  void operator()(inplace_request const& r) const { run_transpose_inplace(where, r); }
  void operator()(add_request const& r) const { run_add(where, r); }
  void operator()(gemm_request const& r) const { run_gemm(where, r); }
};

/// Or explain it.
struct explainer {
  execution where;
  xpose_explanation& answer;

  void operator()(copy_request const& r) const { fill(explain_copy(where, r)); }
  void operator()(inplace_request const& r) const { fill(explain_transpose_inplace(where, r)); }
  void operator()(add_request const& r) const { fill(explain_add(where, r)); }
  void operator()(gemm_request const& r) const { fill(explain_gemm(where, r)); }

  void fill(explanation_text const& text) const {
    static_assert(sizeof answer.backend == sizeof text.backend &&
                  sizeof answer.kernel == sizeof text.kernel &&
                  sizeof answer.reason == sizeof text.reason);
    std::memcpy(answer.backend, text.backend, sizeof text.backend);
    std::memcpy(answer.kernel, text.kernel, sizeof text.kernel);
    std::memcpy(answer.reason, text.reason, sizeof text.reason);
  }
};

runner runs(operation op, xpose_policy const* policy) { return {read_policy(name_of(op), policy)}; }

explainer explains(operation op, xpose_policy const* policy, xpose_explanation* answer) {
  execution const where = read_policy(name_of(op), policy);
  return {where, required({name_of(op), "answer"}, answer)};
}

// transpose, copy, permute

operand transposed_operand(operand o) {
  std::swap(o.rows, o.cols);
  std::swap(o.row_stride, o.col_stride);
  return o;
}

template <class View>
copy_request read_move(operation op, View const* in, View const* out, xpose_function function) {
  char const* const name = name_of(op);
  operand const from = read_operand({name, "in"}, in);
  operand const to = read_output({name, "out"}, out);
  return {op, as_tensor(op == operation::transpose ? transposed_operand(from) : from),
          as_tensor(to), read_function(name, function, *in, *out, from, to)};
}

copy_request read_permute(xpose_tensor const* in, xpose_tensor const* out,
                          std::int32_t const* permutation, xpose_function function) {
  tensor_operand const from = read_operand({"permute", "in"}, in);
  tensor_operand const to = read_operand({"permute", "out"}, out);
  if (from.count != to.count)
    refuse_at<shape_error>({"permute", "out"}, " has rank ", to.count, ", expected ", from.count);
  (void)required({"permute", "permutation"}, permutation);
  return {operation::permute, permuted(from, permutation), to,
          read_function("permute", function, *in, *out, from, to)};
}

// transpose_inplace

template <class View>
inplace_request read_inplace(View const* view) {
  return {read_output({"transpose_inplace", "view"}, view)};
}

/// Describes the view's memory after its transpose in place.
void transpose_view(xpose_matrix& m) {
  strided const s = strides_after_inplace(m.rows, m.cols, {m.row_stride, m.col_stride});
  std::swap(m.rows, m.cols);
  m.row_stride = s.row_stride;
  m.col_stride = s.col_stride;
}
void transpose_view(xpose_batch& b) { transpose_view(b.first); }

// add

/// The caller's scalar, or the default for null.
template <class K>
K scalar_at(void const* given, K const& otherwise) {
  if (given == nullptr) return otherwise;
  K value;
  std::memcpy(&value, given, sizeof value);  // of any alignment
  return value;
}

template <class T, class Then>
bool add_if_asked(add_request r, Then const& then) {
  if (r.c.type != element_type_of<T>()) return false;
  using K = canonical_type_t<add_compute_t<T, T>>;
  K const alpha = scalar_at(r.alpha, K(1));
  K const beta = scalar_at(r.beta, K(1));
  r.alpha = &alpha;
  r.beta = &beta;
  r.alpha_kind = kind_of(alpha);
  r.beta_kind = kind_of(beta);
  then(r);
  return true;
}

template <class Then, class... Types>
bool add_of(type_list<Types...>, add_request const& r, Then const& then) {
  return (add_if_asked<Types>(r, then) || ...);
}

template <class View, class Then>
void add(void const* alpha, View const* a, void const* beta, View const* b, View const* c,
         Then const& then) {
  add_request const r{read_operand({"add", "A"}, a),
                      read_operand({"add", "B"}, b),
                      read_output({"add", "C"}, c),
                      alpha,
                      beta,
                      scalar_kind::other,
                      scalar_kind::other};
  bool const is_one_type = r.a.type == r.c.type && r.b.type == r.c.type;
  if (is_one_type && (add_of(castable_reals{}, r, then) || add_of(castable_complexes{}, r, then)))
    return;
  auto const name = [](View const& v) { return c_dtypes[number_of_dtype(v)].name; };
  refuse_at<backend_error>({"add", "A"}, " has ", name(*a), ", B ", name(*b), ", C ", name(*c),
                           ": sums are of one dtype, which is a number");
}

// gemm

template <class A, class B, class C, class K, class Semiring, class Then>
bool gemm_if_asked(gemm_types<A, B, C, K, Semiring>, gemm_request r, bool is_default_accumulate,
                   Then const& then) {
  if (r.a.type != element_type_of<A>() || r.b.type != element_type_of<B>() ||
      r.c.type != element_type_of<C>() || r.semiring != semiring_id_of<Semiring>())
    return false;
  bool const is_default = std::is_same_v<K, canonical_type_t<accumulator_t<A>>>;
  if (is_default_accumulate ? !is_default : r.accumulate != element_type_of<K>()) return false;

  K const alpha = scalar_at(r.alpha, K());
  K const beta = scalar_at(r.beta, K());
  gemm_scalars<K> const known = make_scalars(alpha, beta, Semiring{});
  r.accumulate = element_type_of<K>();
  r.alpha_is_one = r.alpha == nullptr || known.alpha_is_one;
  r.alpha_is_zero = r.alpha != nullptr && known.alpha_is_zero;
  r.beta_is_zero = r.beta == nullptr || known.beta_is_zero;
  r.alpha = &alpha;
  r.beta = &beta;
  then(r);
  return true;
}

template <class Then, class... Rows>
bool gemm_of(gemm_type_list<Rows...>, gemm_request const& r, bool is_default_accumulate,
             Then const& then) {
  return (gemm_if_asked(Rows{}, r, is_default_accumulate, then) || ...);
}

struct c_semiring {
  char const* name;
  semiring_id id;
};

constexpr c_semiring semirings[] = {
    // in the order of xpose_semiring
    {"plus_times", semiring_id::plus_times},
    {"min_plus", semiring_id::min_plus},
    {"max_plus", semiring_id::max_plus},
    {"or_and", semiring_id::or_and},
};

template <class View, class Then>
void gemm(void const* alpha, View const* a, View const* b, void const* beta, View const* c,
          xpose_gemm_options const* given, Then const& then) {
  c_argument const at{"gemm", "options"};
  constexpr std::size_t first_size = 24;
  xpose_gemm_options const options =
      given == nullptr ? xpose_default_gemm_options() : read_sized(at, given, first_size);
  constexpr gemm_precision precisions[] = {gemm_precision::full, gemm_precision::fast_f32,
                                           gemm_precision::tf32};
  c_dtype const& accumulate = entry_of(at, "' accumulate", options.accumulate, c_dtypes);
  c_semiring const& semiring = entry_of(at, "' semiring", options.semiring, semirings);
  gemm_precision const precision = entry_of(at, "' precision", options.precision, precisions);
  if (options.reserved != 0) refuse_at(at, " has reserved ", options.reserved, ", expected 0");

  gemm_request r{};
  r.a = read_operand({"gemm", "A"}, a);
  r.b = read_operand({"gemm", "B"}, b);
  r.c = read_output({"gemm", "C"}, c);
  r.accumulate = accumulate.type;
  r.semiring = semiring.id;
  r.alpha = alpha;
  r.beta = beta;
  r.precision = precision;
  bool const is_default = options.accumulate == XPOSE_RAW;
  if (gemm_of(compiled_gemms{}, r, is_default, then)) return;
  auto const name = [](View const& v) { return c_dtypes[number_of_dtype(v)].name; };
  refuse_at<backend_error>({"gemm", "A"}, " has ", name(*a), ", B ", name(*b), ", C ", name(*c),
                           ", accumulate ", is_default ? "the default" : accumulate.name,
                           ", semiring ", semiring.name,
                           ": no such kernel is compiled (docs/c_api.md lists those that are)");
}

}  // namespace
}  // namespace xpose::detail

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

xpose_status xpose_transpose(xpose_policy const* policy, xpose_matrix const* in,
                             xpose_matrix const* out, xpose_function function) noexcept {
  constexpr operation op = operation::transpose;
  return guarded([&] { runs(op, policy)(read_move(op, in, out, function)); });
}
xpose_status xpose_transpose_batch(xpose_policy const* policy, xpose_batch const* in,
                                   xpose_batch const* out, xpose_function function) noexcept {
  constexpr operation op = operation::transpose;
  return guarded([&] { runs(op, policy)(read_move(op, in, out, function)); });
}
xpose_status xpose_explain_transpose(xpose_policy const* policy, xpose_batch const* in,
                                     xpose_batch const* out, xpose_function function,
                                     xpose_explanation* answer) noexcept {
  constexpr operation op = operation::transpose;
  return guarded([&] { explains(op, policy, answer)(read_move(op, in, out, function)); });
}

xpose_status xpose_copy(xpose_policy const* policy, xpose_matrix const* in, xpose_matrix const* out,
                        xpose_function function) noexcept {
  constexpr operation op = operation::copy;
  return guarded([&] { runs(op, policy)(read_move(op, in, out, function)); });
}
xpose_status xpose_copy_batch(xpose_policy const* policy, xpose_batch const* in,
                              xpose_batch const* out, xpose_function function) noexcept {
  constexpr operation op = operation::copy;
  return guarded([&] { runs(op, policy)(read_move(op, in, out, function)); });
}
xpose_status xpose_explain_copy(xpose_policy const* policy, xpose_batch const* in,
                                xpose_batch const* out, xpose_function function,
                                xpose_explanation* answer) noexcept {
  constexpr operation op = operation::copy;
  return guarded([&] { explains(op, policy, answer)(read_move(op, in, out, function)); });
}

xpose_status xpose_permute(xpose_policy const* policy, xpose_tensor const* in,
                           xpose_tensor const* out, std::int32_t const* permutation,
                           xpose_function function) noexcept {
  return guarded(
      [&] { runs(operation::permute, policy)(read_permute(in, out, permutation, function)); });
}
xpose_status xpose_explain_permute(xpose_policy const* policy, xpose_tensor const* in,
                                   xpose_tensor const* out, std::int32_t const* permutation,
                                   xpose_function function, xpose_explanation* answer) noexcept {
  return guarded([&] {
    explains(operation::permute, policy, answer)(read_permute(in, out, permutation, function));
  });
}

xpose_status xpose_transpose_inplace(xpose_policy const* policy, xpose_matrix* view) noexcept {
  return guarded([&] {
    runs(operation::transpose_inplace, policy)(read_inplace(view));
    transpose_view(*view);
  });
}
xpose_status xpose_transpose_inplace_batch(xpose_policy const* policy, xpose_batch* view) noexcept {
  return guarded([&] {
    runs(operation::transpose_inplace, policy)(read_inplace(view));
    transpose_view(*view);
  });
}
xpose_status xpose_explain_transpose_inplace(xpose_policy const* policy, xpose_batch const* view,
                                             xpose_explanation* answer) noexcept {
  return guarded(
      [&] { explains(operation::transpose_inplace, policy, answer)(read_inplace(view)); });
}

xpose_status xpose_add(xpose_policy const* policy, void const* alpha, xpose_matrix const* a,
                       void const* beta, xpose_matrix const* b, xpose_matrix const* c) noexcept {
  return guarded([&] { add(alpha, a, beta, b, c, runs(operation::add, policy)); });
}
xpose_status xpose_add_batch(xpose_policy const* policy, void const* alpha, xpose_batch const* a,
                             void const* beta, xpose_batch const* b,
                             xpose_batch const* c) noexcept {
  return guarded([&] { add(alpha, a, beta, b, c, runs(operation::add, policy)); });
}
xpose_status xpose_explain_add(xpose_policy const* policy, xpose_batch const* a,
                               xpose_batch const* b, xpose_batch const* c,
                               xpose_explanation* answer) noexcept {
  return guarded([&] { add(nullptr, a, nullptr, b, c, explains(operation::add, policy, answer)); });
}

xpose_status xpose_gemm(xpose_policy const* policy, void const* alpha, xpose_matrix const* a,
                        xpose_matrix const* b, void const* beta, xpose_matrix const* c,
                        xpose_gemm_options const* options) noexcept {
  return guarded([&] { gemm(alpha, a, b, beta, c, options, runs(operation::gemm, policy)); });
}
xpose_status xpose_gemm_batch(xpose_policy const* policy, void const* alpha, xpose_batch const* a,
                              xpose_batch const* b, void const* beta, xpose_batch const* c,
                              xpose_gemm_options const* options) noexcept {
  return guarded([&] { gemm(alpha, a, b, beta, c, options, runs(operation::gemm, policy)); });
}
xpose_status xpose_explain_gemm(xpose_policy const* policy, xpose_batch const* a,
                                xpose_batch const* b, xpose_batch const* c,
                                xpose_gemm_options const* options,
                                xpose_explanation* answer) noexcept {
  return guarded(
      [&] { gemm(nullptr, a, b, nullptr, c, options, explains(operation::gemm, policy, answer)); });
}
