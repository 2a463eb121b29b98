// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench transpose and copy: one case among its peers.

#include "contest.hpp"
#include "operations.hpp"
#include "shape.hpp"

namespace xpose::bench {
namespace {

/// Operands of a case, several sets of them.
class copy_operands {
 public:
  copy_operands(place& where, transpose_case const& what, index out_rows, index offset)
      : where_(where),
        kind_(what.type.kind),
        offset_(static_cast<std::size_t>(offset) * what.type.bytes),
        in_bytes_(static_cast<std::size_t>(what.batch * what.rows * what.in_ld) * what.type.bytes),
        out_bytes_(static_cast<std::size_t>(what.batch * out_rows * what.out_ld) * what.type.bytes),
        payload_(static_cast<std::size_t>(what.batch * what.rows * what.cols) * what.type.bytes),
        rotation_(rotate_past_cache(where, 2 * payload_)) {
    auto const slots = static_cast<std::size_t>(rotation_.slots);
    require_memory(where, slots * (in_bytes_ + out_bytes_ + 2 * offset_ + guard_bytes));
    for (std::size_t s = 0; s < slots; ++s) {
      ins_.emplace_back(where, in_bytes_ + offset_);
      outs_.emplace_back(where, out_bytes_ + offset_ + guard_bytes);
      fill_in(static_cast<int>(s));
      poison_out(static_cast<int>(s));
    }
  }

  void* in(int slot) const { return ins_[static_cast<std::size_t>(slot)].at(offset_); }
  void* out(int slot) const { return outs_[static_cast<std::size_t>(slot)].at(offset_); }
  /// Without the offset: where a plain copy of the same bytes is fastest.
  void* aligned_in(int slot) const { return ins_[static_cast<std::size_t>(slot)].at(0); }
  void* aligned_out(int slot) const { return outs_[static_cast<std::size_t>(slot)].at(0); }

  void fill_in(int slot) {
    auto const& memory = ins_[static_cast<std::size_t>(slot)];
    where_.fill_random(memory.at(0), kind_, memory.bytes(), static_cast<std::uint64_t>(slot) + 1);
  }
  void poison_out(int slot) {
    auto const& memory = outs_[static_cast<std::size_t>(slot)];
    where_.fill_poison(memory.at(0), memory.bytes());
  }

  std::size_t in_bytes() const { return in_bytes_; }
  std::size_t out_bytes() const { return out_bytes_; }
  std::size_t payload() const { return payload_; }
  rotation const& rotates() const { return rotation_; }

 private:
  place& where_;
  element_kind kind_;
  std::size_t offset_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
  std::size_t payload_;
  rotation rotation_;
  std::vector<place_memory> ins_;
  std::vector<place_memory> outs_;
};

/// The contenders of one transpose or copy.
class copy_contest {
 public:
  copy_contest(work_site const& site, shape const& s, transpose_case const& what, bool is_copy,
               index out_rows)
      : site_(site),
        what_(what),
        is_copy_(is_copy),
        operands_(site.where, what, out_rows, s.offset),
        contest_(site.told, site.where, common_row(s), operands_.rotates().slots) {}

  void run() {
    if (!what_.in_place) enter_xpose("xpose", role::xpose);
    for (auto const& c : copy_ceilings(site_.where, site_.policy.threads)) enter_ceiling(c);
    if (!what_.in_place && wants_self(site_.told.settings())) enter_xpose("self", role::peer);
    if (!is_copy_)
      for (auto const& p : peers_of(site_.told, site_.where)) enter_peer(p);
    contest_.run();
  }

 private:
  row common_row(shape const& s) const {
    row common;
    common.operation = is_copy_ ? "copy" : what_.in_place ? "transpose_inplace" : "transpose";
    common.policy = site_.policy.name;
    common.threads = site_.where.is_device() ? 0 : site_.policy.threads;
    common.type = what_.type.name;
    common.shape = s.text;
    common.layout = s.layout();
    common.work = 2 * static_cast<double>(operands_.payload());
    common.cache = operands_.rotates().cache;
    return common;
  }

  verdict check(void const* in, void const* out) const {
    return verify_transpose(site_.where, what_, is_copy_, in, out);
  }

  void enter_xpose(char const* name, role part) {
    contest_.enter(name, part, false, [&]() -> std::optional<contender> {
      operands_.poison_out(0);
      std::string kernel;
      auto const make = is_copy_ ? xpose_copy : xpose_transpose;
      auto const call = make(site_.policy, what_, operands_.in(0), operands_.out(0), kernel);
      return contender{kernel,
                       [this, call](int slot) { call(operands_.in(slot), operands_.out(slot)); },
                       nullptr, [this] { return check(operands_.in(0), operands_.out(0)); }};
    });
  }

  void enter_ceiling(ceiling const& c) {
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

  void enter_peer(loaded_peer const& p) {
    if (p.library == nullptr) return;
    contest_.enter(p.name, role::peer, false, [&]() -> std::optional<contender> {
      operands_.poison_out(0);
      if (auto* const script = as_script(p.library)) return make_script(*script);
      void* const out = what_.in_place ? operands_.in(0) : operands_.out(0);
      peer_context const context{site_.where.is_device(), site_.where.stream(),
                                 site_.policy.threads};
      std::shared_ptr<transpose_runner> const runner =
          p.library->prepare(what_, context, operands_.in(0), out);
      if (runner == nullptr) return std::nullopt;
      operands_.poison_out(0);  // a planner may have written
      if (what_.in_place) operands_.fill_in(0);
      return contender{runner->kernel(),
                       [this, runner](int slot) {
                         runner->run(operands_.in(slot),
                                     what_.in_place ? operands_.in(slot) : operands_.out(slot));
                       },
                       nullptr, [this] { return check_peer(); }};
    });
  }

  verdict check_peer() {
    if (!what_.in_place) return check(operands_.in(0), operands_.out(0));
    // The operand was overwritten by its transpose; its seed makes it once more.
    place_memory original(site_.where, operands_.in_bytes());
    site_.where.fill_random(original.at(0), what_.type.kind, original.bytes(), 1);
    place_memory result(site_.where, operands_.in_bytes() + guard_bytes);
    site_.where.fill_poison(result.at(0), result.bytes());
    copy_ceilings(site_.where, site_.policy.threads)[0].copy(operands_.in(0), result.at(0),
                                                             operands_.in_bytes());
    site_.where.synchronize();
    verdict const v = check(original.at(0), result.at(0));
    operands_.fill_in(0);
    return v;
  }

  std::optional<contender> make_script(script_peer& script) {
    if (what_.in_place) return std::nullopt;
    std::shared_ptr<script_runner> const runner = prepare_in_script(
        script, what_, site_.where, site_.policy.threads, operands_.rotates().slots,
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

  work_site site_;
  transpose_case what_;
  bool is_copy_;
  copy_operands operands_;
  contest contest_;
};

}  // namespace

void time_transpose(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  auto const what =
      make_transpose_case(s, element_type_named(j.type), site.told.settings().in_place);
  copy_contest(site, s, what, false, what.cols).run();
}

void time_copy(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  auto const what = make_copy_case(s, element_type_named(j.type));
  copy_contest(site, s, what, true, what.rows).run();
}

}  // namespace xpose::bench
