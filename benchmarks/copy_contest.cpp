// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "copy_contest.hpp"

namespace xpose::bench {

copy_contest::copy_contest(work_site const& site, row common, transpose_case const& what,
                           bool is_copy, index offset)
    : site_(site),
      what_(what),
      is_copy_(is_copy),
      operands_(site.where, what, is_copy ? what.rows : what.cols, offset),
      contest_(
          site.told, site.where,
          [&] {
            common.work = 2 * static_cast<double>(operands_.payload());
            common.cache = operands_.rotates().cache;
            return std::move(common);
          }(),
          operands_.rotates().slots) {}

void copy_contest::enter_all() {
  enter_xpose("xpose", role::xpose);
  if (what_.in_place) enter_copy_back();
  for (auto const& c : copy_ceilings(site_.where, site_.policy.threads)) enter_ceiling(c);
  if (wants_self(site_.told.settings())) enter_xpose("self", role::peer);
  if (is_copy_) return;
  for (auto const& p : peers_of(site_.told, site_.where)) enter_peer(p);
}

void copy_contest::enter_rung(ladder::rung const& r, json const& extra) {
  bool const is_copy = r.work == ladder::rung_work::copy;
  contest_.enter(r.name, role::rung, false, [&]() -> std::optional<contender> {
    operands_.poison_out(0);
    contender who;
    who.kernel = r.name;
    who.call = [this, move = r.move](int slot) {
      move(operands_.in(slot), operands_.out(slot), what_.rows, what_.cols, site_.where.stream());
    };
    who.verify = [this, is_copy] {
      auto what = what_;
      if (is_copy) what.out_ld = what.cols;
      return verify_transpose(site_.where, what, is_copy, operands_.in(0), operands_.out(0));
    };
    who.extra = extra;
    return who;
  });
}

void copy_contest::make_ready() {
  operands_.poison_out(0);
  if (what_.in_place) operands_.fill_in(0);
}

verdict copy_contest::check(void const* in, void const* out) const {
  return verify_transpose(site_.where, what_, is_copy_, in, out);
}

void copy_contest::enter_xpose(char const* name, role part) {
  contest_.enter(name, part, false, [&]() -> std::optional<contender> {
    make_ready();
    std::string kernel;
    auto const make = is_copy_ ? xpose_copy : xpose_transpose;
    auto const call = what_.in_place
                          ? xpose_transpose_inplace(site_.policy, what_, operands_.in(0), kernel)
                          : make(site_.policy, what_, operands_.in(0), operands_.out(0), kernel);
    return contender{kernel, [this, call](int slot) { call(operands_.in(slot), target(slot)); },
                     nullptr, [this] { return check_result(); }};
  });
}

void copy_contest::enter_copy_back() {
  contest_.enter("copy_back", role::alternative, false, [&]() -> std::optional<contender> {
    make_ready();
    transpose_case there = what_;
    there.in_place = false;
    index const stride = what_.out_batch_stride;
    transpose_case const back{what_.type,  what_.cols, what_.rows, what_.out_ld, what_.out_ld,
                              what_.batch, stride,     stride,     false};
    std::string kernels[2];
    auto const turn =
        xpose_transpose(site_.policy, there, operands_.in(0), operands_.out(0), kernels[0]);
    auto const copy = xpose_copy(site_.policy, back, operands_.out(0), operands_.in(0), kernels[1]);
    return contender{kernels[0] + ", " + kernels[1],
                     [this, turn, copy](int slot) {
                       turn(operands_.in(slot), operands_.out(slot));
                       copy(operands_.out(slot), operands_.in(slot));
                     },
                     nullptr, [this] { return check_result(); }};
  });
}

void copy_contest::enter_ceiling(ceiling const& c) {
  contest_.enter(c.name, role::ceiling, true, [&]() -> std::optional<contender> {
    operands_.poison_out(0);
    auto const bytes = static_cast<index>(operands_.payload());
    transpose_case const flat{element_type_named("b1"), 1, bytes, bytes, bytes, 1, 0, 0, false};
    return contender{c.kernel,
                     [this, copy = c.copy](int slot) {
                       copy(operands_.aligned_in(slot), operands_.aligned_out(slot),
                            operands_.payload());
                     },
                     nullptr,
                     [this, flat] {
                       return verify_transpose(site_.where, flat, true, operands_.aligned_in(0),
                                               operands_.aligned_out(0));
                     }};
  });
}

void copy_contest::enter_peer(loaded_peer const& p) {
  if (p.library == nullptr) return;
  contest_.enter(p.name, role::peer, false, [&]() -> std::optional<contender> {
    make_ready();
    if (auto* const script = as_script(p.library)) return make_script(*script);
    peer_context const context{site_.where.is_device(), site_.where.stream(), site_.policy.threads};
    std::shared_ptr<transpose_runner> const runner =
        p.library->prepare(what_, context, operands_.in(0), target(0));
    if (runner == nullptr) return std::nullopt;
    make_ready();  // a planner may have written
    return contender{runner->kernel(),
                     [this, runner](int slot) { runner->run(operands_.in(slot), target(slot)); },
                     nullptr, [this] { return check_result(); }};
  });
}

verdict copy_contest::check_result() {
  if (!what_.in_place) return check(operands_.in(0), operands_.out(0));
  // The operand was overwritten by its transpose; its seed makes it once more.
  place_memory result(site_.where, operands_.in_bytes() + guard_bytes);
  copy_ceilings(site_.where, site_.policy.threads)[0].copy(operands_.in(0), result.at(0),
                                                           result.bytes());
  site_.where.synchronize();
  operands_.fill_in(0);
  return check(operands_.in(0), result.at(0));
}

std::optional<contender> copy_contest::make_script(script_peer& script) {
  if (what_.in_place) return std::nullopt;
  std::shared_ptr<script_runner> const runner =
      prepare_in_script(script, what_, site_.where, site_.policy.threads, operands_.rotates().slots,
                        {operands_.in(0), operands_.in_bytes()}, operands_.out_bytes());
  if (runner == nullptr) return std::nullopt;
  return contender{runner->kernel(), nullptr,
                   [runner](int calls) { return runner->timed_calls(calls); },
                   [this, runner] {
                     // Its output is in host memory, where the same check looks at it.
                     auto const host = make_host_place();
                     std::vector<unsigned char> in(operands_.in_bytes());
                     site_.where.copy_to_host(in.data(), operands_.in(0), in.size());
                     auto out = runner->output();
                     out.resize(out.size() + guard_bytes, poison);
                     return verify_transpose(*host, what_, is_copy_, in.data(), out.data());
                   }};
}

}  // namespace xpose::bench
