// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/combine.hpp"

#include "core/words.hpp"

namespace xpose::bench {

combine_operands::combine_operands(machine& where, operand_state state, combine_sizes const& sizes,
                                   index offset)
    : where_(where),
      a_offset_(static_cast<std::size_t>(offset) * sizes.type.bytes),
      c_offset_(static_cast<std::size_t>(offset) * sizes.c_type.bytes),
      a_bytes_(static_cast<std::size_t>(sizes.a) * sizes.type.bytes),
      b_bytes_(static_cast<std::size_t>(sizes.b) * sizes.type.bytes),
      c_bytes_(static_cast<std::size_t>(sizes.c) * sizes.c_type.bytes),
      rotation_(rotate_operands(where, state, all_bytes())) {
  auto const slots = static_cast<std::size_t>(rotation_.slots);
  require_memory(where, slots * (all_bytes() + 3 * guard_bytes));
  for (std::size_t s = 0; s < slots; ++s) {
    a_.emplace_back(where, a_bytes_ + a_offset_);
    b_.emplace_back(where, b_bytes_ + a_offset_);
    c_.emplace_back(where, c_bytes_ + c_offset_ + guard_bytes);
    where.fill_random(a_[s].at(0), sizes.type.kind, a_[s].bytes(), 2 * s + 1);
    where.fill_random(b_[s].at(0), sizes.type.kind, b_[s].bytes(), 2 * s + 2);
    where.fill_poison(c_[s].at(0), c_[s].bytes());
  }
}

combine_comparison::combine_comparison(work_site const& site, bench_result common,
                                       combine_task const& task, index offset)
    : site_(site),
      task_(task),
      operands_(site.where, site.told.state(), task.sizes(), offset),
      comparison_(
          site.told, site.where,
          [&] {
            common.work = task.work();
            common.is_arithmetic = task.is_arithmetic();
            common.cache = operands_.rotates().cache;
            common.extra.update(state_members(operands_.rotates()));
            // For a roofline: the bytes that a call must move at least.
            if (task.is_arithmetic()) common.extra["bytes"] = operands_.all_bytes();
            return std::move(common);
          }(),
          operands_.rotates().slots, operands_.rotates().state) {
  if (operands_.rotates().state != operand_state::written) return;
  int const threads = site.policy.threads;
  comparison_.time_with(
      [this, threads](int slot) {
        write_words(operands_.a(slot), operands_.a_bytes(), threads);
        write_words(operands_.b(slot), operands_.b_bytes(), threads);
      },
      [this, threads](int slot) { read_words(operands_.c(slot), operands_.c_bytes(), threads); });
}

void combine_comparison::enter_all() {
  enter_xpose("xpose", role::xpose);
  for (auto const& c : task_.ceilings(site_.where, site_.policy.threads)) enter_ceiling(c);
  if (wants_self(site_.told.settings())) enter_xpose("self", role::peer);
  for (auto const& p : peers_of(site_.told, site_.where))
    if (task_.has_peers() || p.is_xpose) enter_peer(p);
}

void combine_comparison::enter_ceiling(combine_ceiling const& c) {
  comparison_.enter(c.name, role::ceiling, c.bounds, [&]() -> std::optional<prepared_candidate> {
    prepared_candidate who;
    who.kernel = c.kernel;
    who.call = [this, run = c.run](int slot) {
      run(operands_.aligned_a(slot), operands_.aligned_b(slot), operands_.aligned_c(slot));
    };
    if (c.verify)
      who.verify = [this, verify = c.verify] {
        return verify(operands_.aligned_a(0), operands_.aligned_b(0), operands_.aligned_c(0));
      };
    return who;
  });
}

void combine_comparison::enter_rung(ladder::rung const& r, gemm_case const& what,
                                    json const& extra) {
  comparison_.enter(r.name, role::rung, bound::none, [&]() -> std::optional<prepared_candidate> {
    operands_.poison_c();
    prepared_candidate who;
    who.kernel = r.name;
    who.call = [this, what, multiply = r.multiply](int slot) {
      multiply(operands_.a(slot), operands_.b(slot), operands_.c(slot), what.m, what.n, what.k,
               site_.where.stream());
    };
    who.verify = [this] { return check(); };
    who.extra = extra;
    return who;
  });
}

verdict combine_comparison::check() const {
  return task_.verify(site_.where, operands_.a(0), operands_.b(0), operands_.c(0));
}

void combine_comparison::enter_xpose(char const* name, role part) {
  comparison_.enter(name, part, bound::none, [&]() -> std::optional<prepared_candidate> {
    operands_.poison_c();
    std::string kernel;
    auto const call =
        task_.xpose(site_.policy, operands_.a(0), operands_.b(0), operands_.c(0), kernel);
    return prepared_candidate{
        kernel,
        [this, call](int slot) { call(operands_.a(slot), operands_.b(slot), operands_.c(slot)); },
        nullptr, [this] { return check(); }};
  });
}

void combine_comparison::enter_peer(loaded_peer const& p) {
  if (p.library == nullptr) return;
  comparison_.enter(p.name, role_of(p), bound::none, [&]() -> std::optional<prepared_candidate> {
    operands_.poison_c();
    if (auto* const script = as_script(p.library)) return make_script(*script);
    peer_context const context{site_.where.is_device(), site_.where.stream(), site_.policy.threads};
    std::shared_ptr<combine_runner> const runner =
        task_.prepare(*p.library, context, operands_.a(0), operands_.b(0), operands_.c(0));
    if (runner == nullptr) return std::nullopt;
    operands_.poison_c();  // a planner may have written
    return prepared_candidate{runner->kernel(),
                              [this, runner](int slot) {
                                runner->run(operands_.a(slot), operands_.b(slot),
                                            operands_.c(slot));
                              },
                              nullptr, [this] { return check(); }};
  });
}

std::optional<prepared_candidate> combine_comparison::make_script(script_peer& script) {
  std::shared_ptr<script_runner> const runner =
      prepare_in_script(script, task_.script_request(), site_.where, site_.policy.threads,
                        operands_.rotates().slots, {operands_.a(0), operands_.a_bytes()},
                        {operands_.b(0), operands_.b_bytes()}, operands_.c_bytes());
  if (runner == nullptr) return std::nullopt;
  return prepared_candidate{runner->kernel(), nullptr,
                            [runner](int calls) { return runner->timed_calls(calls); },
                            [this, runner] {
                              auto const host = make_host_machine();
                              std::vector<unsigned char> a(operands_.a_bytes());
                              std::vector<unsigned char> b(operands_.b_bytes());
                              site_.where.copy_to_host(a.data(), operands_.a(0), a.size());
                              site_.where.copy_to_host(b.data(), operands_.b(0), b.size());
                              auto c = runner->output();
                              c.resize(c.size() + guard_bytes, poison);
                              return task_.verify(*host, a.data(), b.data(), c.data());
                            }};
}

}  // namespace xpose::bench
