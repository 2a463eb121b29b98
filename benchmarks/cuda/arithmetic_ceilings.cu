// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a device's arithmetic allows: chains of one instruction, on random mantissas, since constant
// operands draw less power and let the GPU clock higher. Tensor cores by wgmma (capability 90), by
// mma.sync for doubles and before; CUDA cores for the rest.

#include "ceilings/ceilings.hpp"
#include "cuda/check.hpp"

#include <xpose/backends/cuda/ptx/mma_sync.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace xpose::bench::device {
namespace {

constexpr unsigned threads_in_block = 256;

__device__ unsigned random_word(unsigned position) {
  unsigned word = (position + 1) * 0x9e3779b9u;
  word = (word ^ word >> 16) * 0x85ebca6bu;
  return word ^ word >> 13;
}

struct multiply_add {
  template <class T>
  __device__ static T step(T sum, T x, T y) {
    return sum * x + y;
  }
};
struct add_minimum {
  template <class T>
  __device__ static T step(T sum, T x, T y) {
    return min(sum + x, y);
  }
};

constexpr int chains = 8;

/// x below 1, so that sums converge.
template <class Step, class T>
__global__ void compute_chains(long steps, T* never_written) {
  auto const random = [](unsigned salt) {
    unsigned const word = random_word(salt * threads_in_block + threadIdx.x);
    if constexpr (std::is_integral_v<T>) return static_cast<T>(word);
    else return static_cast<T>(word) / static_cast<T>(4294967296.0) * static_cast<T>(0.99);
  };
  T const x = random(0);
  T const y = random(1);
  T accumulators[chains];
  for (int c = 0; c < chains; ++c) accumulators[c] = random(2 + c);
  for (long s = 0; s < steps; ++s)
#pragma unroll
    for (int c = 0; c < chains; ++c) accumulators[c] = Step::step(accumulators[c], x, y);
  T total = 0;
  for (int c = 0; c < chains; ++c) total += accumulators[c];
  if (total == static_cast<T>(-12345) && never_written != nullptr) *never_written = total;
}

constexpr int fragments = 8;

/// mma.sync m16n8k16 of doubles, a warp's 16 x 64 accumulators.
__global__ void compute_f64_mma(long steps, double* never_written) {
  auto const random = [](unsigned salt) {
    return random_word(salt * threads_in_block + threadIdx.x) / 4294967296.0 +
           random_word(salt + 77) / 1.9e19;
  };
  double a[4][2];
  double b[4];
  for (int k = 0; k < 4; ++k) {
    a[k][0] = random(3 * k) - 0.5;
    a[k][1] = random(3 * k + 1) - 0.5;
    b[k] = random(3 * k + 2) - 0.5;
  }
  double accumulators[fragments][2][2] = {};
  for (long s = 0; s < steps; ++s)
#pragma unroll
    for (auto& accumulator : accumulators) detail::mma_m16n8_f64(accumulator, a, b);
  double total = 0;
  for (auto const& accumulator : accumulators)
    total += accumulator[0][0] + accumulator[0][1] + accumulator[1][0] + accumulator[1][1];
  if (total == -12345 && never_written != nullptr) *never_written = total;
}

/// mma.sync m16n8 of 32 bytes of k.
template <class T, class K>
__global__ void compute_mma(long steps, K* never_written, unsigned mask, unsigned exponents) {
  unsigned a[4];
  unsigned b[2];
  for (int i = 0; i < 4; ++i) a[i] = (random_word(i * 256 + threadIdx.x) & mask) | exponents;
  for (int i = 0; i < 2; ++i) b[i] = (random_word(i * 256 + threadIdx.x + 4096) & mask) | exponents;
  K accumulators[fragments][2][2] = {};
  for (long s = 0; s < steps; ++s)
#pragma unroll
    for (auto& accumulator : accumulators) detail::mma_m16n8<T>(accumulator, a, b);
  K total = 0;
  for (auto const& accumulator : accumulators)
    total += accumulator[0][0] + accumulator[0][1] + accumulator[1][0] + accumulator[1][1];
  if (total == K(-12345) && never_written != nullptr) *never_written = total;
}

constexpr int warpgroups = 2;
constexpr int swizzle_bytes = 128;  ///< of k in a row of a tile
constexpr int wgmmas_in_step = swizzle_bytes / 32;

/// wgmma of two warpgroups, each 64 rows of A, on one tile of B.
template <class T, class K, int Columns>
__global__ void __launch_bounds__(128 * warpgroups)
    compute_wgmma(long steps, K* never_written, unsigned mask, unsigned exponents) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr unsigned a_words = 64 * swizzle_bytes / 4;
  constexpr unsigned b_words = Columns * swizzle_bytes / 4;
  __shared__ __align__(1024) unsigned tiles[warpgroups * a_words + b_words];
  // One hash of 16 bytes: with one of each word, this took as long as a small product.
  for (unsigned w = threadIdx.x; w < (warpgroups * a_words + b_words) / 4; w += blockDim.x) {
    unsigned const word = random_word(w);
    auto const element = [=](unsigned factor) { return (word * factor & mask) | exponents; };
    reinterpret_cast<uint4*>(tiles)[w] = {element(1), element(0x2c1b3c6du), element(0x297a2d39u),
                                          element(0x1b56c4e9u)};
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  auto const address = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
  auto const a =
      detail::smem_descriptor<swizzle_bytes>(address + threadIdx.x / 128 * a_words * 4, 0);
  auto const b = detail::smem_descriptor<swizzle_bytes>(address + warpgroups * a_words * 4, 0);
  K accumulators[Columns / 2] = {};
  for (long s = 0; s < steps; ++s) {
    detail::warpgroup_arrive();
    detail::fence_operands(accumulators);
#pragma unroll
    for (int k = 0; k < wgmmas_in_step; ++k)  // descriptors count 16 bytes
      detail::wgmma_ss<T, T, false, false>(accumulators, a + 2 * k, b + 2 * k, true);
    detail::warpgroup_commit();
    detail::warpgroup_wait<0>();
    detail::fence_operands(accumulators);
  }
  K total = 0;
  for (K const sum : accumulators) total += sum;
  if (total == K(-12345) && never_written != nullptr) *never_written = total;
#endif
}

/// That many steps of all threads of a block, blocks for every multiprocessor.
template <class Kernel, class... Arguments>
arithmetic_ceiling on_all(void* stream, char const* instruction, Kernel* kernel,
                          unsigned blocks_each, double operations_of_block,
                          Arguments... arguments) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
        "cudaDeviceGetAttribute");
  double const most_blocks = blocks_each * static_cast<double>(multiprocessors);
  return {"fma_peak", instruction, [=](double operations) {
            double const steps = std::ceil(operations / operations_of_block);
            double const blocks = std::clamp(steps, 1.0, most_blocks);
            kernel<<<static_cast<unsigned>(blocks), threads_in_block, 0,
                     static_cast<cudaStream_t>(stream)>>>(
                static_cast<long>(std::ceil(steps / blocks)), nullptr, arguments...);
            check(cudaGetLastError(), instruction);
          }};
}

template <class Step, class T>
arithmetic_ceiling on_cuda_cores(void* stream, char const* instruction) {
  return on_all(stream, instruction, compute_chains<Step, T>, 8, 2.0 * chains * threads_in_block);
}

/// Random words of a type: what to keep of them and what to set, so that floats lie around 1.
struct random_bits {
  unsigned mask;
  unsigned exponents;
};
constexpr random_bits any_bits = {0xffffffffu, 0};
constexpr random_bits f16_bits = {0x83ff83ffu, 0x3c003c00u};
constexpr random_bits bf16_bits = {0x807f807fu, 0x3f803f80u};
constexpr random_bits f32_bits = {0x807fffffu, 0x3f800000u};
constexpr random_bits e4m3_bits = {0x87878787u, 0x38383838u};
constexpr random_bits e5m2_bits = {0x83838383u, 0x3c3c3c3cu};

/// Whether this build's kernel for the device holds wgmma: accumulators need registers, and the
/// empty kernel of another capability has none.
template <class Kernel>
bool holds_accumulators(Kernel* kernel) {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.numRegs > 64;
}

template <class T, class K, int Columns>
std::vector<arithmetic_ceiling> by_wgmma(void* stream, char const* instruction, random_bits bits) {
  auto* const kernel = compute_wgmma<T, K, Columns>;
  if (!holds_accumulators(kernel)) return {};
  double const k = static_cast<double>(swizzle_bytes) / sizeof(T);
  return {on_all(stream, instruction, kernel, 1, 2.0 * warpgroups * 64 * Columns * k, bits.mask,
                 bits.exponents)};
}

/// The faster of wgmma and mma.sync that this device has.
template <class T, class K>
std::vector<arithmetic_ceiling> on_tensor_cores(void* stream, char const* wgmma, char const* mma,
                                                random_bits bits) {
  auto found = by_wgmma<T, K, 256>(stream, wgmma, bits);
  if (found.empty())
    found.push_back(on_all(stream, mma, compute_mma<T, K>, 2,
                           2.0 * threads_in_block / 32 * fragments * 16 * 8 * (32 / sizeof(T)),
                           bits.mask, bits.exponents));
  return found;
}

/// fast_f32 multiplies six pairs of bfloat16 planes.
std::vector<arithmetic_ceiling> six_times(std::vector<arithmetic_ceiling> found) {
  for (auto& c : found)
    c.compute = [compute = c.compute](double operations) { compute(6 * operations); };
  return found;
}

}  // namespace

std::vector<arithmetic_ceiling> arithmetic_ceilings(void* stream, gemm_type const& type) {
  if (type.semiring != semiring_choice::plus_times)
    return {on_cuda_cores<add_minimum, float>(stream, "f32 add, min")};
  if (type.precision == gemm_precision::tf32)
    return by_wgmma<detail::tf32_element, float, 256>(stream, "wgmma tf32", f32_bits);
  auto const bf16 = [stream] {
    return on_tensor_cores<bfloat16, float>(stream, "wgmma bf16", "mma.sync bf16", bf16_bits);
  };
  if (type.precision == gemm_precision::fast_f32) return six_times(bf16());
  switch (type.in.kind) {
    case element_kind::f64:
    case element_kind::c128:
      return {on_all(stream, "mma.sync f64", compute_f64_mma, 2,
                     2.0 * threads_in_block / 32 * fragments * 16 * 8 * 16)};
    case element_kind::f16:
      return on_tensor_cores<float16, float>(stream, "wgmma f16", "mma.sync f16", f16_bits);
    case element_kind::bf16:
      return bf16();
    case element_kind::e4m3:
      return by_wgmma<float8_e4m3, float, 128>(stream, "wgmma e4m3", e4m3_bits);
    case element_kind::e5m2:
      return by_wgmma<float8_e5m2, float, 128>(stream, "wgmma e5m2", e5m2_bits);
    case element_kind::i8:
      return on_tensor_cores<std::int8_t, std::int32_t>(stream, "wgmma s8", "mma.sync s8",
                                                        any_bits);
    case element_kind::u8:
      return on_tensor_cores<std::uint8_t, std::int32_t>(stream, "wgmma u8", "mma.sync u8",
                                                         any_bits);
    case element_kind::i32:
      return {on_cuda_cores<multiply_add, std::int32_t>(stream, "i32 imad")};
    case element_kind::i64:
      return {on_cuda_cores<multiply_add, std::int64_t>(stream, "i64 imad")};
    default:
      return {on_cuda_cores<multiply_add, float>(stream, "f32 fma")};
  }
}

}  // namespace xpose::bench::device
