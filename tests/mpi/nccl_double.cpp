// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A double of NCCL for tests without GPUs, loaded as XPOSE_NCCL names it: sends and receives of a
// group are messages of MPI, which begin when the stream comes to them, and which must have the
// counts that both sides say. Work is enqueued by the function fake_enqueue of the program.
// XPOSE_NCCL_DOUBLE lets the last process fail: "init" when it makes a communicator, "send" in
// ncclSend, "late" in the work on the stream, as a broken link would.
#include <mpi.h>

#include <sched.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" void fake_enqueue(void* stream, int (*is_done)(void*), void* context);

namespace {

enum result : int { success = 0, system_error = 2, invalid_argument = 4, invalid_usage = 5 };

struct communicator {
  MPI_Comm processes = MPI_COMM_NULL;
  bool is_last = false;
  bool is_aborted = false;
  int error = success;
};

struct transfer {
  bool is_send;
  void* data;
  std::size_t bytes;
  int peer;
};
struct group {
  communicator* on = nullptr;
  void* stream = nullptr;
  std::vector<transfer> transfers;
  std::vector<MPI_Request> requests;
  std::vector<std::vector<char>> sent;  // an aborted message may begin later
  bool has_begun = false;
};

int nesting = 0;
group open_group;

bool must_fail(communicator const& c, char const* way) {
  char const* const asked = std::getenv("XPOSE_NCCL_DOUBLE");
  return c.is_last && asked != nullptr && std::strcmp(asked, way) == 0;
}

void begin(group& g) {
  g.has_begun = true;
  for (transfer const& t : g.transfers) {
    MPI_Request request = MPI_REQUEST_NULL;
    int const bytes = static_cast<int>(t.bytes);
    if (t.is_send) {
      auto const* const first = static_cast<char const*>(t.data);
      g.sent.emplace_back(first, first + bytes);
      MPI_Issend(g.sent.back().data(), bytes, MPI_BYTE, t.peer, 0, g.on->processes, &request);
    } else MPI_Irecv(t.data, bytes, MPI_BYTE, t.peer, 0, g.on->processes, &request);
    g.requests.push_back(request);
  }
}

void check_counts(group const& g, std::vector<MPI_Status> const& statuses) {
  for (std::size_t n = 0; n < g.transfers.size(); ++n) {
    if (g.transfers[n].is_send) continue;
    int bytes = 0;
    MPI_Get_count(&statuses[n], MPI_BYTE, &bytes);
    if (static_cast<std::size_t>(bytes) == g.transfers[n].bytes) continue;
    std::fprintf(stderr, "ncclRecv of %zu bytes met ncclSend of %d\n", g.transfers[n].bytes, bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

/// The receiver's memory ends with the call.
int give_up(group& g) {
  for (std::size_t n = 0; n < g.requests.size(); ++n) {
    if (g.transfers[n].is_send || g.requests[n] == MPI_REQUEST_NULL) continue;
    MPI_Cancel(&g.requests[n]);
    MPI_Wait(&g.requests[n], MPI_STATUS_IGNORE);
  }
  return 1;
}

int advance(void* context) {
  group* const g = static_cast<group*>(context);
  if (g->on->is_aborted) return give_up(*g);
  if (must_fail(*g->on, "late")) {
    g->on->error = system_error;
    return 0;
  }
  if (!g->has_begun) begin(*g);
  std::vector<MPI_Status> statuses(g->requests.size());
  int is_done = 0;
  MPI_Testall(static_cast<int>(g->requests.size()), g->requests.data(), &is_done, statuses.data());
  if (is_done == 0) {
    sched_yield();
    return 0;
  }
  check_counts(*g, statuses);
  delete g;
  return 1;
}

int add(transfer const& t, int type, void* comm, void* stream) {
  auto* const on = static_cast<communicator*>(comm);
  if (nesting != 1 || (open_group.on != nullptr && open_group.on != on)) return invalid_usage;
  if (type != 1 || t.bytes == 0 || t.data == nullptr) return invalid_argument;
  if (t.is_send && must_fail(*on, "send")) return system_error;
  open_group.on = on;
  open_group.stream = stream;
  open_group.transfers.push_back(t);
  return success;
}

}  // namespace

extern "C" {

struct ncclUniqueId {
  char internal[128];
};

int ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, 7, sizeof *id);
  return success;
}

int ncclCommInitRank(void** made, int processes, ncclUniqueId id, int rank) {
  if (id.internal[0] != 7 || id.internal[127] != 7) return invalid_argument;
  auto* const c = new communicator;
  c->is_last = rank == processes - 1;
  int size = 0;
  int own_rank = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &c->processes);
  MPI_Comm_size(c->processes, &size);
  MPI_Comm_rank(c->processes, &own_rank);
  *made = c;
  if (size != processes || own_rank != rank) return invalid_argument;
  return must_fail(*c, "init") ? system_error : success;
}

// A communicator of MPI is given back by all processes together, which is not sure here.
int ncclCommDestroy(void*) { return success; }

int ncclCommAbort(void* comm) {
  static_cast<communicator*>(comm)->is_aborted = true;
  return success;
}

/// For cublasmp_double.cpp, whose work ends with NCCL's.
int nccl_double_is_aborted(void* comm) {
  return static_cast<communicator*>(comm)->is_aborted ? 1 : 0;
}

int ncclCommGetAsyncError(void* comm, int* error) {
  *error = static_cast<communicator*>(comm)->error;
  return success;
}

int ncclGroupStart() {
  ++nesting;
  return success;
}

int ncclGroupEnd() {
  --nesting;
  if (open_group.transfers.empty()) return success;
  auto* const g = new group(open_group);
  open_group = {};
  fake_enqueue(g->stream, advance, g);
  return success;
}

int ncclSend(void const* data, std::size_t count, int type, int peer, void* comm, void* stream) {
  return add({true, const_cast<void*>(data), count, peer}, type, comm, stream);
}
int ncclRecv(void* data, std::size_t count, int type, int peer, void* comm, void* stream) {
  return add({false, data, count, peer}, type, comm, stream);
}

char const* ncclGetErrorString(int error) {
  return error == system_error ? "the double's system error" : "the double's error";
}
}
