// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One process has no memory from some request on: all processes throw std::bad_alloc, whatever the
// request was for, and the next call works. A process that left the others waiting would run into
// the test's time limit. Of products: moves end the program if there is no memory half-way
// (messages.hpp).
#include "../support/failing_memory.hpp"
#include "dist_matrix.hpp"

#include <doctest/doctest.h>

#include <string>

bool has_memory() { return failing_memory::grants(); }

namespace {

/// Runs call() on all processes, with ever more memory on the last one, until it needs no more.
template <class Call>
int sweep(Call const& call) {
  int const last = context().size() - 1;
  int refused = 0;
  for (bool is_refused = true; is_refused; ++refused) {
    REQUIRE(refused < 10000);
    is_refused = false;
    xp::mpi_context const fresh(MPI_COMM_WORLD);  // what a context keeps is made again
    auto const policy = xp::mpi(fresh).with(xp::seq).timeout(std::chrono::seconds(20));
    if (fresh.rank() == last) {
      failing_memory::for_ever = true;
      failing_memory::first_without = failing_memory::allocations + refused;
    }
    try {
      call(policy);
    } catch (std::bad_alloc const&) {
      is_refused = true;
    }
    failing_memory::first_without = failing_memory::never;
    int const own = is_refused;
    int least = 0;
    int most = 0;
    MPI_Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most);
    is_refused = most != 0;
  }
  return refused - 1;
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)  // has its own operator new
TEST_CASE("memory that one process has not, at every request of a product") {
  int const processes = context().size();
  auto const layout = xp::dist_layout{12, 12, 2, 3, {processes, 1}};
  dist_matrix<double> a(layout, {}), b(layout, {}), c(layout, {});
  try {
    xp::explain(on_processes(), xp::operation::gemm, a.view(), b.view(), c.view());
  } catch (xp::backend_error const&) {
    return;  // no ScaLAPACK here, of which products.cpp tells
  }
  CHECK(sweep([&](xp::mpi_policy const& policy) {
          xp::gemm(policy, a.view(), b.view(), c.view());
        }) > 1);
}
#endif
