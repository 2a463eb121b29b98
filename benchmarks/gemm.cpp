// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench gemm: one case among its peers.

#include "contest.hpp"
#include "operations.hpp"
#include "shape.hpp"

#include <stdexcept>

namespace xpose::bench {
namespace {

double operations_of(gemm_case const& what, gemm_type const& type) {
  // A complex product and sum are four of each.
  return (type.is_complex() ? 8.0 : 2.0) * static_cast<double>(what.batch) *
         static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k);
}

class gemm_operands {
 public:
  gemm_operands(place& where, gemm_case const& what, index offset)
      : where_(where),
        a_offset_(static_cast<std::size_t>(offset) * what.type.bytes),
        c_offset_(static_cast<std::size_t>(offset) * what.c_type.bytes),
        a_bytes_(bytes_of(what.batch, what.transposed_a ? what.k : what.m, what.lda, what.type)),
        b_bytes_(bytes_of(what.batch, what.transposed_b ? what.n : what.k, what.ldb, what.type)),
        c_bytes_(bytes_of(what.batch, what.m, what.ldc, what.c_type)),
        rotation_(rotate_past_cache(where, a_bytes_ + b_bytes_ + c_bytes_)) {
    auto const slots = static_cast<std::size_t>(rotation_.slots);
    require_memory(where, slots * (a_bytes_ + b_bytes_ + c_bytes_ + 3 * guard_bytes));
    for (std::size_t s = 0; s < slots; ++s) {
      a_.emplace_back(where, a_bytes_ + a_offset_);
      b_.emplace_back(where, b_bytes_ + a_offset_);
      c_.emplace_back(where, c_bytes_ + c_offset_ + guard_bytes);
      where.fill_random(a_[s].at(0), what.type.kind, a_[s].bytes(), 2 * s + 1);
      where.fill_random(b_[s].at(0), what.type.kind, b_[s].bytes(), 2 * s + 2);
      where.fill_poison(c_[s].at(0), c_[s].bytes());
    }
  }

  void* a(int slot) const { return a_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* b(int slot) const { return b_[static_cast<std::size_t>(slot)].at(a_offset_); }
  void* c(int slot) const { return c_[static_cast<std::size_t>(slot)].at(c_offset_); }
  void poison_c() { where_.fill_poison(c_[0].at(0), c_[0].bytes()); }

  std::size_t a_bytes() const { return a_bytes_; }
  std::size_t b_bytes() const { return b_bytes_; }
  std::size_t c_bytes() const { return c_bytes_; }
  rotation const& rotates() const { return rotation_; }

 private:
  static std::size_t bytes_of(index batch, index rows, index ld, element_type const& type) {
    return static_cast<std::size_t>(batch * rows * ld) * type.bytes;
  }

  place& where_;
  std::size_t a_offset_;
  std::size_t c_offset_;
  std::size_t a_bytes_;
  std::size_t b_bytes_;
  std::size_t c_bytes_;
  rotation rotation_;
  std::vector<place_memory> a_;
  std::vector<place_memory> b_;
  std::vector<place_memory> c_;
};

class gemm_contest {
 public:
  gemm_contest(work_site const& site, shape const& s, gemm_type const& type, gemm_case const& what)
      : site_(site),
        type_(type),
        what_(what),
        operands_(site.where, what, s.offset),
        contest_(site.told, site.where, common_row(s), operands_.rotates().slots) {}

  void run() {
    enter_xpose("xpose", role::xpose);
    for (auto const& c :
         arithmetic_ceilings(site_.where, site_.policy.threads, what_.type.kind, is_semiring()))
      contest_.enter(c.name, role::ceiling, true, [&]() -> std::optional<contender> {
        return contender{c.kernel, [compute = c.compute](int) { compute(); }, nullptr, nullptr,
                         c.operations};
      });
    if (wants_self(site_.told.settings())) enter_xpose("self", role::peer);
    if (!is_semiring())
      for (auto const& p : peers_of(site_.told, site_.where)) enter_peer(p);
    contest_.run();
  }

 private:
  bool is_semiring() const { return type_.semiring != semiring_choice::plus_times; }

  row common_row(shape const& s) const {
    row common;
    common.operation = "gemm";
    common.policy = site_.policy.name;
    common.threads = site_.where.is_device() ? 0 : site_.policy.threads;
    common.type = type_.name;
    common.shape = s.text;
    common.layout = s.layout();
    common.work = operations_of(what_, type_);
    common.is_arithmetic = true;
    common.cache = operands_.rotates().cache;
    // For a roofline: the bytes that a call must move at least.
    common.extra["bytes"] = operands_.a_bytes() + operands_.b_bytes() + operands_.c_bytes();
    return common;
  }

  verdict check() const {
    return verify_gemm(site_.where, what_, type_, operands_.a(0), operands_.b(0), operands_.c(0));
  }

  void enter_xpose(char const* name, role part) {
    contest_.enter(name, part, false, [&]() -> std::optional<contender> {
      operands_.poison_c();
      std::string kernel;
      auto const call = xpose_gemm(site_.policy, what_, type_.semiring, operands_.a(0),
                                   operands_.b(0), operands_.c(0), kernel);
      return contender{
          kernel,
          [this, call](int slot) { call(operands_.a(slot), operands_.b(slot), operands_.c(slot)); },
          nullptr, [this] { return check(); }};
    });
  }

  void enter_peer(loaded_peer const& p) {
    if (p.library == nullptr) return;
    // The vendor's library is the ceiling of a device.
    bool const judges = p.name == "cublas" || p.name == "cublaslt";
    contest_.enter(p.name, role::peer, judges, [&]() -> std::optional<contender> {
      operands_.poison_c();
      if (auto* const script = as_script(p.library)) return make_script(*script);
      peer_context const context{site_.where.is_device(), site_.where.stream(),
                                 site_.policy.threads};
      std::shared_ptr<gemm_runner> const runner =
          p.library->prepare(what_, context, operands_.a(0), operands_.b(0), operands_.c(0));
      if (runner == nullptr) return std::nullopt;
      operands_.poison_c();  // a planner may have written
      return contender{runner->kernel(),
                       [this, runner](int slot) {
                         runner->run(operands_.a(slot), operands_.b(slot), operands_.c(slot));
                       },
                       nullptr, [this] { return check(); }};
    });
  }

  std::optional<contender> make_script(script_peer& script) {
    std::shared_ptr<script_runner> const runner =
        prepare_in_script(script, what_, site_.where, site_.policy.threads,
                          operands_.rotates().slots, {operands_.a(0), operands_.a_bytes()},
                          {operands_.b(0), operands_.b_bytes()}, operands_.c_bytes());
    if (runner == nullptr) return std::nullopt;
    return contender{runner->kernel(), nullptr,
                     [runner](int calls) { return runner->timed_calls(calls); },
                     [this, runner] {
                       auto const host = make_host_place();
                       std::vector<unsigned char> a(operands_.a_bytes());
                       std::vector<unsigned char> b(operands_.b_bytes());
                       site_.where.copy_to_host(a.data(), operands_.a(0), a.size());
                       site_.where.copy_to_host(b.data(), operands_.b(0), b.size());
                       auto const c = runner->output();
                       return verify_gemm(*host, what_, type_, a.data(), b.data(), c.data());
                     }};
  }

  work_site site_;
  gemm_type type_;
  gemm_case what_;
  gemm_operands operands_;
  contest contest_;
};

/// A case that takes too long at the machine's peak is not begun.
void require_feasible(work_site const& site, gemm_case const& what, gemm_type const& type) {
  double const longest = site.told.settings().longest_call;
  auto const peak = arithmetic_ceilings(site.where, site.policy.threads, what.type.kind,
                                        type.semiring != semiring_choice::plus_times)
                        .at(0);
  candidate const loop{peak.name, [&](int) { peak.compute(); }, nullptr};
  site.where.seconds(loop, 0, 1, 1);
  double const rate = peak.operations / site.where.seconds(loop, 0, 1, 1);
  double const seconds = operations_of(what, type) / rate;
  if (seconds > longest && !site.where.is_device())
    throw std::runtime_error("skipped: one call takes " + std::to_string(seconds) +
                             " s at the machine's peak (--longest-call " + std::to_string(longest) +
                             ")");
}

}  // namespace

void time_gemm(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 3);
  gemm_type const type = gemm_type_named(j.type);
  auto const what = make_gemm_case(s, type.in, type.out);
  require_feasible(site, what, type);
  gemm_contest(site, s, type, what).run();
}

}  // namespace xpose::bench
