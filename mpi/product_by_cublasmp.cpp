// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of local matrices in memory of devices. cuBLASMp is stricter than p?gemm: blocks of operands
// fit each other, and the grid has all processes of the communicator.
#include "nccl_watch.hpp"
#include "product.hpp"
#include "product_operand.hpp"
#include "resolved_call.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr dist_operation op = dist_operation::gemm;

/// A description that is given back.
class matrix_description {
 public:
  matrix_description(product_operand const& o, cublasmp_type type, void* grid) {
    dist_layout const& l = o.layout();
    int const status = find_cublasmp()->create_matrix(
        l.rows, l.cols, l.block_rows, l.block_cols, l.first_row, l.first_col, o.leading_dimension(),
        type.type, grid, &handle_);
    if (status != cublasmp_success)
      refuse<backend_error>("gemm: cuBLASMp refuses a matrix of ", l.rows, 'x', l.cols,
                            " in blocks of ", l.block_rows, 'x', l.block_cols,
                            " with a leading dimension of ", o.leading_dimension(), ": status ",
                            status);
  }
  ~matrix_description() { find_cublasmp()->destroy_matrix(handle_); }
  matrix_description(matrix_description const&) = delete;
  matrix_description& operator=(matrix_description const&) = delete;
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

/// The product as the arguments of cuBLASMp, with all memory that it needs.
class described_product {
 public:
  described_product(dist_execution const& where, dist_product const& p)
      : where_(where),
        p_(p),
        type_(type_of(p.c)),
        a_(p.a, p.c.layout.grid, where, product_memory::as_given),
        b_(p.b, p.c.layout.grid, where, product_memory::as_given),
        c_(p.c, p.c.layout.grid, where, product_memory::as_given) {}

  /// Throws std::bad_alloc, cuda_error, backend_error.
  void prepare(void* grid) {
    a_.take_memory();
    b_.take_memory();
    c_.take_memory();
    where_.device->reserve_pinned(nothing_bytes);
    description_a_.emplace(a_, type_.cublasmp, grid);
    description_b_.emplace(b_, type_.cublasmp, grid);
    description_c_.emplace(c_, type_.cublasmp, grid);
    handle_ = where_.state->cublasmp.handle(where_.device->handle(device_stream::wire));
    int const status = call([&](auto const&... arguments) {
      return find_cublasmp()->gemm_bytes(arguments..., &device_bytes_, &host_bytes_);
    });
    if (status != cublasmp_success)
      refuse<backend_error>("gemm: cublasMpGemm_bufferSize: status ", status);
    device_work_ = device_memory(where_.local, static_cast<index>(device_bytes_));
    host_work_ = message_memory(static_cast<index>(host_bytes_));
  }

  void run() {
    nccl_watch watch(where_, op);
    device_queues& device = *where_.device;
    a_.copy_in();
    b_.copy_in();
    if (!type_.is_zero(p_.beta)) c_.copy_in();
    device.record(operands_ready, device_stream::policy);
    device.wait(device_stream::wire, operands_ready);
    int const status = call([&](auto const&... arguments) {
      return find_cublasmp()->gemm(arguments..., device_work_.data(), device_bytes_,
                                   host_work_.data(), host_bytes_);
    });
    if (status != cublasmp_success)
      watch.fail({error_kind::backend, message("gemm: cublasMpGemm: status ", status)});
    device.record(product_ready, device_stream::wire);
    watch.wait(product_ready);
    c_.copy_out();
  }

 private:
  // Event 0 is that of the call's begin.
  enum event { operands_ready = 1, product_ready };
  static constexpr index nothing_bytes = 64;

  /// A process without elements has an address for them.
  void* data_of(product_operand const& o) const {
    return o.data() != nullptr ? o.data() : where_.device->pinned();
  }
  template <class Function>
  int call(Function const& function) const {
    auto const letter = [](product_operand const& o) { return o.is_transposed() ? 1 : 0; };
    std::int64_t const one = 1;
    return function(handle_, letter(a_), letter(b_), p_.c.layout.rows, p_.c.layout.cols,
                    p_.a.layout.cols, p_.alpha, data_of(a_), one, one, description_a_->handle(),
                    data_of(b_), one, one, description_b_->handle(), p_.beta, data_of(c_), one, one,
                    description_c_->handle(), type_.cublasmp.compute);
  }

  dist_execution const& where_;
  dist_product const& p_;
  product_type const& type_;
  product_operand a_, b_, c_;
  std::optional<matrix_description> description_a_, description_b_, description_c_;
  void* handle_ = nullptr;
  std::size_t device_bytes_ = 0;
  std::size_t host_bytes_ = 0;
  message_memory device_work_;
  message_memory host_work_;
};

/// Makes two blocks of one dimension equal. Where one process has the whole dimension, any block
/// describes what it has.
bool fit(index& a, int processes_of_a, index& b, int processes_of_b) {
  if (processes_of_a == 1) a = b;
  else if (processes_of_b == 1) b = a;
  return a == b;
}

/// The same layouts with the blocks that cuBLASMp demands, if there are such.
bool fit_blocks(dist_product& p) {
  dist_layout& a = p.a.layout;
  dist_layout& b = p.b.layout;
  dist_layout& c = p.c.layout;
  return fit(a.block_rows, a.grid.rows, c.block_rows, c.grid.rows) &&
         fit(a.block_cols, a.grid.cols, b.block_rows, b.grid.rows) &&
         fit(b.block_cols, b.grid.cols, c.block_cols, c.grid.cols);
}

bool is_everywhere(mpi_state const& state, bool is_here) {
  int const own = is_here ? 1 : 0;
  int all = 0;
  require_success(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, state.communicator),
                  "MPI_Allreduce");
  return all != 0;
}

}  // namespace

char const* cublasmp_obstacle(dist_product const& p, int processes) {
  if (p.c.layout.grid.size() != processes) return "the grid leaves processes out";
  dist_product fitted = p;
  if (!fit_blocks(fitted)) return "blocks of A, B and C do not fit each other";
  return "";
}

bool multiply_by_cublasmp(dist_execution const& where, dist_product const& given, nccl_use nccl) {
  mpi_state& state = *where.state;
  dist_product p = given;
  fit_blocks(p);
  if (nccl != nccl_use::ready && !state.nccl.make(state.communicator)) return false;
  described_product product(where, p);
  agreement memory(where, op);
  memory.settle(refusal_of([&] { state.cublasmp.take_memory(); }));
  void* const grid = state.cublasmp.grid_of(p.c.layout.grid, state.nccl.handle());
  if (!is_everywhere(state, grid != nullptr)) {
    state.cublasmp.fail();
    return false;
  }
  agreement prepared(where, op);
  prepared.settle(refusal_of([&] { product.prepare(grid); }));
  product.run();
  try {
    settle_devices(where, op, true);
  } catch (...) {
    give_up_nccl(where);
    throw;
  }
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
