// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/trace/bench_line.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/trace/call_text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct bench_case {
  std::string operation;  // "transpose --in-place", "gemm"
  std::string types;      // "--types f32", "--cast f32:bf16"
  std::string shape;      // "300x200x64:NT:ld=200/64/300"
  std::string remark;
};

/// The bench has no case of the call.
struct no_such_case {
  std::string why;
};

/// Matrices of a batch, as operands of any request give them.
struct matrices {
  char const* name;  // of the operand, in remarks
  void const* data;
  int bytes_per_element;
  index batch;
  index rows;
  index cols;
  index batch_stride;
  index row_stride;
  index col_stride;

  matrices transposed() const {
    matrices other = *this;
    std::swap(other.rows, other.cols);
    std::swap(other.row_stride, other.col_stride);
    return other;
  }
  /// Rows are contiguous and do not overlap.
  bool is_row_major() const {
    return (cols == 1 || col_stride == 1) && (rows == 1 || row_stride >= cols);
  }
  /// Of single rows in a batch it is the batch stride.
  index leading_dimension() const {
    if (rows > 1) return row_stride;
    return batch > 1 ? batch_stride : cols;
  }
};

matrices matrices_of(char const* name, operand const& o) {
  return {name,   o.data,         o.bytes_per_element, o.batch,     o.rows,
          o.cols, o.batch_stride, o.row_stride,        o.col_stride};
}
matrices matrices_of(char const* name, tensor_operand const& o) {
  dimension const* const d = o.dimensions;  // batch, row and column
  return {name,        o.data,      o.bytes_per_element, d[0].extent, d[1].extent,
          d[2].extent, d[0].stride, d[1].stride,         d[2].stride};
}

/// o, or its transpose if that is the one with contiguous rows.
matrices row_major(matrices const& o) {
  matrices const stored = o.is_row_major() ? o : o.transposed();
  if (!stored.is_row_major())
    throw no_such_case{message(o.name, " is neither row-major nor col-major")};
  index const ld = stored.leading_dimension();
  if (stored.batch > 1 && (ld < stored.cols || stored.batch_stride != stored.rows * ld))
    throw no_such_case{message(o.name, "'s batch stride is ", o.batch_stride)};
  return stored;
}

template <class Operand>
void require_elements(std::initializer_list<Operand> operands) {
  for (Operand const& o : operands)
    if (is_empty(o)) throw no_such_case{"no elements"};
}

/// ":ld=7/9", or nothing if all are packed.
std::string ld_text(std::initializer_list<matrices> operands) {
  bool is_packed = true;
  std::string numbers;
  for (matrices const& o : operands) {
    is_packed = is_packed && o.leading_dimension() == o.cols;
    numbers += message(numbers.empty() ? ":ld=" : "/", o.leading_dimension());
  }
  return is_packed ? "" : numbers;
}

/// What vector loads need and malloc gives: addresses at its multiples count as aligned.
constexpr std::uintptr_t aligned_bytes = 16;

/// ":offset=1", the number of elements by which every operand starts behind an aligned address.
template <class Operand>
std::string offset_text(std::initializer_list<Operand> operands) {
  for (std::uintptr_t offset = 0; offset < aligned_bytes; ++offset) {
    auto const has_offset = [&](Operand const& o) {
      auto const bytes = offset * static_cast<std::uintptr_t>(o.bytes_per_element);
      return (reinterpret_cast<std::uintptr_t>(o.data) - bytes) % aligned_bytes == 0;
    };
    if (std::all_of(operands.begin(), operands.end(), has_offset))
      return offset == 0 ? "" : message(":offset=", offset);
  }
  throw no_such_case{"the operands' offsets from multiples of 16 bytes differ"};
}

std::string batch_text(index batch) { return batch == 1 ? "" : message(batch, '*'); }

/// For moves of bits, of which the bench knows some types by name and some sizes.
std::string types_of_bits(element_type type, int bytes) {
  constexpr int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  bool const has_name = type != element_type::other && type != element_type::i16 &&
                        type != element_type::u16 && type != element_type::u32 &&
                        type != element_type::u64;
  if (has_name) return "--types " + type_text(type, bytes);
  if (std::find(std::begin(sizes), std::end(sizes), bytes) == std::end(sizes))
    throw no_such_case{message("elements of ", bytes, " bytes")};
  return message("--types b", bytes);
}

bool is_castable(element_type type) {
  return type == element_type::f16 || type == element_type::bf16 || type == element_type::f32 ||
         type == element_type::f64;
}

std::string types_of_copy(copy_request const& r) {
  if (r.function == element_function::copy_bits)
    return types_of_bits(r.in.type, r.in.bytes_per_element);
  std::string const in = type_text(r.in.type, r.in.bytes_per_element);
  std::string const out = type_text(r.out.type, r.out.bytes_per_element);
  if (r.function == element_function::conjugate) throw no_such_case{"conjugate of " + in};
  if (!is_castable(r.in.type) || !is_castable(r.out.type) || in == out)
    throw no_such_case{"cast of " + in + " to " + out};
  return "--cast " + in + ":" + out;
}

bench_case case_of_matrices(copy_request const& r) {
  matrices from = matrices_of("in", r.in);
  matrices to = matrices_of("out", r.out);
  if (!to.is_row_major()) {
    from = from.transposed();
    to = to.transposed();
  }
  to = row_major(to);
  // Of a single row or column both fit.
  bool const is_copy =
      from.is_row_major() && (r.op == operation::copy || !from.transposed().is_row_major());
  matrices const in = row_major(is_copy ? from : from.transposed());
  return {is_copy ? "copy" : "transpose", types_of_copy(r),
          message(batch_text(in.batch), in.rows, 'x', in.cols, ld_text({in, to}),
                  offset_text({r.in, r.out})),
          ""};
}

/// The dimensions of more than one element, of the largest stride first.
std::vector<int> by_stride(tensor_operand const& o) {
  std::vector<int> order;
  for (int d = 0; d < o.count; ++d)
    if (o.dimensions[d].extent > 1) order.push_back(d);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return o.dimensions[a].stride > o.dimensions[b].stride; });
  return order;
}

void require_packed(char const* name, tensor_operand const& o, std::vector<int> const& order) {
  index packed = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (o.dimensions[*d].stride != packed)
      throw no_such_case{message(name, " is not packed: ", strides(o))};
    packed *= o.dimensions[*d].extent;
  }
}

/// in and out packed in any two orders: the bench's out is in the order of its memory.
bench_case case_of_tensors(copy_request const& r) {
  if (r.function != element_function::copy_bits)
    throw no_such_case{"a cast or conjugate of tensors"};
  std::vector<int> const of_in = by_stride(r.in);
  std::vector<int> const of_out = by_stride(r.out);
  require_packed("in", r.in, of_in);
  require_packed("out", r.out, of_out);
  std::string in_extents;
  std::string permutation;
  int const added = std::max(0, 2 - static_cast<int>(of_in.size()));  // the bench has 2 at least
  for (int d = 0; d < added; ++d) {
    in_extents += "1x";
    permutation += message(d);
  }
  for (int const d : of_in) in_extents += message(r.in.dimensions[d].extent, 'x');
  in_extents.pop_back();
  for (int const d : of_out)
    permutation += message(added + (std::find(of_in.begin(), of_in.end(), d) - of_in.begin()));
  return {"permute", types_of_bits(r.in.type, r.in.bytes_per_element),
          message(in_extents, ':', permutation, offset_text({r.in, r.out})), ""};
}

/// Of op(A), op(B) and a C of contiguous columns: C's transpose is op(B)'s times op(A)'s.
struct stored_product {
  matrices a;
  matrices b;
  matrices c;
  std::string layout;  // ":NT", then leading dimensions
};

/// C row-major; A and B, too, or as transposes of what is. exchanges: C = op(A) op(B), not a sum.
stored_product store(matrices a, matrices b, matrices c, bool exchanges) {
  if (!c.is_row_major()) {
    a = a.transposed();
    b = b.transposed();
    c = c.transposed();
    if (exchanges) std::swap(a, b);
  }
  c = row_major(c);
  matrices const stored_a = row_major(a);
  matrices const stored_b = row_major(b);
  std::string letters = a.is_row_major() ? "N" : "T";
  letters += b.is_row_major() ? "N" : "T";
  std::string const orders = letters == "NN" ? "" : ":" + letters;
  return {a, b, c, orders + ld_text({stored_a, stored_b, c})};
}

struct known_gemm {
  element_type in;
  element_type out;
  semiring_id semiring;
  char const* name;
};
/// Those of benchmarks/types/gemm_type.cpp.
constexpr known_gemm known_gemms[] = {
    {element_type::f32, element_type::f32, semiring_id::plus_times, "f32"},
    {element_type::f64, element_type::f64, semiring_id::plus_times, "f64"},
    {element_type::complex_f32, element_type::complex_f32, semiring_id::plus_times, "c64"},
    {element_type::complex_f64, element_type::complex_f64, semiring_id::plus_times, "c128"},
    {element_type::f16, element_type::f16, semiring_id::plus_times, "f16"},
    {element_type::f16, element_type::f32, semiring_id::plus_times, "f16_f32"},
    {element_type::bf16, element_type::bf16, semiring_id::plus_times, "bf16"},
    {element_type::bf16, element_type::f32, semiring_id::plus_times, "bf16_f32"},
    {element_type::e4m3, element_type::f32, semiring_id::plus_times, "e4m3_f32"},
    {element_type::e4m3, element_type::bf16, semiring_id::plus_times, "e4m3_bf16"},
    {element_type::e5m2, element_type::f32, semiring_id::plus_times, "e5m2_f32"},
    {element_type::i8, element_type::i32, semiring_id::plus_times, "i8"},
    {element_type::u8, element_type::i32, semiring_id::plus_times, "u8"},
    {element_type::i32, element_type::i32, semiring_id::plus_times, "i32"},
    {element_type::i64, element_type::i64, semiring_id::plus_times, "i64"},
    {element_type::f32, element_type::f32, semiring_id::min_plus, "min_plus_f32"},
    {element_type::f32, element_type::f32, semiring_id::max_plus, "max_plus_f32"},
};

std::string gemm_type_of(gemm_request const& r, backend_id policy) {
  for (known_gemm const& known : known_gemms) {
    if (known.in != r.a.type || known.in != r.b.type || known.out != r.c.type ||
        known.semiring != r.semiring)
      continue;
    bool const is_plain_f32 = std::string(known.name) == "f32" && policy == backend_id::cuda;
    if (is_plain_f32 && r.precision == gemm_precision::fast_f32) return "fast_f32";
    if (is_plain_f32 && r.precision == gemm_precision::tf32) return "tf32";
    bool const is_complex =
        known.in == element_type::complex_f32 || known.in == element_type::complex_f64;
    if (is_complex && policy == backend_id::cuda && r.precision == gemm_precision::three_products)
      return std::string(known.name) + "_3m";
    return known.name;
  }
  throw no_such_case{"these types over this semiring"};
}

template <class Request>
void require_plain(Request const& r) {
  require_elements({r.a, r.b, r.c});
  if (r.a.conjugated || r.b.conjugated) throw no_such_case{"a conjugated operand"};
}

bench_case case_of(copy_request const& r, call_site const&) {
  require_elements({r.in, r.out});
  return r.op == operation::permute ? case_of_tensors(r) : case_of_matrices(r);
}

bench_case case_of(inplace_request const& r, call_site const&) {
  require_elements({r.view});
  matrices const stored = row_major(matrices_of("view", r.view));
  if (stored.leading_dimension() != stored.cols)
    throw no_such_case{"in place the bench has packed matrices"};
  return {"transpose --in-place", types_of_bits(r.view.type, r.view.bytes_per_element),
          message(batch_text(stored.batch), stored.rows, 'x', stored.cols, offset_text({r.view})),
          ""};
}

bench_case case_of(gemm_request const& r, call_site const& site) {
  require_plain(r);
  if (r.layer != nullptr) throw no_such_case{"a layer_epilogue"};
  if (r.alpha_is_zero) throw no_such_case{"alpha is zero: A and B are not read"};
  stored_product const p =
      store(matrices_of("A", r.a), matrices_of("B", r.b), matrices_of("C", r.c), true);
  return {"gemm", "--types " + gemm_type_of(r, site.policy),
          message(batch_text(p.c.batch), p.c.rows, 'x', p.c.cols, 'x', p.a.cols, p.layout,
                  offset_text({r.a, r.b, r.c})),
          r.beta_is_zero ? "" : "the call read C, too"};
}

bench_case case_of(add_request const& r, call_site const&) {
  require_plain(r);
  if (r.alpha_kind == scalar_kind::zero || r.beta_kind == scalar_kind::zero)
    throw no_such_case{"a scalar is zero: its operand is not read"};
  if (r.c.batch > 1) throw no_such_case{"a batch"};
  bool const has_type =
      r.c.type == element_type::f32 || r.c.type == element_type::f64 || is_complex_type(r.c.type);
  if (!has_type) throw no_such_case{"sums of " + type_text(r.c.type, r.c.bytes_per_element)};
  stored_product const p =
      store(matrices_of("A", r.a), matrices_of("B", r.b), matrices_of("C", r.c), false);
  bool const is_in_place = r.c.data == r.a.data || r.c.data == r.b.data;
  return {"add", "--types " + type_text(r.c.type, r.c.bytes_per_element),
          message(p.c.rows, 'x', p.c.cols, p.layout, offset_text({r.a, r.b, r.c})),
          is_in_place ? "C was an operand, too" : ""};
}

char const* policy_of(backend_id policy) {
  if (policy == backend_id::cuda) return "cuda";
  if (policy == backend_id::omp) return "omp";
  return policy == backend_id::seq ? "seq" : "reference";
}

template <class Request>
bench_line line_of(Request const& r, call_site const& site) {
  char const* const policy = policy_of(site.policy);
  bool const has_threads = site.policy == backend_id::omp;
  try {
    if (site.policy == backend_id::reference)
      throw no_such_case{"plain loops, which are not timed"};
    if (site.is_user_code) throw no_such_case{"user function"};
    bench_case const c = case_of(r, site);
    std::string const threads = has_threads ? message(" --threads ", site.threads) : "";
    return {message("xpose-bench ", c.operation, " --policy ", policy, threads, ' ', c.types,
                    " --shapes ", c.shape),
            c.remark};
  } catch (no_such_case const& none) {
    std::string const threads = has_threads ? message(" with threads ", site.threads) : "";
    return {message("# not replayable: ", call_text(r), " on ", policy, threads, ": ", none.why),
            ""};
  }
}

}  // namespace

bench_line bench_line_of(copy_request const& r, call_site const& site) { return line_of(r, site); }
bench_line bench_line_of(gemm_request const& r, call_site const& site) { return line_of(r, site); }
bench_line bench_line_of(inplace_request const& r, call_site const& site) {
  return line_of(r, site);
}
bench_line bench_line_of(add_request const& r, call_site const& site) { return line_of(r, site); }

}  // namespace detail
}  // namespace v0
}  // namespace xpose
