// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One case and all its candidates: xpose, ceilings, peers. Each is run once and verified; then all
// are timed in the same rounds; then each result gets its ratios to the ceiling and the best peer.
#pragma once

#include "ceilings/ceilings.hpp"
#include "core/session.hpp"
#include "peers/peers.hpp"
#include "verify/verify.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xpose::bench {

struct prepared_candidate {
  std::string kernel;
  std::function<void(int slot)> call;
  std::function<seconds_of_calls(int calls)> timed_calls;  ///< of a script; else empty
  std::function<verdict()> verify;  ///< looks at slot 0 after call(0); may be empty
  json extra = json::object();      ///< further members of the result
};

class comparison {
 public:
  /// common holds what all results of the case share: operation, policy, type, shape, layout, work.
  comparison(session& s, machine& where, bench_result common, int slots, operand_state state);

  /// Every timed call becomes write(slot), the call, read(slot).
  void time_with(std::function<void(int slot)> write, std::function<void(int slot)> read) {
    write_ = std::move(write);
    read_ = std::move(read);
  }

  /// Prepares a candidate, runs it once and verifies it. make returns nothing if the candidate
  /// lacks the case. A failure of any kind becomes a result that says why.
  void enter(std::string const& name, role part, bound bounds,
             std::function<std::optional<prepared_candidate>()> const& make);

  /// Times all candidates and sends their results to the supervisor.
  void run();

 private:
  struct entry {
    bench_result result;
    prepared_candidate who;
    bound bounds;
    bool is_timed;  ///< in the rounds
  };
  void time();
  std::vector<timing> time_in_state(std::vector<candidate> const& candidates,
                                    std::vector<json>& noted);
  void compare_with_ceilings();
  bench_result const* fastest(bound bounds) const;

  session& session_;
  machine& where_;
  bench_result common_;
  int slots_;
  operand_state state_;
  std::function<void(int slot)> write_;
  std::function<void(int slot)> read_;
  std::vector<entry> entries_;
};

/// How many sets of operands the calls rotate over, and whether they live in the last-level cache.
struct rotation {
  int slots;
  std::string cache;    ///< "resident" or "beyond"
  operand_state state;  ///< never by_size
};
/// Operands of that size cannot be in the state: warm ones do not fit the cache, or cold ones are
/// so small that thousands of sets do.
struct state_not_reached {};
/// Throws state_not_reached.
rotation rotate_operands(machine& where, operand_state state, std::size_t bytes_of_case);
json state_members(rotation const& r);

/// Throws std::runtime_error, naming both figures, if that much memory is not free.
void require_memory(machine& where, std::size_t bytes);

/// The peers that the settings ask for, loaded once a process. "self" is not among them.
std::vector<loaded_peer> const& peers_of(session& s, machine& where);
inline role role_of(loaded_peer const& p) { return p.is_xpose ? role::alternative : role::peer; }
bool wants_self(bench_settings const& settings);

}  // namespace xpose::bench
