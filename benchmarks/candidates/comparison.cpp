// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/comparison.hpp"

#include "core/rotation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr double drift_worth_a_note = 0.1;

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f %%", fraction * 100);
  return text;
}

void add_note(bench_result& result, std::string const& note) {
  result.note += (result.note.empty() ? "" : "; ") + note;
}

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

comparison::comparison(session& s, machine& where, bench_result common, int slots,
                       operand_state state)
    : session_(s), where_(where), common_(std::move(common)), slots_(slots), state_(state) {
  common_.device = where.name();
}

void comparison::enter(std::string const& name, role part, bound bounds,
                       std::function<std::optional<prepared_candidate>()> const& make) {
  entry e{common_, {}, bounds, false};
  e.result.implementation = name;
  e.result.part = part;
  auto const fail = [&](std::string const& why) {
    e.result.note = why;
    e.is_timed = false;
    entries_.push_back(std::move(e));
  };
  if (auto const* const reason = session_.crash_reason_of(name)) return fail(*reason);
  session_.about(name);
  try {
    auto who = make();
    if (!who) return;
    e.who = std::move(*who);
    e.result.kernel = e.who.kernel;
    e.result.extra.update(e.who.extra);
    using clock = std::chrono::steady_clock;
    where_.synchronize();
    auto const start = clock::now();
    if (e.who.call) e.who.call(0);
    where_.synchronize();
    double const first_call = std::chrono::duration<double>(clock::now() - start).count();
    verdict const v = e.who.verify ? e.who.verify() : verdict{"", "nothing to verify"};
    e.result.verified = v.wrong.empty();
    e.result.verified_by = v.by;
    if (!v.wrong.empty()) add_note(e.result, "wrong: " + v.wrong);
    e.is_timed = first_call <= session_.settings().longest_call;
    if (!e.is_timed) {
      e.result.time.median = e.result.time.min = e.result.time.mean = first_call;
      e.result.time.repeats = e.result.time.calls = 1;
      add_note(e.result, "slower than --longest-call: its first call is all that was timed");
    }
  } catch (std::exception const& error) {
    return fail(error.what());
  }
  session_.about("");
  entries_.push_back(std::move(e));
}

void comparison::time() {
  std::vector<candidate> candidates;
  // A script's calls are its own: nothing can be timed around them.
  for (auto& e : entries_)
    if (write_ && e.who.timed_calls) e.is_timed = false;
  for (auto const& e : entries_)
    if (e.is_timed) candidates.push_back({e.result.implementation, e.who.call, e.who.timed_calls});
  if (candidates.empty()) return;
  // A candidate may crash after its first call: each call says which one runs.
  for (auto& c : candidates)
    if (c.call)
      c.call = [this, name = c.name, call = c.call](int slot) {
        session_.about(name);
        if (write_) write_(slot);
        call(slot);
        if (read_) read_(slot);
      };
  std::vector<json> noted(candidates.size());
  auto const timings = time_in_state(candidates, noted);
  session_.about("");
  std::size_t next = 0;
  for (auto& e : entries_) {
    if (!e.is_timed) continue;
    e.result.time = timings[next];
    e.result.extra.update(noted[next]);
    ++next;
  }
}

/// noted: what the machine says of itself behind each candidate, or behind all of them.
std::vector<timing> comparison::time_in_state(std::vector<candidate> const& candidates,
                                              std::vector<json>& noted) {
  constexpr double sustained_seconds = 2;
  auto const note = [this] {
    json members = json::object();
    if (int const mhz = where_.clock_mhz(); mhz > 0) members["clock_mhz"] = mhz;
    if (double const watts = where_.power_watts(); watts > 0 && state_ == operand_state::sustained)
      members["power_w"] = watts;
    return members;
  };
  if (state_ != operand_state::sustained) {
    auto timings = time_in_rounds(candidates, where_, slots_, session_.settings().rounds);
    noted.assign(candidates.size(), note());
    return timings;
  }
  std::vector<timing> timings;
  for (std::size_t c = 0; c < candidates.size(); ++c)
    timings.push_back(time_sustained(candidates[c], where_, slots_, sustained_seconds,
                                     [&] { noted[c] = note(); }));
  return timings;
}

/// The fastest verified ceiling of that kind.
bench_result const* comparison::fastest(bound bounds) const {
  bench_result const* best = nullptr;
  for (auto const& e : entries_)
    if (e.bounds == bounds && e.result.verified &&
        (best == nullptr || e.result.rate() > best->rate()))
      best = &e.result;
  return best;
}

void comparison::compare_with_ceilings() {
  bench_result const* limit = fastest(bound::rate);
  bench_result const* const bytes = fastest(bound::bytes);
  if (bytes != nullptr && (limit == nullptr || bytes->rate() < limit->rate())) limit = bytes;
  double const ceiling = limit != nullptr ? limit->rate() : 0;
  std::string const ceiling_name = limit != nullptr ? limit->implementation : "";
  double const ceiling_drift = limit != nullptr ? limit->time.drift : 0;
  bench_result const* best_peer = nullptr;
  for (auto const& e : entries_)
    if (e.result.part == role::peer && e.result.verified &&
        (best_peer == nullptr || e.result.rate() > best_peer->rate()))
      best_peer = &e.result;
  json rates = json::object();
  for (auto const& e : entries_)
    if (e.bounds != bound::none && e.result.verified)
      rates[e.result.implementation] = e.result.rate();
  for (auto& e : entries_) {
    if (e.result.part == role::xpose && !rates.empty()) e.result.extra["ceilings"] = rates;
    e.result.ceiling = ceiling;
    e.result.ceiling_name = ceiling_name;
    if (std::abs(ceiling_drift) > drift_worth_a_note && e.result.time.median > 0)
      add_note(e.result, "drift: " + ceiling_name + " took " + percent(ceiling_drift) +
                             " time in the later rounds");
    if (e.result.part == role::xpose && best_peer != nullptr) {
      e.result.best_peer = best_peer->implementation;
      e.result.ratio_to_best_peer = e.result.rate() / best_peer->rate();
    }
  }
}

void comparison::run() {
  time();
  compare_with_ceilings();
  for (auto const& e : entries_) session_.tell(e.result);
}

rotation rotate_operands(machine& where, operand_state state, std::size_t bytes_of_case) {
  constexpr std::size_t most_slots = 2048;
  std::size_t const cache = where.last_level_cache_bytes();
  bool const is_resident = stays_in_cache(bytes_of_case, cache);
  operand_state const of_size = is_resident ? operand_state::warm : operand_state::cold;
  operand_state const named = state == operand_state::by_size ? of_size : state;
  bool const is_cold = (named == operand_state::sustained ? of_size : named) == operand_state::cold;
  if (!is_cold) {
    if (!is_resident) throw state_not_reached();
    if (named == operand_state::written && where.is_device()) throw state_not_reached();
    return {1, "resident", named};
  }
  std::size_t const slots = std::max<std::size_t>(1, sets_past_cache(bytes_of_case, cache));
  if (slots > most_slots) throw state_not_reached();
  return {static_cast<int>(slots), "beyond", named};
}

json state_members(rotation const& r) { return {{"state", name_of(r.state)}}; }

void require_memory(machine& where, std::size_t bytes) {
  std::size_t const free = where.free_bytes();
  if (bytes > free / 20 * 19)
    throw std::runtime_error("skipped: needs " + gibibytes(bytes) + " of memory, " +
                             gibibytes(free) + " are free");
}

bool wants_self(bench_settings const& settings) {
  return std::find(settings.peers.begin(), settings.peers.end(), "self") != settings.peers.end();
}

std::vector<loaded_peer> const& peers_of(session& s, machine& where) {
  static std::vector<loaded_peer> loaded[2];
  static bool is_loaded[2] = {};
  std::size_t const side = where.is_device() ? 1 : 0;
  if (!is_loaded[side]) {
    std::vector<std::string> names;
    for (auto const& name : s.settings().peers) {
      if (name != "none" && name != "self") names.push_back(name);
    }
    loaded[side] = load_peers(names, where.is_device());
    is_loaded[side] = true;
  }
  return loaded[side];
}

}  // namespace xpose::bench
