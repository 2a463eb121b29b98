// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm by xpose::gemm, as a library to preload
// into netlib's test programs: with the policy that XPOSE_NETLIB_POLICY names and on
// XPOSE_NETLIB_THREADS threads. Says at the end, on standard error, how many products it
// calculated.

#include <xpose/xpose.hpp>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#if XPOSE_NETLIB_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

extern "C" {
/// The test programs' own: told which argument is wrong, counted from 1.
void cblas_xerbla(int argument, char const* routine, char const* form, ...);
/// Netlib's library has these, and its test programs look at the first: rows being contiguous, it
/// takes the numbers of arguments for those of the transposed product.
int RowMajorStrg = 0;
int CBLAS_CallFromC = 0;
}

namespace {

using xpose::index;

enum { row_major = 101, col_major = 102, no_trans = 111, trans = 112, conj_trans = 113 };

struct product_counter {
  long products = 0;
  ~product_counter() { std::fprintf(stderr, "xpose calculated %ld products\n", products); }
} counter;

std::string wanted(char const* variable, char const* otherwise) {
  char const* const set = std::getenv(variable);
  return set != nullptr ? set : otherwise;
}

/// An operand as cblas means it: rows x cols, `ld` from row to row or from column to column.
template <class T>
struct stored {
  T* data;
  int rows;
  int cols;
  int ld;
  bool has_rows;  // contiguous ones

  int least_ld() const { return std::max(1, has_rows ? cols : rows); }
  index elements() const {
    index const lines = has_rows ? rows : cols;
    index const in_line = has_rows ? cols : rows;
    return lines == 0 || in_line == 0 ? 0 : (lines - 1) * ld + in_line;
  }
  xpose::matrix_view<T> view() const {
    return {data, rows, cols, has_rows ? xpose::strided{ld, 1} : xpose::strided{1, ld}};
  }
};

#if XPOSE_NETLIB_HAS_CUDA
/// Where a device reaches it: what lies between the rows too.
template <class T>
class managed_copy {
 public:
  explicit managed_copy(stored<T> const& host) : host_(host), there_(host) {
    void* memory = nullptr;
    if (bytes() > 0 && cudaMallocManaged(&memory, bytes()) != cudaSuccess) std::abort();
    if (bytes() > 0) std::memcpy(memory, host.data, bytes());
    there_.data = static_cast<T*>(memory);
  }
  ~managed_copy() { cudaFree(const_cast<void*>(static_cast<void const*>(there_.data))); }
  managed_copy(managed_copy const&) = delete;
  managed_copy& operator=(managed_copy const&) = delete;

  stored<T> const& there() const { return there_; }
  void fetch() const {
    if (bytes() > 0) std::memcpy(host_.data, there_.data, bytes());
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(host_.elements()) * sizeof(T); }
  stored<T> host_;
  stored<T> there_;
};
#endif

template <class Policy, class T>
void multiply_as(Policy const& policy, T alpha, stored<T> const& a, int a_op, stored<T> const& b,
                 int b_op, T beta, xpose::matrix_view<T> const& c) {
  auto const with_op = [](stored<T> const& x, int op, auto const& use) {
    if (op == no_trans) use(x.view());
    else if (op == trans) use(x.view().transposed());
    else use(xpose::conjugated(x.view().transposed()));
  };
  with_op(a, a_op, [&](auto const& op_a) {
    with_op(b, b_op, [&](auto const& op_b) { xpose::gemm(policy, alpha, op_a, op_b, beta, c); });
  });
}

template <class T>
void multiply(T alpha, stored<T> const& a, int a_op, stored<T> const& b, int b_op, T beta,
              stored<T> const& c) {
  static std::string const policy = wanted("XPOSE_NETLIB_POLICY", "omp");
  static int const threads = std::atoi(wanted("XPOSE_NETLIB_THREADS", "1").c_str());
  ++counter.products;
  if (policy == "reference")
    return multiply_as(xpose::reference, alpha, a, a_op, b, b_op, beta, c.view());
  if (policy == "seq") return multiply_as(xpose::seq, alpha, a, a_op, b, b_op, beta, c.view());
  if (policy == "omp")
    return multiply_as(xpose::omp.with(xpose::threads{threads}), alpha, a, a_op, b, b_op, beta,
                       c.view());
#if XPOSE_NETLIB_HAS_CUDA
  if (policy == "cuda") {
    managed_copy<T> const there_a(a);
    managed_copy<T> const there_b(b);
    managed_copy<T> const there_c(c);
    multiply_as(xpose::cuda, alpha, there_a.there(), a_op, there_b.there(), b_op, beta,
                there_c.there().view());
    return there_c.fetch();
  }
#endif
  std::fprintf(stderr, "XPOSE_NETLIB_POLICY is %s\n", policy.c_str());
  std::abort();
}

/// As netlib's tests number and name what is wrong.
template <class T>
void checked_gemm(char const* name, int order, int a_op, int b_op, int m, int n, int k, T alpha,
                  T* a, int lda, T* b, int ldb, T beta, T* c, int ldc) {
  auto const is_op = [](int op) { return op == no_trans || op == trans || op == conj_trans; };
  if (order != row_major && order != col_major)
    return cblas_xerbla(1, name, "Illegal Order setting, %d\n", order);
  bool const has_rows = order == row_major;
  RowMajorStrg = has_rows;
  auto const operand = [&](T* data, int op, int rows, int cols, int ld) {
    return op == no_trans ? stored<T>{data, rows, cols, ld, has_rows}
                          : stored<T>{data, cols, rows, ld, has_rows};
  };
  stored<T> const in_a = operand(a, a_op, m, k, lda);
  stored<T> const in_b = operand(b, b_op, k, n, ldb);
  stored<T> const out = operand(c, no_trans, m, n, ldc);
  struct {
    bool is_wrong;
    int argument;
  } const rules[] = {
      {!is_op(a_op), 2},
      {!is_op(b_op), 3},
      {has_rows ? n < 0 : m < 0, 4},
      {has_rows ? m < 0 : n < 0, 5},
      {k < 0, 6},
      {has_rows ? ldb < in_b.least_ld() : lda < in_a.least_ld(), 9},
      {has_rows ? lda < in_a.least_ld() : ldb < in_b.least_ld(), 11},
      {ldc < out.least_ld(), 14},
  };
  for (auto const& rule : rules)
    if (rule.is_wrong) {
      cblas_xerbla(rule.argument, name, "");
      RowMajorStrg = 0;
      return;
    }
  RowMajorStrg = 0;
  multiply(alpha, in_a, a_op, in_b, b_op, beta, out);
}

}  // namespace

extern "C" {

void cblas_sgemm(int order, int a_op, int b_op, int m, int n, int k, float alpha, float* a, int lda,
                 float* b, int ldb, float beta, float* c, int ldc) {
  checked_gemm("cblas_sgemm", order, a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_dgemm(int order, int a_op, int b_op, int m, int n, int k, double alpha, double* a,
                 int lda, double* b, int ldb, double beta, double* c, int ldc) {
  checked_gemm("cblas_dgemm", order, a_op, b_op, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void cblas_cgemm(int order, int a_op, int b_op, int m, int n, int k,
                 std::complex<float> const* alpha, std::complex<float>* a, int lda,
                 std::complex<float>* b, int ldb, std::complex<float> const* beta,
                 std::complex<float>* c, int ldc) {
  checked_gemm("cblas_cgemm", order, a_op, b_op, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
void cblas_zgemm(int order, int a_op, int b_op, int m, int n, int k,
                 std::complex<double> const* alpha, std::complex<double>* a, int lda,
                 std::complex<double>* b, int ldb, std::complex<double> const* beta,
                 std::complex<double>* c, int ldc) {
  checked_gemm("cblas_zgemm", order, a_op, b_op, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
}
