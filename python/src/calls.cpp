// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "calls.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace xpose::python {
namespace {

/// A call of the library, without Python's lock.
template <class Call>
void run(Call const& call) {
  xpose_status status;
  {
    nb::gil_scoped_release const unlocked;
    status = call();
  }
  require_ok(status);
}

/// Extents that several operands share, with a stride of each for every one.
template <int Operands>
struct shared_extents {
  struct dimension {
    std::int64_t extent;
    std::int64_t strides[Operands];
  };
  std::vector<dimension> dimensions;  // of the largest step first, as in a shape

  /// Leaves out extents of 1, and joins what one stride steps through for every operand.
  void merge() {
    std::vector<dimension> merged;
    for (dimension const& d : dimensions) {
      if (d.extent == 1) continue;
      if (!merged.empty() && steps_through(merged.back(), d)) {
        std::int64_t const extent = merged.back().extent * d.extent;
        merged.back() = d;
        merged.back().extent = extent;
      } else {
        merged.push_back(d);
      }
    }
    dimensions = std::move(merged);
  }

  /// Takes the innermost dimension away; one of extent 1 where there is none.
  dimension take_innermost() {
    if (dimensions.empty()) return {1, {}};
    dimension const innermost = dimensions.back();
    dimensions.pop_back();
    return innermost;
  }

  std::int64_t count() const {
    std::int64_t count = 1;
    for (dimension const& d : dimensions) count *= d.extent;
    return count;
  }

  /// How far operand o's element number `position` of these dimensions lies from its first.
  std::int64_t offset(std::int64_t position, int o) const {
    std::int64_t offset = 0;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
      offset += position % d->extent * d->strides[o];
      position /= d->extent;
    }
    return offset;
  }

 private:
  static bool steps_through(dimension const& outer, dimension const& inner) {
    for (int o = 0; o < Operands; ++o)
      if (outer.strides[o] != inner.strides[o] * inner.extent) return false;
    return true;
  }
};

std::string shape_text(array const& a, int rank) {
  std::string text = "(";
  for (int d = 0; d < rank; ++d) text += (d == 0 ? "" : ", ") + std::to_string(a.extents[d]);
  return text + (rank == 1 ? ",)" : ")");
}

[[noreturn]] void raise_shape_error(std::string const& text) {
  nb::object const type = nb::module_::import_("xpose._errors").attr("ShapeError");
  PyErr_SetString(type.ptr(), text.c_str());
  throw nb::python_error();
}

/// The stride by which an operand follows dimension d of the output's leading `rank` dimensions: 0
/// where it repeats.
std::int64_t broadcast_stride(array const& a, int leading, int rank, int d, std::int64_t extent,
                              char const* operation, char const* name, array const& out) {
  int const own = d - (rank - leading);
  if (own < 0) return 0;
  if (a.extents[own] == extent) return a.strides[own];
  if (a.extents[own] != 1)
    raise_shape_error(std::string(operation) + ": " + name + " is " + shape_text(a, a.rank) +
                      " and does not broadcast to out's " + shape_text(out, out.rank));
  return 0;
}

/// Bytes between the lowest and the highest that an array reaches.
std::pair<char const*, char const*> reach(array const& a) {
  char const* low = a.data;
  char const* high = a.data + a.element_bytes;
  for (int d = 0; d < a.rank; ++d) {
    std::int64_t const step = (a.extents[d] - 1) * a.strides[d] * a.element_bytes;
    (step < 0 ? low : high) += step;
  }
  return {low, high};
}

/// For a call in several parts, each of which the library checks alone: parts of out must not be
/// read by another part.
void require_apart(array const& out, std::initializer_list<array const*> inputs,
                   char const* operation) {
  if (out.count() == 0) return;
  auto const [low, high] = reach(out);
  for (array const* in : inputs) {
    if (in->count() == 0) continue;
    auto const [in_low, in_high] = reach(*in);
    if (in_low >= high || low >= in_high) continue;
    nb::object const type = nb::module_::import_("xpose._errors").attr("AliasError");
    PyErr_Format(type.ptr(),
                 "%s: the memory of out, %s, and that of an input, %s, overlap or interleave",
                 operation, shape_text(out, out.rank).c_str(), shape_text(*in, in->rank).c_str());
    throw nb::python_error();
  }
}

xpose_matrix matrix_of(array const& a, std::int64_t rows, std::int64_t cols,
                       std::int64_t row_stride, std::int64_t col_stride) {
  return {a.data,     rows,
          cols,       row_stride,
          col_stride, a.element_bytes,
          a.dtype,    static_cast<std::int32_t>(a.is_conjugated)};
}

xpose_batch moved(xpose_batch batch, array const& a, std::int64_t elements) {
  batch.first.data = a.data + elements * a.element_bytes;
  return batch;
}

/// A call of three operands, once for each position of the outer dimensions: checked for all of
/// them, then run. Call: status(a, b, c, whether to run).
template <class Call>
void for_each_part(shared_extents<3> const& outer, array const& a, array const& b, array const& c,
                   xpose_batch const (&first)[3], Call const& call) {
  std::int64_t const parts = outer.count();
  auto const part = [&](std::int64_t p, bool runs) {
    return call(moved(first[0], a, outer.offset(p, 0)), moved(first[1], b, outer.offset(p, 1)),
                moved(first[2], c, outer.offset(p, 2)), runs);
  };
  run([&] {
    xpose_status status = XPOSE_OK;
    for (std::int64_t p = 0; parts > 1 && p < parts && status == XPOSE_OK; ++p)
      status = part(p, false);
    for (std::int64_t p = 0; p < parts && status == XPOSE_OK; ++p) status = part(p, true);
    return status;
  });
}

std::vector<int> axes_of(nb::handle axes, int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  if (axes.is_none()) {
    for (int d = 0; d < rank; ++d) order[static_cast<std::size_t>(d)] = rank - 1 - d;
    return order;
  }
  nb::list const given(nb::borrow(axes));
  if (static_cast<int>(given.size()) != rank)
    raise_shape_error("permute: " + std::to_string(given.size()) + " axes for an array of " +
                      std::to_string(rank) + " dimensions");
  std::vector<bool> seen(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    nb::object const whole = nb::steal(PyNumber_Index(nb::object(given[k]).ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    std::int64_t const axis = PyLong_AsLongLong(whole.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    if (axis < -rank || axis >= rank)
      raise_shape_error("permute: axis " + std::to_string(axis) + " of an array of " +
                        std::to_string(rank) + " dimensions");
    order[k] = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (seen[static_cast<std::size_t>(order[k])])
      raise_shape_error("permute: axis " + std::to_string(order[k]) + " stands twice in axes");
    seen[static_cast<std::size_t>(order[k])] = true;
  }
  return order;
}

constexpr int most_tensor_dimensions = 8;

/// Both operands in the order of out's dimensions.
xpose_tensor tensor_of(array const& a, shared_extents<2> const& shared, int o) {
  xpose_tensor t{};
  t.data = a.data;
  t.rank = static_cast<std::int32_t>(shared.dimensions.size());
  for (int d = 0; d < t.rank; ++d) {
    t.extents[d] = shared.dimensions[static_cast<std::size_t>(d)].extent;
    t.strides[d] = shared.dimensions[static_cast<std::size_t>(d)].strides[o];
  }
  t.element_bytes = a.element_bytes;
  t.dtype = a.dtype;
  return t;
}

/// What the call adds in: of F16, BF16 and the 8-bit floats F32, of the bytes I32.
xpose_dtype accumulate_of(xpose_dtype type, bool is_product) {
  switch (type) {
    case XPOSE_F16:
    case XPOSE_BF16:
    case XPOSE_E4M3:
    case XPOSE_E5M2:
      return XPOSE_F32;
    case XPOSE_I8:
    case XPOSE_U8:
      return is_product ? XPOSE_I32 : type;
    default:
      return type;
  }
}

}  // namespace

void permute(xpose_policy const& policy, array const& in, array const& out, nb::handle axes,
             xpose_function function, xpose_explanation* answer) {
  std::vector<int> const order = axes_of(axes, in.rank);
  bool fits = out.rank == in.rank;
  for (int d = 0; fits && d < in.rank; ++d)
    fits = out.extents[d] == in.extents[order[static_cast<std::size_t>(d)]];
  if (!fits) {
    array expected = in;
    for (int d = 0; d < in.rank; ++d)
      expected.extents[d] = in.extents[order[static_cast<std::size_t>(d)]];
    raise_shape_error("permute: out is " + shape_text(out, out.rank) + ", expected " +
                      shape_text(expected, in.rank));
  }
  shared_extents<2> shared;
  for (int d = 0; d < in.rank; ++d) {
    int const from = order[static_cast<std::size_t>(d)];
    shared.dimensions.push_back({out.extents[d], {in.strides[from], out.strides[d]}});
  }
  if (in.rank > most_tensor_dimensions) shared.merge();
  if (shared.dimensions.empty()) shared.dimensions.push_back({1, {1, 1}});
  if (shared.dimensions.size() > most_tensor_dimensions)
    raise_shape_error("permute: in is " + shape_text(in, in.rank) + ", of more than " +
                      std::to_string(most_tensor_dimensions) + " dimensions that do not merge");
  xpose_tensor from = tensor_of(in, shared, 0);
  xpose_tensor to = tensor_of(out, shared, 1);
  if (function == XPOSE_IDENTITY && in.element_bytes == out.element_bytes && in.dtype == out.dtype)
    from.dtype = to.dtype = XPOSE_RAW;  // whose address may be any
  std::int32_t permutation[most_tensor_dimensions];
  for (std::int32_t d = 0; d < from.rank; ++d) permutation[d] = d;
  run([&] {
    return answer != nullptr
               ? xpose_explain_permute(&policy, &from, &to, permutation, function, answer)
               : xpose_permute(&policy, &from, &to, permutation, function);
  });
}

std::pair<std::int64_t, std::int64_t> transpose_inplace(xpose_policy const& policy,
                                                        array const& view,
                                                        xpose_explanation* answer) {
  if (view.rank < 2)
    raise_shape_error("transpose_inplace: an array of " + std::to_string(view.rank) +
                      " dimensions; it takes matrices, and batches of them");
  shared_extents<1> outer;
  for (int d = 0; d < view.rank - 2; ++d)
    outer.dimensions.push_back({view.extents[d], {view.strides[d]}});
  outer.merge();
  if (outer.dimensions.size() > 1)
    raise_shape_error("transpose_inplace: " + shape_text(view, view.rank) +
                      " has leading dimensions that are not one batch in memory");
  auto const batch = outer.take_innermost();
  int const r = view.rank - 2;
  int const c = view.rank - 1;
  xpose_batch b{matrix_of(view, view.extents[r], view.extents[c], view.strides[r], view.strides[c]),
                batch.extent, batch.strides[0]};
  if (answer != nullptr) run([&] { return xpose_explain_transpose_inplace(&policy, &b, answer); });
  else run([&] { return xpose_transpose_inplace_batch(&policy, &b); });
  return {b.first.row_stride, b.first.col_stride};
}

void add(xpose_policy const& policy, nb::handle alpha, array const& a, nb::handle beta,
         array const& b, array const& out, xpose_explanation* answer) {
  shared_extents<3> shared;
  for (int d = 0; d < out.rank; ++d)
    shared.dimensions.push_back(
        {out.extents[d],
         {broadcast_stride(a, a.rank, out.rank, d, out.extents[d], "add", "a", out),
          broadcast_stride(b, b.rank, out.rank, d, out.extents[d], "add", "b", out),
          out.strides[d]}});
  if (a.rank > out.rank || b.rank > out.rank)
    raise_shape_error("add: a and b broadcast to more dimensions than out's " +
                      shape_text(out, out.rank));
  // An operand that is out itself may be written over; one that only begins there may not.
  bool is_out[2] = {a.data == out.data, b.data == out.data};
  for (auto const& d : shared.dimensions)
    for (int o = 0; o < 2; ++o)
      is_out[o] = is_out[o] && (d.extent == 1 || d.strides[o] == d.strides[2]);
  shared.merge();
  auto const cols = shared.take_innermost();
  auto const rows = shared.take_innermost();
  auto const batch = shared.take_innermost();
  array const* const operands[] = {&a, &b, &out};
  xpose_batch first[3];
  for (int o = 0; o < 3; ++o)
    first[o] = {matrix_of(*operands[o], rows.extent, cols.extent, rows.strides[o], cols.strides[o]),
                batch.extent, batch.strides[o]};
  xpose_dtype const type = accumulate_of(out.dtype, false);
  scalar const alpha_value = scalar_of(alpha, type, "add", "alpha");
  scalar const beta_value = scalar_of(beta, type, "add", "beta");
  if (shared.count() > 1) {
    for (int o = 0; o < 2; ++o)
      if (!is_out[o]) require_apart(out, {operands[o]}, "add");
  }
  for_each_part(shared, a, b, out, first,
                [&](xpose_batch const& x, xpose_batch const& y, xpose_batch const& z, bool runs) {
                  xpose_explanation unused;
                  if (answer != nullptr || !runs)
                    return xpose_explain_add(&policy, &x, &y, &z,
                                             answer != nullptr ? answer : &unused);
                  return xpose_add_batch(&policy, &alpha_value, &x, &beta_value, &y, &z);
                });
}

namespace {

/// An operand of a layer as a matrix of one row or m, and one column or n: a vector is a row,
/// unless out has no columns.
xpose_matrix layer_operand(array const& a, char const* name, bool out_is_column) {
  bool fits = true;
  for (int d = 0; d < a.rank - 2; ++d) fits = fits && a.extents[d] == 1;
  if (!fits)
    raise_shape_error(std::string("matmul: ") + name + " is " + shape_text(a, a.rank) +
                      "; it is a vector or a matrix, which repeats in every matrix of a stack");
  if (a.rank == 0) return matrix_of(a, 1, 1, 0, 0);
  std::int64_t const last = a.extents[a.rank - 1];
  std::int64_t const step = a.strides[a.rank - 1];
  if (a.rank == 1)
    return out_is_column ? matrix_of(a, last, 1, step, 0) : matrix_of(a, 1, last, 0, step);
  return matrix_of(a, a.extents[a.rank - 2], last, a.strides[a.rank - 2], step);
}

}  // namespace

void matmul(xpose_policy const& policy, nb::handle alpha, array const& a, array const& b,
            nb::handle beta, array const& out, xpose_gemm_options options, layer const* then,
            xpose_explanation* answer) {
  if (a.rank == 0 || b.rank == 0)
    raise_shape_error("matmul: a is " + shape_text(a, a.rank) + " and b is " +
                      shape_text(b, b.rank) + ": a product needs a dimension to sum over");
  bool const a_is_vector = a.rank == 1;
  bool const b_is_vector = b.rank == 1;
  std::int64_t const m = a_is_vector ? 1 : a.extents[a.rank - 2];
  std::int64_t const k = a.extents[a.rank - 1];
  std::int64_t const b_rows = b.extents[b_is_vector ? 0 : b.rank - 2];
  std::int64_t const n = b_is_vector ? 1 : b.extents[b.rank - 1];
  if (k != b_rows)
    raise_shape_error("matmul: a is " + shape_text(a, a.rank) + " and b is " +
                      shape_text(b, b.rank) + ": a's last extent (" + std::to_string(k) +
                      ") must equal b's " + (b_is_vector ? "" : "last but one ") + "(" +
                      std::to_string(b_rows) + ")");
  int const batch_rank = out.rank - !a_is_vector - !b_is_vector;
  bool fits = batch_rank >= 0 && std::max(a.rank, b.rank) - 2 <= batch_rank;
  int d_out = batch_rank;
  std::int64_t const out_rows = fits && !a_is_vector ? out.extents[d_out] : 1;
  std::int64_t const out_row_stride = fits && !a_is_vector ? out.strides[d_out++] : 0;
  std::int64_t const out_cols = fits && !b_is_vector ? out.extents[d_out] : 1;
  std::int64_t const out_col_stride = fits && !b_is_vector ? out.strides[d_out] : 0;
  if (!fits || out_rows != m || out_cols != n)
    raise_shape_error("matmul: out is " + shape_text(out, out.rank) + ", but a is " +
                      shape_text(a, a.rank) + " and b is " + shape_text(b, b.rank));
  shared_extents<3> outer;
  for (int d = 0; d < batch_rank; ++d)
    outer.dimensions.push_back({out.extents[d],
                                {broadcast_stride(a, a.rank - (a_is_vector ? 1 : 2), batch_rank, d,
                                                  out.extents[d], "matmul", "a", out),
                                 broadcast_stride(b, b.rank - (b_is_vector ? 1 : 2), batch_rank, d,
                                                  out.extents[d], "matmul", "b", out),
                                 out.strides[d]}});
  outer.merge();
  auto const batch = outer.take_innermost();
  xpose_batch const first[] = {
      {matrix_of(a, m, k, a_is_vector ? 0 : a.strides[a.rank - 2], a.strides[a.rank - 1]),
       batch.extent, batch.strides[0]},
      {b_is_vector ? matrix_of(b, k, 1, b.strides[0], 0)
                   : matrix_of(b, k, n, b.strides[b.rank - 2], b.strides[b.rank - 1]),
       batch.extent, batch.strides[1]},
      {matrix_of(out, m, n, out_row_stride, out_col_stride), batch.extent, batch.strides[2]}};
  xpose_dtype const type =
      options.accumulate != XPOSE_RAW ? options.accumulate : accumulate_of(a.dtype, true);
  std::optional<scalar> alpha_value;
  std::optional<scalar> beta_value;
  if (!alpha.is_none()) alpha_value = scalar_of(alpha, type, "matmul", "alpha");
  if (!beta.is_none()) beta_value = scalar_of(beta, type, "matmul", "beta");
  if (outer.count() > 1) require_apart(out, {&a, &b}, "matmul");
  xpose_matrix scale;
  xpose_matrix bias;
  xpose_layer applied;
  if (then != nullptr) {
    if (then->scale != nullptr) scale = layer_operand(*then->scale, "scale", b_is_vector);
    if (then->bias != nullptr) bias = layer_operand(*then->bias, "bias", b_is_vector);
    applied = xpose_layer_of(then->activation, then->scale != nullptr ? &scale : nullptr,
                             then->bias != nullptr ? &bias : nullptr);
    options.layer = &applied;
    for (array const* operand : {then->scale, then->bias})
      if (outer.count() > 1 && operand != nullptr) require_apart(out, {operand}, "matmul");
  }
  for_each_part(outer, a, b, out, first,
                [&](xpose_batch const& x, xpose_batch const& y, xpose_batch const& z, bool runs) {
                  xpose_explanation unused;
                  if (answer != nullptr || !runs)
                    return xpose_explain_gemm(&policy, &x, &y, &z, &options,
                                              answer != nullptr ? answer : &unused);
                  return xpose_gemm_batch(&policy, alpha_value ? &*alpha_value : nullptr, &x, &y,
                                          beta_value ? &*beta_value : nullptr, &z, &options);
                });
}

}  // namespace xpose::python
