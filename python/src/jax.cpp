// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// _jax.so: the handlers by which XLA calls the library, for its platforms cpu and CUDA. jax.py
// registers them, checks what they are given, and merges dimensions; here attributes and dense
// row-major buffers become a call of xpose.h. Knows nothing of Python, so one file serves all.

#include <xla/ffi/api/ffi.h>
#include <xpose/xpose.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace xpose::python {
namespace {

namespace ffi = xla::ffi;
using integers = ffi::Span<std::int64_t const>;

/// XPOSE_RAW for elements that only moves take.
xpose_dtype dtype_of(ffi::AnyBuffer const& buffer) {
  switch (buffer.element_type()) {
    case ffi::DataType::PRED:
      return XPOSE_BOOL;
    case ffi::DataType::S8:
      return XPOSE_I8;
    case ffi::DataType::U8:
      return XPOSE_U8;
    case ffi::DataType::S16:
      return XPOSE_I16;
    case ffi::DataType::U16:
      return XPOSE_U16;
    case ffi::DataType::S32:
      return XPOSE_I32;
    case ffi::DataType::U32:
      return XPOSE_U32;
    case ffi::DataType::S64:
      return XPOSE_I64;
    case ffi::DataType::U64:
      return XPOSE_U64;
    case ffi::DataType::F16:
      return XPOSE_F16;
    case ffi::DataType::BF16:
      return XPOSE_BF16;
    case ffi::DataType::F32:
      return XPOSE_F32;
    case ffi::DataType::F64:
      return XPOSE_F64;
    case ffi::DataType::C64:
      return XPOSE_C64;
    case ffi::DataType::C128:
      return XPOSE_C128;
    case ffi::DataType::F8E4M3FN:
      return XPOSE_E4M3;
    case ffi::DataType::F8E5M2:
      return XPOSE_E5M2;
    default:
      return XPOSE_RAW;
  }
}

std::int64_t element_bytes(ffi::AnyBuffer const& buffer) {
  return static_cast<std::int64_t>(ffi::ByteWidth(buffer.element_type()));
}

ffi::Error error_of(xpose_status status) {
  switch (status) {
    case XPOSE_OK:
      return ffi::Error::Success();
    case XPOSE_BACKEND_ERROR:
      return {ffi::ErrorCode::kUnimplemented, xpose_last_error()};
    case XPOSE_OUT_OF_MEMORY:
      return {ffi::ErrorCode::kResourceExhausted, xpose_last_error()};
    case XPOSE_CUDA_ERROR:
    case XPOSE_UNKNOWN_ERROR:
    case XPOSE_DEVICE_LOST:
      return ffi::Error::Internal(xpose_last_error());
    default:
      return ffi::Error::InvalidArgument(xpose_last_error());
  }
}

// Where a call runs. On the platform CUDA "automatic" is the GPU that XLA runs on; the call is
// enqueued on XLA's stream, and nothing waits for it.

xpose_policy on_host(std::int32_t backend, std::int32_t threads) {
  auto const chosen = static_cast<xpose_backend>(backend);
  xpose_policy policy = xpose_policy_of(chosen == XPOSE_AUTOMATIC ? XPOSE_OMP : chosen);
  if (policy.backend == XPOSE_OMP) policy.threads = threads;
  return policy;
}

xpose_policy on_stream(std::int32_t backend, void* stream) {
  auto const chosen = static_cast<xpose_backend>(backend);
  xpose_policy policy = xpose_policy_of(chosen == XPOSE_AUTOMATIC ? XPOSE_CUDA : chosen);
  if (policy.backend != XPOSE_CUDA) return policy;  // the library says that it reaches no such data
  policy.stream = stream;
  policy.flags = XPOSE_NOSYNC | XPOSE_STRICT;
  return policy;
}

/// Temporary memory of the GPU from XLA's pool, which takes it back when the handler returns: work
/// that XLA enqueues later on the same stream may have it then.
void* allocate(void* scratch, std::size_t bytes, void*) {
  constexpr std::size_t of_library = 256;
  constexpr std::size_t of_xla = 16;  // at most: it refuses more
  std::optional<void*> const given =
      static_cast<ffi::ScratchAllocator*>(scratch)->Allocate(bytes + of_library - of_xla, of_xla);
  if (!given || *given == nullptr) return nullptr;
  auto const address = reinterpret_cast<std::uintptr_t>(*given);
  return reinterpret_cast<void*>((address + of_library - 1) / of_library * of_library);
}
void keep(void*, void*, std::size_t, void*) {}

char* at(ffi::AnyBuffer const& buffer, std::int64_t elements) {
  return static_cast<char*>(buffer.untyped_data()) + elements * element_bytes(buffer);
}

/// How far position number `position` of the first `rank` extents lies from the first, in elements.
std::int64_t offset(integers extents, integers steps, std::size_t rank, std::int64_t position) {
  std::int64_t offset = 0;
  for (std::size_t d = rank; d-- > 0; position /= extents[d])
    offset += position % extents[d] * steps[d];
  return offset;
}

std::int64_t count(integers extents, std::size_t rank) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) count *= extents[d];
  return count;
}

// permute: extents are in's, with neighbours merged that stay neighbours.

ffi::Error permute(xpose_policy const& policy, integers extents,
                   ffi::Span<std::int32_t const> permutation, std::int32_t function,
                   ffi::AnyBuffer in, ffi::Result<ffi::AnyBuffer> out) {
  auto const rank = static_cast<std::int32_t>(extents.size());
  xpose_tensor from = xpose_packed_tensor(in.untyped_data(), dtype_of(in), rank, extents.begin());
  std::int64_t out_extents[8] = {};
  for (std::size_t d = 0; d < extents.size() && d < 8; ++d)
    out_extents[d] = extents[static_cast<std::size_t>(permutation[d])];
  xpose_tensor to = xpose_packed_tensor(out->untyped_data(), dtype_of(*out), rank, out_extents);
  if (function == XPOSE_IDENTITY) {
    from.dtype = to.dtype = XPOSE_RAW;
    from.element_bytes = to.element_bytes = element_bytes(in);
  }
  return error_of(xpose_permute(&policy, &from, &to, permutation.begin(),
                                static_cast<xpose_function>(function)));
}

// add: extents are out's, merged; the last three are a batch, its rows and its columns, and each
// position of those before them is a call. Steps are 0 where an operand repeats.

ffi::Error add(xpose_policy const& policy, integers extents, integers a_steps, integers b_steps,
               integers alpha, integers beta, ffi::AnyBuffer a, ffi::AnyBuffer b,
               ffi::Result<ffi::AnyBuffer> c) {
  std::size_t const outer = extents.size() - 3;
  std::int64_t const rows = extents[outer + 1];
  std::int64_t const cols = extents[outer + 2];
  xpose_batch to = xpose_packed_batch(c->untyped_data(), dtype_of(*c), extents[outer], rows, cols);
  auto const operand = [&](ffi::AnyBuffer const& buffer, integers steps) {
    xpose_batch batch = to;
    batch.first.row_stride = steps[outer + 1];
    batch.first.col_stride = steps[outer + 2];
    batch.batch_stride = steps[outer];
    batch.first.data = buffer.untyped_data();
    return batch;
  };
  xpose_batch left = operand(a, a_steps);
  xpose_batch right = operand(b, b_steps);
  std::int64_t const elements = to.count * rows * cols;
  xpose_status status = XPOSE_OK;
  for (std::int64_t p = 0; p < count(extents, outer) && status == XPOSE_OK; ++p) {
    left.first.data = at(a, offset(extents, a_steps, outer, p));
    right.first.data = at(b, offset(extents, b_steps, outer, p));
    to.first.data = at(*c, p * elements);
    status = xpose_add_batch(&policy, alpha.begin(), &left, beta.begin(), &right, &to);
  }
  return error_of(status);
}

// matmul: the matrices are the last two dimensions of the buffers. extents are those before them,
// merged: the last is a batch, and each position of those before it is a call.

/// The matrices that lie in the last two dimensions of a buffer.
xpose_matrix matrix_of(ffi::AnyBuffer const& buffer, xpose_dtype dtype, bool is_transposed,
                       bool is_conjugated) {
  auto const extents = buffer.dimensions();
  xpose_matrix const matrix =
      xpose_row_major(buffer.untyped_data(), dtype, extents[extents.size() - 2], extents.back());
  xpose_matrix result = is_transposed ? xpose_transposed(matrix) : matrix;
  result.conjugated = static_cast<std::int32_t>(is_conjugated);
  return result;
}

/// A row, a column or a single element repeats, which the library reads off the extents.
xpose_matrix layer_operand(ffi::AnyBuffer const& buffer) {
  return matrix_of(buffer, dtype_of(buffer), false, false);
}

ffi::Error matmul(xpose_policy const& policy, integers extents, integers a_steps, integers b_steps,
                  bool is_scaled, integers alpha, bool a_is_transposed, bool b_is_transposed,
                  bool a_is_conjugated, bool b_is_conjugated, std::int32_t semiring,
                  std::int32_t precision, std::int32_t accumulate, std::int32_t activation,
                  bool has_scale, bool has_bias, ffi::AnyBuffer a, ffi::AnyBuffer b,
                  ffi::RemainingArgs layer, ffi::Result<ffi::AnyBuffer> c) {
  auto const type = [&](ffi::AnyBuffer const& buffer) {
    xpose_dtype const dtype = dtype_of(buffer);
    return semiring == XPOSE_OR_AND && dtype == XPOSE_BOOL ? XPOSE_U8 : dtype;  // 0 and 1
  };
  std::size_t const outer = extents.size() - 1;
  xpose_batch left{matrix_of(a, type(a), a_is_transposed, a_is_conjugated), extents[outer],
                   a_steps[outer]};
  xpose_batch right{matrix_of(b, type(b), b_is_transposed, b_is_conjugated), extents[outer],
                    b_steps[outer]};
  xpose_matrix const first = matrix_of(*c, type(*c), false, false);
  std::int64_t const elements = first.rows * first.cols;
  xpose_batch to{first, extents[outer], elements};

  xpose_gemm_options options = xpose_default_gemm_options();
  options.semiring = static_cast<xpose_semiring>(semiring);
  options.precision = static_cast<xpose_precision>(precision);
  options.accumulate = static_cast<xpose_dtype>(accumulate);
  xpose_matrix scale;
  xpose_matrix bias;
  xpose_layer applied;
  if (activation != XPOSE_NO_ACTIVATION || has_scale || has_bias) {
    if (has_scale) {
      ffi::ErrorOr<ffi::AnyBuffer> const operand = layer.get<ffi::AnyBuffer>(0);
      if (!operand.has_value()) return operand.error();
      scale = layer_operand(*operand);
    }
    if (has_bias) {
      ffi::ErrorOr<ffi::AnyBuffer> const operand = layer.get<ffi::AnyBuffer>(has_scale ? 1 : 0);
      if (!operand.has_value()) return operand.error();
      bias = layer_operand(*operand);
    }
    applied = xpose_layer_of(static_cast<xpose_activation>(activation),
                             has_scale ? &scale : nullptr, has_bias ? &bias : nullptr);
    options.layer = &applied;
  }

  xpose_status status = XPOSE_OK;
  for (std::int64_t p = 0; p < count(extents, outer) && status == XPOSE_OK; ++p) {
    left.first.data = at(a, offset(extents, a_steps, outer, p));
    right.first.data = at(b, offset(extents, b_steps, outer, p));
    to.first.data = at(*c, p * to.count * elements);
    status = xpose_gemm_batch(&policy, is_scaled ? alpha.begin() : nullptr, &left, &right, nullptr,
                              &to, &options);
  }
  return error_of(status);
}

// What XLA is told of each operation: the attributes and buffers behind those that say where.

template <class Where>
auto permute_operands(Where where) {
  return std::move(where)
      .template Attr<integers>("extents")
      .template Attr<ffi::Span<std::int32_t const>>("permutation")
      .template Attr<std::int32_t>("function")
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>();
}

template <class Where>
auto add_operands(Where where) {
  return std::move(where)
      .template Attr<integers>("extents")
      .template Attr<integers>("a_steps")
      .template Attr<integers>("b_steps")
      .template Attr<integers>("alpha")
      .template Attr<integers>("beta")
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .template Ret<ffi::AnyBuffer>();
}

template <class Where>
auto matmul_operands(Where where) {
  return std::move(where)
      .template Attr<integers>("extents")
      .template Attr<integers>("a_steps")
      .template Attr<integers>("b_steps")
      .template Attr<bool>("is_scaled")
      .template Attr<integers>("alpha")
      .template Attr<bool>("a_is_transposed")
      .template Attr<bool>("b_is_transposed")
      .template Attr<bool>("a_is_conjugated")
      .template Attr<bool>("b_is_conjugated")
      .template Attr<std::int32_t>("semiring")
      .template Attr<std::int32_t>("precision")
      .template Attr<std::int32_t>("accumulate")
      .template Attr<std::int32_t>("activation")
      .template Attr<bool>("has_scale")
      .template Attr<bool>("has_bias")
      .template Arg<ffi::AnyBuffer>()
      .template Arg<ffi::AnyBuffer>()
      .RemainingArgs()
      .template Ret<ffi::AnyBuffer>();
}

auto of_cpu() {
  return ffi::Ffi::Bind().Attr<std::int32_t>("backend").Attr<std::int32_t>("threads");
}

auto of_cuda() {
  return ffi::Ffi::Bind()
      .Attr<std::int32_t>("backend")
      .Attr<std::int32_t>("threads")
      .Ctx<ffi::PlatformStream<void*>>();
}

}  // namespace
}  // namespace xpose::python

// XLA may record moves and sums in a CUDA graph. Products may not be: XLA would give away their
// temporary memory when they are recorded, and the graph would still write there.
#pragma GCC visibility push(default)
namespace xpose::python {

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    xpose_jax_permute_cpu,
    [](std::int32_t backend, std::int32_t threads, auto... operands) {
      return permute(on_host(backend, threads), operands...);
    },
    permute_operands(of_cpu()));

XLA_FFI_DEFINE_HANDLER_SYMBOL(xpose_jax_permute_cuda,
                              [](std::int32_t backend, std::int32_t, void* stream,
                                 auto... operands) {
                                return permute(on_stream(backend, stream), operands...);
                              },
                              permute_operands(of_cuda()), {ffi::Traits::kCmdBufferCompatible});

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    xpose_jax_add_cpu,
    [](std::int32_t backend, std::int32_t threads, auto... operands) {
      return add(on_host(backend, threads), operands...);
    },
    add_operands(of_cpu()));

XLA_FFI_DEFINE_HANDLER_SYMBOL(xpose_jax_add_cuda,
                              [](std::int32_t backend, std::int32_t, void* stream,
                                 auto... operands) {
                                return add(on_stream(backend, stream), operands...);
                              },
                              add_operands(of_cuda()), {ffi::Traits::kCmdBufferCompatible});

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    xpose_jax_matmul_cpu,
    [](std::int32_t backend, std::int32_t threads, auto... operands) {
      return matmul(on_host(backend, threads), operands...);
    },
    matmul_operands(of_cpu()));

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    xpose_jax_matmul_cuda,
    [](std::int32_t backend, std::int32_t, void* stream, ffi::ScratchAllocator scratch,
       auto... operands) {
      xpose_policy policy = on_stream(backend, stream);
      if (policy.backend == XPOSE_CUDA) {
        policy.memory_context = &scratch;
        policy.allocate = allocate;
        policy.deallocate = keep;
      }
      return matmul(policy, operands...);
    },
    matmul_operands(of_cuda().Ctx<ffi::ScratchAllocator>()));

}  // namespace xpose::python
#pragma GCC visibility pop
