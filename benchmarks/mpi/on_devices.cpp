// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "on_devices.hpp"
#include "rounds.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace xp = xpose;

namespace {

void check(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Memory of the current device.
class device_block {
 public:
  explicit device_block(xp::index elements) {
    auto const bytes = static_cast<std::size_t>(std::max<xp::index>(elements, 1)) * sizeof(double);
    check(cudaMalloc(&data_, bytes), "cudaMalloc");
    check(cudaMemset(data_, 0, bytes), "cudaMemset");
  }
  ~device_block() { cudaFree(data_); }
  device_block(device_block const&) = delete;
  device_block& operator=(device_block const&) = delete;
  double* data() const { return static_cast<double*>(data_); }

 private:
  void* data_ = nullptr;
};

xp::index elements_on(xp::dist_layout const& l, int rank) {
  return l.local_rows(rank) * l.local_cols(rank);
}

/// An engine that the machine has not is left out.
template <class Run>
void add_if_possible(std::vector<candidate>& list, char const* name, Run const& run, int rank) {
  try {
    run();
    list.push_back({name, run, {}});
  } catch (xp::backend_error const& e) {
    if (rank == 0) std::printf("  %s is left out: %s\n", name, e.what());
  }
}

/// Bytes from the device of this process to the next one, while all others do the same.
class peer_copy {
 public:
  peer_copy(int device, int devices, xp::index elements)
      : device_(device),
        next_((device + 1) % devices),
        bytes_(elements * xp::index{8}),
        here_(elements) {
    check(cudaSetDevice(next_), "cudaSetDevice");
    there_ = std::make_unique<device_block>(elements);
    check(cudaSetDevice(device_), "cudaSetDevice");
    if (next_ != device_ && cudaDeviceEnablePeerAccess(next_, 0) != cudaSuccess) cudaGetLastError();
  }
  void run() const {
    check(cudaMemcpyPeerAsync(there_->data(), next_, here_.data(), device_,
                              static_cast<std::size_t>(bytes_), nullptr),
          "cudaMemcpyPeerAsync");
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

 private:
  int device_;
  int next_;
  xp::index bytes_;
  device_block here_;
  std::unique_ptr<device_block> there_;
};

void measure_transposes(xp::mpi_context const& context, xp::index rows, xp::index cols, int rounds,
                        int device, int devices) {
  int const rank = context.rank();
  int const processes = context.size();
  auto const from = xp::dist_layout::row_slabs(rows, cols, processes);
  auto const to = xp::dist_layout::row_slabs(cols, rows, processes);
  device_block in(elements_on(from, rank));
  device_block out(elements_on(to, rank));
  xp::dist_matrix_view<double> const A(in.data(), from), B(out.data(), to);
  std::vector<candidate> list;
  std::pair<char const*, xp::mpi_engine> const engines[] = {
      {"by_cost", xp::mpi_engine::by_cost},
      {"nccl", xp::mpi_engine::nccl},
      {"shared_memory", xp::mpi_engine::shared_memory},
      {"pairwise", xp::mpi_engine::pairwise},
      {"collective", xp::mpi_engine::collective}};
  for (auto const& [name, engine] : engines) {
    auto const policy = xp::mpi(context).with(xp::cuda).engine(engine);
    add_if_possible(
        list, name, [policy, A, B] { xp::transpose(policy, A, B); }, rank);
  }
  xp::index const sent = elements_on(from, 0) * (processes - 1) / processes;
  peer_copy const peer(device, devices, std::max<xp::index>(sent, 1));
  list.push_back({"cudaMemcpyPeer, the same", [&peer] { peer.run(); }, {}});
  measure("row slabs to row slabs; what a device sends", list, rounds,
          8.0 * static_cast<double>(sent), rank);
  xp::explanation const e =
      xp::explain(xp::mpi(context).with(xp::cuda), xp::operation::transpose, A, B);
  if (rank == 0) std::printf("  %s: %s\n", e.kernel.c_str(), e.reason.c_str());
}

void measure_product(xp::mpi_context const& context, xp::index n, int rounds) {
  int const rank = context.rank();
  xp::dist_layout const layout{n, n, 256, 256, {context.size(), 1}};
  device_block a(elements_on(layout, rank));
  device_block b(elements_on(layout, rank));
  device_block c(elements_on(layout, rank));
  auto const policy = xp::mpi(context).with(xp::cuda);
  xp::dist_matrix_view<double> const A(a.data(), layout, xp::col_major),
      B(b.data(), layout, xp::col_major), C(c.data(), layout, xp::col_major);
  std::vector<candidate> list;
  add_if_possible(
      list, "gemm", [=] { xp::gemm(policy, A, B, C); }, rank);
  if (list.empty()) return;
  double const length = static_cast<double>(n);
  measure("product of square matrices, of all devices", list, rounds, 2 * length * length * length,
          rank, "Gflop/s");
  xp::explanation const e = xp::explain(policy, xp::operation::gemm, A, B, C);
  if (rank == 0) std::printf("  %s: %s\n", e.kernel.c_str(), e.reason.c_str());
}

}  // namespace

void measure_on_devices(xp::mpi_context const& context, xp::index rows, xp::index cols,
                        int rounds) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  int const device = context.rank() % devices;
  check(cudaSetDevice(device), "cudaSetDevice");
  measure_transposes(context, rows, cols, rounds, device, devices);
  measure_product(context, cols, rounds);
}
