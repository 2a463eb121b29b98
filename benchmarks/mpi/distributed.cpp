// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Distributed transposes and products of double: every engine of xpose::mpi, ScaLAPACK's pdtran and
// pdgemm and, where it was found, FFTW's transpose, in the same rounds. A time is that of the
// slowest process; the table has medians, and what the cost model expects of a move.
//   mpiexec -n 4 xpose-mpi-bench [rows cols [rounds]] [--policy cuda]
// With --policy cuda matrices are in memory of devices, and a rate is that of one device
// (on_devices.cpp).
#include "on_devices.hpp"
#include "rounds.hpp"

#include <xpose/mpi.hpp>

#include <dlfcn.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#if defined(XPOSE_HAS_FFTW_MPI)
#include <fftw3-mpi.h>
#endif

namespace xp = xpose;

namespace {

using matrix = std::vector<double>;

matrix local_matrix(xp::dist_layout const& layout, int rank) {
  return matrix(static_cast<std::size_t>(layout.local_rows(rank) * layout.local_cols(rank)), 1.0);
}

std::vector<candidate> engines(xp::mpi_context const& context,
                               xp::dist_matrix_view<double> const& in,
                               xp::dist_matrix_view<double> const& out) {
  std::vector<candidate> list;
  std::pair<char const*, xp::mpi_engine> const all[] = {
      {"by_cost", xp::mpi_engine::by_cost},
      {"pairwise", xp::mpi_engine::pairwise},
      {"collective", xp::mpi_engine::collective},
      {"shared_memory", xp::mpi_engine::shared_memory}};
  for (auto const& [name, engine] : all) {
    auto const policy = xp::mpi(context).engine(engine);
    list.push_back({name, [policy, in, out] { xp::transpose(policy, in, out); }, {}});
  }
  return list;
}

/// What the cost model expects, of docs/scaling.md's tables.
void print_expected(xp::mpi_context const& context, xp::operation op,
                    xp::dist_matrix_view<double> const& in,
                    xp::dist_matrix_view<double> const& out) {
  xp::explanation const e = xp::explain(xp::mpi(context), op, in, out);
  if (context.rank() == 0) std::printf("  %s: %s\n", e.kernel.c_str(), e.reason.c_str());
}

/// ScaLAPACK's, of a shared library, on the grid of column-major local matrices.
class scalapack {
 public:
  explicit scalapack(xp::process_grid grid) {
    for (char const* name : {"libscalapack-openmpi.so", "libscalapack-mpich.so"}) {
#if defined(OMPI_MAJOR_VERSION)
      if (std::string(name).find("openmpi") == std::string::npos) continue;
#else
      if (std::string(name).find("mpich") == std::string::npos) continue;
#endif
      if (void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) start(library, grid);
    }
  }
  bool is_found() const { return tran_ != nullptr; }
  void transpose(xp::dist_layout const& in, double const* a, xp::dist_layout const& out, double* c,
                 int rank) const {
    descriptor const of_a = describe(in, rank);
    descriptor const of_c = describe(out, rank);
    int const m = static_cast<int>(out.rows), n = static_cast<int>(out.cols), one = 1;
    double const alpha = 1, beta = 0;
    tran_(&m, &n, &alpha, a, &one, &one, of_a.fields, &beta, c, &one, &one, of_c.fields);
  }

  /// C = A B, of square matrices in one layout.
  void multiply(xp::dist_layout const& l, double const* a, double const* b, double* c,
                int rank) const {
    descriptor const d = describe(l, rank);
    int const n = static_cast<int>(l.rows), one = 1;
    double const alpha = 1, beta = 0;
    gemm_("N", "N", &n, &n, &n, &alpha, a, &one, &one, d.fields, b, &one, &one, d.fields, &beta, c,
          &one, &one, d.fields);
  }

 private:
  struct descriptor {
    int fields[9];
  };
  using gemm_function = void (*)(char const*, char const*, int const*, int const*, int const*,
                                 double const*, double const*, int const*, int const*, int const*,
                                 double const*, int const*, int const*, int const*, double const*,
                                 double*, int const*, int const*, int const*);
  using tran_function = void (*)(int const*, int const*, double const*, double const*, int const*,
                                 int const*, int const*, double const*, double*, int const*,
                                 int const*, int const*);

  void start(void* library, xp::process_grid grid) {
    auto const handle = reinterpret_cast<int (*)(MPI_Comm)>(dlsym(library, "Csys2blacs_handle"));
    auto const init =
        reinterpret_cast<void (*)(int*, char const*, int, int)>(dlsym(library, "Cblacs_gridinit"));
    context_ = handle(MPI_COMM_WORLD);
    init(&context_, "R", grid.rows, grid.cols);
    tran_ = reinterpret_cast<tran_function>(dlsym(library, "pdtran_"));
    gemm_ = reinterpret_cast<gemm_function>(dlsym(library, "pdgemm_"));
  }
  descriptor describe(xp::dist_layout const& l, int rank) const {
    return {{1, context_, static_cast<int>(l.rows), static_cast<int>(l.cols),
             static_cast<int>(l.block_rows), static_cast<int>(l.block_cols), 0, 0,
             static_cast<int>(std::max<xp::index>(1, l.local_rows(rank)))}};
  }

  int context_ = -1;
  tran_function tran_ = nullptr;
  gemm_function gemm_ = nullptr;
};

xp::process_grid nearly_square(int processes) {
  int rows = 1;
  for (int r = 1; r * r <= processes; ++r)
    if (processes % r == 0) rows = r;
  return {rows, processes / rows};
}

void measure_slabs(xp::mpi_context const& context, xp::index rows, xp::index cols, int rounds) {
  int const rank = context.rank();
  auto const from = xp::dist_layout::row_slabs(rows, cols, context.size());
  auto const to = xp::dist_layout::row_slabs(cols, rows, context.size());
  matrix in = local_matrix(from, rank);
  matrix out = local_matrix(to, rank);
  auto candidates = engines(context, {in.data(), from}, {out.data(), to});
#if defined(XPOSE_HAS_FFTW_MPI)
  matrix fftw_in(in.size() + out.size());
  matrix fftw_out(in.size() + out.size());
  fftw_plan const plan = fftw_mpi_plan_transpose(rows, cols, fftw_in.data(), fftw_out.data(),
                                                 MPI_COMM_WORLD, FFTW_MEASURE);
  if (plan != nullptr)
    candidates.push_back({"FFTW (measured plan)", [plan] { fftw_execute(plan); }, {}});
#endif
  // Column-major column slabs are row-major row slabs of the transpose: the same bytes in place.
  xp::process_grid const grid{1, context.size()};
  scalapack const peer(grid);
  auto const columns = xp::dist_layout::col_slabs(rows, cols, context.size());
  auto const to_columns = xp::dist_layout::col_slabs(cols, rows, context.size());
  matrix peer_in = local_matrix(columns, rank);
  matrix peer_out = local_matrix(to_columns, rank);
  if (peer.is_found())
    candidates.push_back(
        {"pdtran",
         [&] { peer.transpose(columns, peer_in.data(), to_columns, peer_out.data(), rank); },
         {}});
  measure("row slabs to row slabs", candidates, rounds,
          16.0 * static_cast<double>(rows) * static_cast<double>(cols), rank);
  print_expected(context, xp::operation::transpose, {in.data(), from}, {out.data(), to});
}

void measure_blocks(xp::mpi_context const& context, xp::index rows, xp::index cols, int rounds) {
  int const rank = context.rank();
  xp::process_grid const grid = nearly_square(context.size());
  xp::dist_layout const from{rows, cols, 64, 64, grid};
  xp::dist_layout const to{cols, rows, 64, 64, grid};
  matrix in = local_matrix(from, rank);
  matrix out = local_matrix(to, rank);
  auto candidates =
      engines(context, {in.data(), from, xp::col_major}, {out.data(), to, xp::col_major});
  scalapack const peer(grid);
  if (peer.is_found())
    candidates.push_back(
        {"pdtran", [&] { peer.transpose(from, in.data(), to, out.data(), rank); }, {}});
  measure("blocks of 64x64, column-major", candidates, rounds,
          16.0 * static_cast<double>(rows) * static_cast<double>(cols), rank);
  print_expected(context, xp::operation::transpose, {in.data(), from, xp::col_major},
                 {out.data(), to, xp::col_major});
}

/// redistribute, and add of one operand that has to be moved and one that has not.
void measure_moves(xp::mpi_context const& context, xp::index rows, xp::index cols, int rounds) {
  int const rank = context.rank();
  xp::dist_layout const blocks{rows, cols, 64, 64, nearly_square(context.size())};
  auto const slabs = xp::dist_layout::row_slabs(rows, cols, context.size());
  matrix in = local_matrix(slabs, rank);
  matrix b = local_matrix(blocks, rank);
  matrix c = local_matrix(blocks, rank);
  xp::dist_matrix_view<double> const A(in.data(), slabs), B(b.data(), blocks), C(c.data(), blocks);
  auto const policy = xp::mpi(context);
  std::vector<candidate> candidates{
      {"redistribute", [&] { xp::redistribute(policy, A, C); }, {}},
      {"add", [&] { xp::add(policy, 2.0, A, 3.0, B, C); }, {}},
      {"add, nothing moves", [&] { xp::add(policy, 2.0, B, 3.0, B, C); }, {}}};
  measure("row slabs to blocks of 64x64", candidates, rounds,
          16.0 * static_cast<double>(rows) * static_cast<double>(cols), rank);
  print_expected(context, xp::operation::copy, A, C);
}

/// Of square matrices; row-major ones as well, which pdgemm does not take.
void measure_products(xp::mpi_context const& context, xp::index n, int rounds) {
  int const rank = context.rank();
  xp::process_grid const grid = nearly_square(context.size());
  xp::dist_layout const layout{n, n, 64, 64, grid};
  matrix a = local_matrix(layout, rank);
  matrix b = local_matrix(layout, rank);
  matrix c = local_matrix(layout, rank);
  scalapack const peer(grid);
  if (!peer.is_found()) return;
  std::vector<candidate> candidates;
  std::pair<char const*, xp::order> const orders[] = {{"gemm, column-major", xp::col_major},
                                                      {"gemm, row-major", xp::row_major}};
  for (auto const& [name, o] : orders) {
    xp::dist_matrix_view<double> const A(a.data(), layout, o), B(b.data(), layout, o),
        C(c.data(), layout, o);
    candidates.push_back({name, [&, A, B, C] { xp::gemm(xp::mpi(context), A, B, C); }, {}});
  }
  candidates.push_back(
      {"pdgemm", [&] { peer.multiply(layout, a.data(), b.data(), c.data(), rank); }, {}});
  double const elements = static_cast<double>(n) * static_cast<double>(n);
  measure("products of square matrices in blocks of 64x64", candidates, rounds, 16.0 * elements,
          rank);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
#if defined(XPOSE_HAS_FFTW_MPI)
  fftw_mpi_init();
#endif
  {
    xp::mpi_context const context;
    std::vector<char const*> words(arguments + 1, arguments + count);
    auto const policy = std::find(words.begin(), words.end(), std::string("--policy"));
    bool const on_devices =
        policy != words.end() && policy + 1 != words.end() && std::string(policy[1]) == "cuda";
    if (policy != words.end()) words.erase(policy, std::min(policy + 2, words.end()));
    xp::index const rows = words.size() > 1 ? std::atoll(words[0]) : 2048;
    xp::index const cols = words.size() > 1 ? std::atoll(words[1]) : 1024;
    int const rounds = words.size() > 2 ? std::atoi(words[2]) : 15;
    if (context.rank() == 0)
      std::printf("%lldx%lld double, %d processes, %d rounds\n", static_cast<long long>(rows),
                  static_cast<long long>(cols), context.size(), rounds);
    if (on_devices) {
      measure_on_devices(context, rows, cols, rounds);
    } else {
      measure_slabs(context, rows, cols, rounds);
      measure_blocks(context, rows, cols, rounds);
      measure_moves(context, rows, cols, rounds);
      measure_products(context, cols, rounds);
    }
  }
  MPI_Finalize();
}
