// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A double of cuBLASMp for tests without GPUs, loaded as XPOSE_CUBLASMP names it: gathers A and B
// by MPI and multiplies by the definition, when the stream comes to it. It refuses what cublasmp.h
// says that it does not take. XPOSE_CUBLASMP_DOUBLE: "grid" and "gemm" fail on the last process.
#include <mpi.h>

#include <dlfcn.h>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" void fake_enqueue(void* stream, int (*is_done)(void*), void* context);

namespace {

using std::int64_t;

enum status : int { success = 0, invalid_value = 3, execution_failed = 5 };
constexpr std::size_t device_bytes = 1000;
constexpr std::size_t host_bytes = 100;

struct handle {
  void* stream;
};
struct grid {
  int64_t rows, cols;
  bool is_row_major;
  MPI_Comm processes;
  int rank;
  void* nccl;

  int64_t row_of(int process) const { return is_row_major ? process / cols : process % rows; }
  int64_t col_of(int process) const { return is_row_major ? process % cols : process / rows; }
};
struct matrix {
  int64_t rows, cols, block_rows, block_cols, first_row, first_col, leading;
  int type;
  grid* on;
};

bool is_asked_to_fail(char const* way) {
  char const* const asked = std::getenv("XPOSE_CUBLASMP_DOUBLE");
  return asked != nullptr && std::strcmp(asked, way) == 0;
}
bool must_fail(grid const& g, char const* way) {
  return is_asked_to_fail(way) && g.rank == g.rows * g.cols - 1;
}

/// What waits for a process that failed.
int wait_for_abort(void* context) {
  static auto const is_aborted =
      reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "nccl_double_is_aborted"));
  return is_aborted(static_cast<grid*>(context)->nccl);
}

/// Positions of a dimension on a process that is so far behind the one with the first block.
int64_t local_extent(int64_t extent, int64_t block, int64_t processes, int64_t distance) {
  int64_t count = 0;
  for (int64_t at = 0; at < extent; ++at) count += at / block % processes == distance;
  return count;
}
int64_t distance(int64_t position, int64_t first, int64_t processes) {
  return (position - first + processes) % processes;
}

/// A whole matrix, from the parts of all processes.
template <class T>
std::vector<T> gathered(matrix const& m, T const* local) {
  grid const& g = *m.on;
  int const processes = static_cast<int>(g.rows * g.cols);
  std::vector<T> whole(static_cast<std::size_t>(m.rows * m.cols));
  for (int p = 0; p < processes; ++p) {
    int64_t const row = distance(g.row_of(p), m.first_row, g.rows);
    int64_t const col = distance(g.col_of(p), m.first_col, g.cols);
    int64_t const rows = local_extent(m.rows, m.block_rows, g.rows, row);
    int64_t const cols = local_extent(m.cols, m.block_cols, g.cols, col);
    std::vector<T> part(static_cast<std::size_t>(rows * cols));
    if (p == g.rank)
      for (int64_t j = 0; j < cols; ++j)
        for (int64_t i = 0; i < rows; ++i)
          part[static_cast<std::size_t>(j * rows + i)] = local[j * m.leading + i];
    MPI_Bcast(part.data(), static_cast<int>(part.size() * sizeof(T)), MPI_BYTE, p, g.processes);
    for (int64_t j = 0; j < cols; ++j)
      for (int64_t i = 0; i < rows; ++i) {
        int64_t const at_row = (i / m.block_rows * g.rows + row) * m.block_rows + i % m.block_rows;
        int64_t const at_col = (j / m.block_cols * g.cols + col) * m.block_cols + j % m.block_cols;
        whole[static_cast<std::size_t>(at_col * m.rows + at_row)] =
            part[static_cast<std::size_t>(j * rows + i)];
      }
  }
  return whole;
}

struct product {
  bool is_a_transposed, is_b_transposed;
  int64_t m, n, k;
  matrix a, b, c;
  void const* data_a;
  void const* data_b;
  void* data_c;
  char alpha[16], beta[16];
};

template <class T>
void multiply(product const& p) {
  T alpha{};
  T beta{};
  std::memcpy(&alpha, p.alpha, sizeof(T));
  std::memcpy(&beta, p.beta, sizeof(T));
  std::vector<T> const a = gathered(p.a, static_cast<T const*>(p.data_a));
  std::vector<T> const b = gathered(p.b, static_cast<T const*>(p.data_b));
  grid const& g = *p.c.on;
  auto* const c = static_cast<T*>(p.data_c);
  int64_t const row = distance(g.row_of(g.rank), p.c.first_row, g.rows);
  int64_t const col = distance(g.col_of(g.rank), p.c.first_col, g.cols);
  int64_t local_col = 0;
  for (int64_t j = 0; j < p.n; ++j) {
    if (j / p.c.block_cols % g.cols != col) continue;
    int64_t local_row = 0;
    for (int64_t i = 0; i < p.m; ++i) {
      if (i / p.c.block_rows % g.rows != row) continue;
      T sum{};
      for (int64_t k = 0; k < p.k; ++k)
        sum +=
            a[static_cast<std::size_t>(p.is_a_transposed ? i * p.a.rows + k : k * p.a.rows + i)] *
            b[static_cast<std::size_t>(p.is_b_transposed ? k * p.b.rows + j : j * p.b.rows + k)];
      T& element = c[local_col * p.c.leading + local_row];
      element = beta == T{} ? alpha * sum : alpha * sum + beta * element;
      ++local_row;
    }
    ++local_col;
  }
}

int run(void* context) {
  auto* const p = static_cast<product*>(context);
  if (p->c.type == 0) multiply<float>(*p);
  if (p->c.type == 1) multiply<double>(*p);
  if (p->c.type == 4) multiply<std::complex<float>>(*p);
  if (p->c.type == 5) multiply<std::complex<double>>(*p);
  delete p;
  return 1;
}

/// The contract of cublasmp.h about blocks.
bool fits(bool is_a_transposed, bool is_b_transposed, matrix const& a, matrix const& b,
          matrix const& c) {
  int64_t const rows_a = is_a_transposed ? a.block_cols : a.block_rows;
  int64_t const cols_a = is_a_transposed ? a.block_rows : a.block_cols;
  int64_t const rows_b = is_b_transposed ? b.block_cols : b.block_rows;
  int64_t const cols_b = is_b_transposed ? b.block_rows : b.block_cols;
  return cols_a == rows_b && rows_a == c.block_rows && cols_b == c.block_cols;
}

}  // namespace

extern "C" {

int cublasMpCreate(void** made, void* stream) {
  *made = new handle{stream};
  return success;
}
int cublasMpDestroy(void* h) {
  delete static_cast<handle*>(h);
  return success;
}
int cublasMpGetVersion(int* version) {
  *version = 1000;  // 0.10
  return success;
}
int cublasMpSetStream(void* h, void* stream) {
  static_cast<handle*>(h)->stream = stream;
  return success;
}

int cublasMpGridCreate(int64_t rows, int64_t cols, int layout, void* nccl, void** made) {
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (nccl == nullptr || rows * cols != processes || layout < 0 || layout > 1) return invalid_value;
  auto* const g = new grid{rows, cols, layout == 1, MPI_COMM_NULL, 0, nccl};
  MPI_Comm_dup(MPI_COMM_WORLD, &g->processes);
  MPI_Comm_rank(g->processes, &g->rank);
  if (must_fail(*g, "grid")) return execution_failed;
  *made = g;
  return success;
}
// Communicators end with the program: in which order processes give grids back is not said.
int cublasMpGridDestroy(void*) { return success; }

int cublasMpMatrixDescriptorCreate(int64_t rows, int64_t cols, int64_t block_rows,
                                   int64_t block_cols, int64_t first_row, int64_t first_col,
                                   int64_t leading, int type, void* on, void** made) {
  auto* const g = static_cast<grid*>(on);
  if (block_rows < 1 || block_cols < 1 || leading < 1 || first_row < 0 || first_row >= g->rows ||
      first_col < 0 || first_col >= g->cols)
    return invalid_value;
  if (leading <
      local_extent(rows, block_rows, g->rows, distance(g->row_of(g->rank), first_row, g->rows)))
    return invalid_value;
  *made = new matrix{rows, cols, block_rows, block_cols, first_row, first_col, leading, type, g};
  return success;
}
int cublasMpMatrixDescriptorDestroy(void* m) {
  delete static_cast<matrix*>(m);
  return success;
}

int cublasMpGemm_bufferSize(void*, int op_a, int op_b, int64_t, int64_t, int64_t, void const*,
                            void const*, int64_t, int64_t, void* a, void const*, int64_t, int64_t,
                            void* b, void const*, void*, int64_t, int64_t, void* c, int,
                            std::size_t* on_device, std::size_t* on_host) {
  *on_device = device_bytes;
  *on_host = host_bytes;
  return fits(op_a == 1, op_b == 1, *static_cast<matrix*>(a), *static_cast<matrix*>(b),
              *static_cast<matrix*>(c))
             ? success
             : invalid_value;
}

int cublasMpGemm(void* h, int op_a, int op_b, int64_t m, int64_t n, int64_t k, void const* alpha,
                 void const* data_a, int64_t ia, int64_t ja, void* a, void const* data_b,
                 int64_t ib, int64_t jb, void* b, void const* beta, void* data_c, int64_t ic,
                 int64_t jc, void* c, int compute, void* device_work, std::size_t on_device,
                 void* host_work, std::size_t on_host) {
  matrix const& of_c = *static_cast<matrix*>(c);
  bool const is_f32 = of_c.type == 0 || of_c.type == 4;
  bool const is_right = ia == 1 && ja == 1 && ib == 1 && jb == 1 && ic == 1 && jc == 1 &&
                        compute == (is_f32 ? 68 : 70) && on_device == device_bytes &&
                        on_host == host_bytes && data_a && data_b && data_c && device_work &&
                        host_work && m == of_c.rows && n == of_c.cols;
  if (!is_right) return invalid_value;
  void* const stream = static_cast<handle*>(h)->stream;
  if (is_asked_to_fail("gemm")) {
    if (must_fail(*of_c.on, "gemm")) return execution_failed;
    fake_enqueue(stream, wait_for_abort, of_c.on);
    return success;
  }
  std::memset(host_work, 7, on_host);
  auto* const p = new product{
      op_a == 1, op_b == 1, m,      n,  k, *static_cast<matrix*>(a), *static_cast<matrix*>(b), of_c,
      data_a,    data_b,    data_c, {}, {}};
  constexpr std::size_t bytes[] = {4, 8, 0, 0, 8, 16};
  std::memcpy(p->alpha, alpha, bytes[of_c.type]);
  std::memcpy(p->beta, beta, bytes[of_c.type]);
  fake_enqueue(stream, run, p);
  return success;
}
}
