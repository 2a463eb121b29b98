// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A user's program with products of its own, which CMake compiles for one architecture after the
// other: whatever that is, a device that can run the code gets the right result, from every row of
// the tables that gemm chooses from, and any other says that it cannot. Ends with 77 without a GPU.
// XPOSE_TEST_TYPES says for how many of the types (1, 2, 3 or 5).

#include <xpose/xpose.hpp>

#include <cuda_runtime_api.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace xp = xpose;

namespace {

constexpr xp::index rows = 130, cols = 200, depth = 71;

/// Of a type that no row of the compiled list has, so that this file has the kernels.
struct same {
  template <class T>
  XPOSE_HOST_DEVICE T operator()(T const& x) const {
    return x;
  }
};

void check(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", call, cudaGetErrorName(status));
  std::exit(1);
}

template <class T>
class device_memory {
 public:
  explicit device_memory(xp::index count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    check(cudaMalloc(&data_, bytes_), "cudaMalloc");
  }
  ~device_memory() { cudaFree(data_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;
  T* data() const { return static_cast<T*>(data_); }
  void write(std::vector<T> const& from) {
    check(cudaMemcpy(data_, from.data(), bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void clear() { check(cudaMemset(data_, 0xFF, bytes_), "cudaMemset"); }
  std::vector<T> read() const {
    std::vector<T> to(bytes_ / sizeof(T));
    check(cudaMemcpy(to.data(), data_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

int value_of_a(xp::index i, xp::index k) { return static_cast<int>((i + 2 * k) % 5) - 2; }
int value_of_b(xp::index k, xp::index j) { return static_cast<int>((3 * k + j) % 7) - 3; }

template <class T, class C>
class product {
  using sum = xp::accumulator_t<T>;
  using K = xp::detail::kernel_type_t<sum>;
  using problem =
      xp::detail::gemm_problem<xp::detail::kernel_type_t<T>, xp::detail::kernel_type_t<T>,
                               xp::detail::kernel_type_t<C>, K, xp::plus_times,
                               xp::detail::typed_epilogue<sum, same>>;

 public:
  explicit product(char const* types)
      : types_(types), expected_(rows * cols), a_(rows * depth), b_(depth * cols), c_(rows * cols) {
    for (xp::index i = 0; i < rows; ++i)
      for (xp::index j = 0; j < cols; ++j) {
        int sum = 0;
        for (xp::index k = 0; k < depth; ++k) sum += value_of_a(i, k) * value_of_b(k, j);
        expected_[static_cast<std::size_t>(i * cols + j)] = C(static_cast<float>(sum));
      }
  }

  /// What is wrong, with operands that lie either way.
  int errors() {
    int wrong = 0;
    for (bool const by_rows : {true, false}) {
      auto const order = by_rows ? xp::row_major : xp::col_major;
      std::vector<T> a(rows * depth), b(depth * cols);
      xp::matrix_view<T> const here_a(a.data(), rows, depth, order);
      xp::matrix_view<T> const here_b(b.data(), depth, cols, order);
      for (xp::index k = 0; k < depth; ++k) {
        for (xp::index i = 0; i < rows; ++i) here_a(i, k) = T(static_cast<float>(value_of_a(i, k)));
        for (xp::index j = 0; j < cols; ++j) here_b(k, j) = T(static_cast<float>(value_of_b(k, j)));
      }
      a_.write(a);
      b_.write(b);
      wrong += errors_of({a_.data(), rows, depth, order}, {b_.data(), depth, cols, order});
    }
    return wrong;
  }

  /// Whether a device that cannot run this file's code is told so.
  bool is_refused() const {
    try {
      xp::gemm(xp::cuda, xp::matrix_view<T const>(a_.data(), rows, depth),
               xp::matrix_view<T const>(b_.data(), depth, cols),
               xp::matrix_view<C>(c_.data(), rows, cols), xp::options().epilogue(same{}));
    } catch (xp::cuda_error const& e) {
      std::printf("%s: %s\n", types_, e.what());
      return true;
    }
    return false;
  }

 private:
  int errors_of(xp::matrix_view<T const> a, xp::matrix_view<T const> b) {
    xp::matrix_view<C> const c(c_.data(), rows, cols);
    c_.clear();
    xp::gemm(xp::cuda, a, b, c, xp::options().epilogue(same{}));
    int wrong = count_wrong("chosen");
    using table = xp::detail::gemm_configs_of<problem>;
    for (int r = 0; r < table::count; ++r) {
      xp::detail::gemm_config const& config = table::type::configs[r];
      bool const holds_k = !has_one_stage(config) ||
                           config.kind == xp::detail::gemm_kernel_kind::mma_sync_unaligned ||
                           depth <= config.block_k;
      if (config.kind == xp::detail::gemm_kernel_kind::wgmma || !holds_k ||
          xp::detail::shared_bytes_of(config, sizeof(T), sizeof(K)) >
              xp::detail::properties_of_device().shared_bytes)
        continue;
      c_.clear();
      launch_choice(xp::detail::policy_traits<xp::cuda_policy>::make(xp::cuda), problem_of(a, b, c),
                    {r, 1, depth});
      check(cudaDeviceSynchronize(), config.name);
      wrong += count_wrong(config.name);
    }
    return wrong;
  }

  /// As dispatch_gemm makes it.
  static problem problem_of(xp::matrix_view<T const> a, xp::matrix_view<T const> b,
                            xp::matrix_view<C> c) {
    using namespace xp::detail;
    static K const zero{};
    gemm_request const request{view_traits<xp::matrix_view<T const>>::make(a),
                               view_traits<xp::matrix_view<T const>>::make(b),
                               view_traits<xp::matrix_view<C>>::make(c),
                               element_type_of<K>(),
                               semiring_id::user,
                               &zero,
                               &zero,
                               true,
                               false,
                               true,
                               xp::gemm_precision::full};
    return make_problem<kernel_type_t<T>, kernel_type_t<T>, kernel_type_t<C>, K>(
        request, xp::plus_times{}, typed_epilogue<sum, same>{same{}});
  }

  int count_wrong(char const* row) const {
    auto const got = c_.read();
    int wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] == expected_[i] ? 0 : 1;
    if (wrong > 0)
      std::printf("%s, %s: %d of %d elements wrong\n", types_, row, wrong,
                  static_cast<int>(got.size()));
    return wrong;
  }

  char const* types_;
  std::vector<C> expected_;
  device_memory<T> a_;
  device_memory<T> b_;
  device_memory<C> c_;
};

__global__ void anything() {}

}  // namespace

int main() {
  char reason[256];
  if (!xp::detail::cuda_is_available(reason, sizeof reason)) {
    std::printf("%s\n", reason);
    return 77;
  }
  cudaFuncAttributes attributes{};
  bool const has_code = cudaFuncGetAttributes(&attributes, anything) == cudaSuccess;
  cudaGetLastError();
  if (!has_code) {
    std::printf("this device cannot run the code of this file\n");
    return product<double, double>("double").is_refused() ? 0 : 1;
  }
  int wrong = product<double, double>("double").errors();
#if XPOSE_TEST_TYPES >= 2
  wrong += product<xp::float16, float>("float16 to float").errors();
#endif
#if XPOSE_TEST_TYPES >= 3
  wrong += product<std::int8_t, std::int32_t>("int8 to int32").errors();
#endif
#if XPOSE_TEST_TYPES >= 5
  wrong += product<xp::bfloat16, float>("bfloat16 to float").errors();
  wrong += product<std::complex<double>, std::complex<double>>("complex<double>").errors();
#endif
  std::printf("code for %d: %s\n", attributes.ptxVersion, wrong == 0 ? "right" : "wrong");
  return wrong == 0 ? 0 : 1;
}
