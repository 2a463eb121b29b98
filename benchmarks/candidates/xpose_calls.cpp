// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/xpose_calls.hpp"

#include "types/cast.hpp"
#include "types/element_size.hpp"

#include <xpose/plan.hpp>
#include <xpose/xpose.hpp>

#include <array>
#include <complex>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace xpose::bench {
namespace {

template <class F>
auto with_policy(policy_choice const& choice, F const& f) {
  if (choice.name == "seq") return f(seq);
  if (choice.name == "omp") return f(omp.with(threads{choice.threads}));
  return f(cuda.on(static_cast<stream_handle>(choice.stream)).nosync().strict());
}

/// f with the view of a matrix, or of a batch of them.
template <class T, class F>
void with_view(T* data, index batch, index rows, index cols, index ld, index batch_stride,
               bool transposed, F const& f) {
  matrix_view<T> const stored = transposed ? matrix_view<T>(data, cols, rows, row_major, ld)
                                           : matrix_view<T>(data, rows, cols, row_major, ld);
  matrix_view<T> const first = transposed ? stored.transposed() : stored;
  if (batch == 1) f(first);
  else f(batch_view<T>(first, batch, batch_stride));
}

template <class In, class Out, class F>
void with_in_and_out(transpose_case const& what, bool is_copy, void const* in, void* out,
                     F const& f) {
  index const out_rows = is_copy ? what.rows : what.cols;
  index const out_cols = is_copy ? what.cols : what.rows;
  with_view(static_cast<In const*>(in), what.batch, what.rows, what.cols, what.in_ld,
            what.in_batch_stride, false, [&](auto const& in_view) {
              with_view(static_cast<Out*>(out), what.batch, out_rows, out_cols, what.out_ld,
                        what.out_batch_stride, false, [&](auto const& out_view) {
                          using in_type = std::decay_t<decltype(in_view)>;
                          using out_type = std::decay_t<decltype(out_view)>;
                          constexpr bool is_in_batch =
                              std::is_same_v<in_type, batch_view<In const>>;
                          constexpr bool is_out_batch = std::is_same_v<out_type, batch_view<Out>>;
                          if constexpr (is_in_batch == is_out_batch) f(in_view, out_view);
                        });
            });
}

/// f: the element function.
template <class In, class Out, class Function>
copy_call make_copy_call(policy_choice const& choice, transpose_case const& what, bool is_copy,
                         void const* in, void* out, std::string& kernel, Function const& f) {
  return with_policy(choice, [&](auto policy) -> copy_call {
    with_in_and_out<In, Out>(what, is_copy, in, out, [&](auto const& from, auto const& to) {
      auto const name = is_copy ? operation::copy : operation::transpose;
      kernel = explain(policy, name, from, to, f).kernel;
    });
    return [policy, what, is_copy, f](void const* from, void* to) {
      with_in_and_out<In, Out>(what, is_copy, from, to,
                               [&](auto const& in_view, auto const& out_view) {
                                 if (is_copy) copy(policy, in_view, out_view, f);
                                 else transpose(policy, in_view, out_view, f);
                               });
    };
  });
}

copy_call make_bit_copy_call(policy_choice const& choice, transpose_case const& what, bool is_copy,
                             void const* in, void* out, std::string& kernel) {
  return with_size(what.type.bytes, [&](auto size) {
    using T = bytes_of<decltype(size)::value>;
    return make_copy_call<T, T>(choice, what, is_copy, in, out, kernel, identity{});
  });
}

/// A permutation padded to 8 dimensions with leading extents of 1, which xpose's plan drops: one
/// view type serves all ranks.
struct rank_8_permutation {
  std::array<index, 8> in;
  std::array<index, 8> out;
  std::array<int, 8> permutation;

  explicit rank_8_permutation(permute_case const& what) {
    std::size_t const added = 8 - what.extents.size();
    for (std::size_t d = 0; d < 8; ++d) {
      in[d] = d < added ? 1 : what.extents[d - added];
      permutation[d] =
          static_cast<int>(d < added ? d : added) + (d < added ? 0 : what.permutation[d - added]);
    }
    for (std::size_t d = 0; d < 8; ++d) out[d] = in[static_cast<std::size_t>(permutation[d])];
  }
};

/// op(stored) as a view of rows x cols.
template <class T>
matrix_view<T> operand_view(T* data, index rows, index cols, index ld, bool transposed) {
  return transposed ? matrix_view<T>(data, cols, rows, row_major, ld).transposed()
                    : matrix_view<T>(data, rows, cols, row_major, ld);
}

template <class T>
combine_call make_add_call(policy_choice const& choice, add_case const& what, void const* a,
                           void const* b, void* c, std::string& kernel) {
  auto const with_views = [what](void const* from_a, void const* from_b, void* to, auto const& f) {
    f(operand_view(static_cast<T const*>(from_a), what.rows, what.cols, what.lda,
                   what.transposed_a),
      operand_view(static_cast<T const*>(from_b), what.rows, what.cols, what.ldb,
                   what.transposed_b),
      operand_view(static_cast<T*>(to), what.rows, what.cols, what.ldc, false));
  };
  return with_policy(choice, [&](auto policy) -> combine_call {
    with_views(a, b, c, [&](auto const& a_view, auto const& b_view, auto const& c_view) {
      kernel = explain(policy, operation::add, a_view, b_view, c_view).kernel;
    });
    return [policy, with_views](void const* from_a, void const* from_b, void* to) {
      with_views(from_a, from_b, to,
                 [&](auto const& a_view, auto const& b_view, auto const& c_view) {
                   add(policy, T(add_alpha), a_view, T(add_beta), b_view, c_view);
                 });
    };
  });
}

template <class T, class Out, class F>
void with_gemm_views(gemm_case const& what, void const* a, void const* b, void* c, F const& f) {
  auto const* const a_data = static_cast<T const*>(a);
  auto const* const b_data = static_cast<T const*>(b);
  auto* const c_data = static_cast<Out*>(c);
  auto const first_a = operand_view(a_data, what.m, what.k, what.lda, what.transposed_a);
  auto const first_b = operand_view(b_data, what.k, what.n, what.ldb, what.transposed_b);
  auto const first_c = operand_view(c_data, what.m, what.n, what.ldc, false);
  if (what.batch == 1) f(first_a, first_b, first_c);
  else
    f(batch(first_a, what.batch, what.a_batch_stride),
      batch(first_b, what.batch, what.b_batch_stride),
      batch(first_c, what.batch, what.c_batch_stride));
}

template <class T, class Out, class Options>
combine_call make_gemm_call(policy_choice const& choice, gemm_case const& what,
                            Options const& options, void const* a, void const* b, void* c,
                            std::string& kernel) {
  return with_policy(choice, [&](auto policy) -> combine_call {
    with_gemm_views<T, Out>(
        what, a, b, c, [&](auto const& a_view, auto const& b_view, auto const& c_view) {
          kernel = explain(policy, operation::gemm, a_view, b_view, c_view, options).kernel;
        });
    if (choice.planned) {
      combine_call call;
      with_gemm_views<T, Out>(what, a, b, c,
                              [&](auto const& a_view, auto const& b_view, auto const& c_view) {
                                call = [multiply = plan(policy, a_view, b_view, c_view, options)](
                                           void const* from_a, void const* from_b, void* to) {
                                  multiply(static_cast<T const*>(from_a),
                                           static_cast<T const*>(from_b), static_cast<Out*>(to));
                                };
                              });
      kernel += ", planned";
      return call;
    }
    return [policy, what, options](void const* from_a, void const* from_b, void* to) {
      with_gemm_views<T, Out>(what, from_a, from_b, to,
                              [&](auto const& a_view, auto const& b_view, auto const& c_view) {
                                gemm(policy, a_view, b_view, c_view, options);
                              });
    };
  });
}

}  // namespace

copy_call xpose_transpose(policy_choice const& policy, transpose_case const& what, void const* in,
                          void* out, std::string& kernel) {
  return make_bit_copy_call(policy, what, false, in, out, kernel);
}

copy_call xpose_copy(policy_choice const& policy, transpose_case const& what, void const* in,
                     void* out, std::string& kernel) {
  return make_bit_copy_call(policy, what, true, in, out, kernel);
}

copy_call xpose_transpose_inplace(policy_choice const& choice, transpose_case const& what,
                                  void* matrix, std::string& kernel) {
  return with_size(what.type.bytes, [&](auto size) {
    using T = bytes_of<decltype(size)::value>;
    auto const with_matrix = [what](void* memory, auto const& f) {
      with_view(static_cast<T*>(memory), what.batch, what.rows, what.cols, what.in_ld,
                what.in_batch_stride, false, f);
    };
    return with_policy(choice, [&](auto policy) -> copy_call {
      with_matrix(matrix, [&](auto const& view) {
        kernel = explain(policy, operation::transpose_inplace, view).kernel;
      });
      return [policy, with_matrix](void const*, void* memory) {
        with_matrix(memory, [&](auto const& view) { transpose_inplace(policy, view); });
      };
    });
  });
}

copy_call xpose_cast(policy_choice const& policy, cast_case const& what, void const* in, void* out,
                     std::string& kernel) {
  return with_cast_types(what.moved.type.kind, what.out_type.kind,
                         [&](auto from, auto to) -> copy_call {
                           using From = typename decltype(from)::type;
                           using To = typename decltype(to)::type;
                           return make_copy_call<From, To>(policy, what.moved, what.is_copy, in,
                                                           out, kernel, cast<To>{});
                         });
}

copy_call xpose_permute(policy_choice const& choice, permute_case const& what, void const* in,
                        void* out, std::string& kernel) {
  rank_8_permutation const d(what);
  return with_size(what.type.bytes, [&](auto size) {
    using T = bytes_of<decltype(size)::value>;
    auto const in_view = [d](void const* data) {
      return tensor_view<T const, 8>(static_cast<T const*>(data), d.in);
    };
    auto const out_view = [d](void* data) {
      return tensor_view<T, 8>(static_cast<T*>(data), d.out);
    };
    return with_policy(choice, [&](auto policy) -> copy_call {
      kernel =
          explain(policy, operation::permute, in_view(in), out_view(out), d.permutation).kernel;
      return [policy, in_view, out_view, d](void const* from, void* to) {
        permute(policy, in_view(from), out_view(to), d.permutation);
      };
    });
  });
}

combine_call xpose_add(policy_choice const& policy, add_case const& what, void const* a,
                       void const* b, void* c, std::string& kernel) {
  switch (what.type.kind) {
    case element_kind::f64:
      return make_add_call<double>(policy, what, a, b, c, kernel);
    case element_kind::c64:
      return make_add_call<std::complex<float>>(policy, what, a, b, c, kernel);
    case element_kind::c128:
      return make_add_call<std::complex<double>>(policy, what, a, b, c, kernel);
    default:
      return make_add_call<float>(policy, what, a, b, c, kernel);
  }
}

combine_call xpose_gemm(policy_choice const& policy, gemm_case const& what, gemm_type const& type,
                        void const* a, void const* b, void* c, std::string& kernel) {
  auto const make = [&](auto in, auto out, auto const& options) {
    return make_gemm_call<decltype(in), decltype(out)>(policy, what, options, a, b, c, kernel);
  };
  if (type.semiring == semiring_choice::min_plus)
    return make(float{}, float{}, options().over(min_plus{}));
  if (type.semiring == semiring_choice::max_plus)
    return make(float{}, float{}, options().over(max_plus{}));
  bool const is_out_f32 = what.c_type.kind == element_kind::f32;
  auto const plain = options().precision(type.precision);
  switch (what.type.kind) {
    case element_kind::f32:
      return make(float{}, float{}, plain);
    case element_kind::f64:
      return make(double{}, double{}, plain);
    case element_kind::c64:
      return make(std::complex<float>{}, std::complex<float>{}, plain);
    case element_kind::c128:
      return make(std::complex<double>{}, std::complex<double>{}, plain);
    case element_kind::f16:
      return is_out_f32 ? make(float16{}, float{}, plain) : make(float16{}, float16{}, plain);
    case element_kind::bf16:
      return is_out_f32 ? make(bfloat16{}, float{}, plain) : make(bfloat16{}, bfloat16{}, plain);
    case element_kind::e4m3:
      return is_out_f32 ? make(float8_e4m3{}, float{}, plain)
                        : make(float8_e4m3{}, bfloat16{}, plain);
    case element_kind::e5m2:
      return make(float8_e5m2{}, float{}, plain);
    case element_kind::i8:
      return make(std::int8_t{}, std::int32_t{}, plain);
    case element_kind::u8:
      return make(std::uint8_t{}, std::int32_t{}, plain);
    case element_kind::i32:
      return make(std::int32_t{}, std::int32_t{}, plain);
    case element_kind::i64:
      return make(std::int64_t{}, std::int64_t{}, plain);
    case element_kind::bytes:
      break;
  }
  throw std::invalid_argument("gemm of " + what.type.name + " does not exist");
}

}  // namespace xpose::bench
