// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "candidates/copy.hpp"

#include "core/words.hpp"

namespace xpose::bench {

copy_comparison::copy_comparison(work_site const& site, bench_result common, copy_task const& task,
                                 index offset)
    : site_(site),
      task_(task),
      operands_(site.where, site.told.state(), task, offset),
      comparison_(
          site.told, site.where,
          [&] {
            common.work = 2 * static_cast<double>(operands_.payload());
            common.cache = operands_.rotates().cache;
            common.extra.update(state_members(operands_.rotates()));
            return std::move(common);
          }(),
          operands_.rotates().slots, operands_.rotates().state) {
  if (operands_.rotates().state != operand_state::written) return;
  int const threads = site.policy.threads;
  comparison_.time_with(
      [this, threads](int slot) { write_words(operands_.in(slot), operands_.in_bytes(), threads); },
      [this, threads](int slot) { read_words(target(slot), operands_.out_bytes(), threads); });
}

void copy_comparison::enter_all() {
  enter_xpose("xpose", role::xpose);
  enter_alternative();
  for (auto const& c : copy_ceilings(site_.where, site_.policy.threads))
    enter_copy(c, role::ceiling);
  if (task_.is_measured_by_copy()) enter_copy(xpose_plain_copy(), role::alternative);
  if (wants_self(site_.told.settings())) enter_xpose("self", role::peer);
  if (!task_.has_peers()) return;
  for (auto const& p : peers_of(site_.told, site_.where)) enter_peer(p);
}

void copy_comparison::enter_rung(ladder::rung const& r, transpose_case const& what,
                                 json const& extra) {
  bool const is_copy = r.work == ladder::rung_work::copy;
  comparison_.enter(r.name, role::rung, bound::none, [&]() -> std::optional<prepared_candidate> {
    make_ready();
    prepared_candidate who;
    who.kernel = r.name;
    who.call = [this, what, move = r.move](int slot) {
      move(operands_.in(slot), operands_.out(slot), what.rows, what.cols, site_.where.stream());
    };
    who.verify = [this, what, is_copy] {
      auto moved = what;
      if (is_copy) moved.out_ld = what.cols;
      return verify_transpose(site_.where, moved, is_copy, operands_.in(0), operands_.out(0));
    };
    who.extra = extra;
    return who;
  });
}

void copy_comparison::make_ready() {
  operands_.poison_out(0);
  if (task_.is_in_place()) operands_.fill_in(0);
}

void copy_comparison::enter_xpose(char const* name, role part) {
  comparison_.enter(name, part, bound::none, [&]() -> std::optional<prepared_candidate> {
    make_ready();
    std::string kernel;
    auto const call = task_.xpose(site_.policy, operands_.in(0), target(0), kernel);
    return prepared_candidate{kernel,
                              [this, call](int slot) { call(operands_.in(slot), target(slot)); },
                              nullptr, [this] { return check_result(); }};
  });
}

void copy_comparison::enter_alternative() {
  auto const other = task_.alternative(site_.policy, operands_.in(0), operands_.out(0));
  if (other.name.empty()) return;
  comparison_.enter(
      other.name, role::alternative, bound::none, [&]() -> std::optional<prepared_candidate> {
        make_ready();
        return prepared_candidate{
            other.kernel,
            [this, call = other.call](int slot) { call(operands_.in(slot), operands_.out(slot)); },
            nullptr, [this] { return check_result(); }};
      });
}

transpose_case copy_comparison::flat_copy() const {
  auto const bytes = static_cast<index>(operands_.payload());
  return {element_type_named("b1"), 1, bytes, bytes, bytes, 1, 0, 0, false};
}

copy_ceiling copy_comparison::xpose_plain_copy() const {
  std::string kernel;
  auto const call = xpose_copy(site_.policy, flat_copy(), operands_.aligned_in(0),
                               operands_.aligned_out(0), kernel);
  return {"xpose_copy", kernel, [call](void const* in, void* out, std::size_t) { call(in, out); }};
}

void copy_comparison::enter_copy(copy_ceiling const& c, role part) {
  comparison_.enter(
      c.name, part, part == role::ceiling ? bound::rate : bound::none,
      [&]() -> std::optional<prepared_candidate> {
        operands_.poison_out(0);
        transpose_case const flat = flat_copy();
        return prepared_candidate{
            c.kernel,
            [this, copy = c.copy](int slot) {
              copy(operands_.aligned_in(slot), operands_.aligned_out(slot), operands_.payload());
            },
            nullptr,
            [this, flat] {
              return verify_transpose(site_.where, flat, true, operands_.aligned_in(0),
                                      operands_.aligned_out(0));
            }};
      });
}

void copy_comparison::enter_peer(loaded_peer const& p) {
  if (p.library == nullptr) return;
  comparison_.enter(p.name, role_of(p), bound::none, [&]() -> std::optional<prepared_candidate> {
    make_ready();
    if (auto* const script = as_script(p.library)) return make_script(*script);
    peer_context const context{site_.where.is_device(), site_.where.stream(), site_.policy.threads};
    std::shared_ptr<copy_runner> const runner =
        task_.prepare(*p.library, context, operands_.in(0), target(0));
    if (runner == nullptr) return std::nullopt;
    make_ready();  // a planner may have written
    return prepared_candidate{
        runner->kernel(),
        [this, runner](int slot) { runner->run(operands_.in(slot), target(slot)); }, nullptr,
        [this] { return check_result(); }};
  });
}

verdict copy_comparison::check_result() {
  if (!task_.is_in_place()) return task_.verify(site_.where, operands_.in(0), operands_.out(0));
  // The operand was overwritten by its transpose; its seed makes it once more.
  machine_memory result(site_.where, operands_.in_bytes() + guard_bytes);
  copy_ceilings(site_.where, site_.policy.threads)[0].copy(operands_.in(0), result.at(0),
                                                           result.bytes());
  site_.where.synchronize();
  operands_.fill_in(0);
  return task_.verify(site_.where, operands_.in(0), result.at(0));
}

std::optional<prepared_candidate> copy_comparison::make_script(script_peer& script) {
  if (task_.is_in_place()) return std::nullopt;
  std::shared_ptr<script_runner> const runner = prepare_in_script(
      script, task_.script_request(), site_.where, site_.policy.threads, operands_.rotates().slots,
      {operands_.in(0), operands_.in_bytes()}, operands_.out_bytes());
  if (runner == nullptr) return std::nullopt;
  return prepared_candidate{runner->kernel(), nullptr,
                            [runner](int calls) { return runner->timed_calls(calls); },
                            [this, runner] {
                              // Its output is in host memory, where the same check looks at it.
                              auto const host = make_host_machine();
                              std::vector<unsigned char> in(operands_.in_bytes());
                              site_.where.copy_to_host(in.data(), operands_.in(0), in.size());
                              auto out = runner->output();
                              out.resize(out.size() + guard_bytes, poison);
                              return task_.verify(*host, in.data(), out.data());
                            }};
}

}  // namespace xpose::bench
