// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "gemm_contest.hpp"

namespace xpose::bench {

double operations_of(gemm_case const& what, gemm_type const& type) {
  // A complex product and sum are four of each.
  return (type.is_complex() ? 8.0 : 2.0) * static_cast<double>(what.batch) *
         static_cast<double>(what.m) * static_cast<double>(what.n) * static_cast<double>(what.k);
}

gemm_contest::gemm_contest(work_site const& site, row common, gemm_type const& type,
                           gemm_case const& what, index offset)
    : site_(site),
      type_(type),
      what_(what),
      operands_(site.where, what, offset),
      contest_(
          site.told, site.where,
          [&] {
            common.work = operations_of(what, type);
            common.is_arithmetic = true;
            common.cache = operands_.rotates().cache;
            // For a roofline: the bytes that a call must move at least.
            common.extra["bytes"] = operands_.a_bytes() + operands_.b_bytes() + operands_.c_bytes();
            return std::move(common);
          }(),
          operands_.rotates().slots) {}

void gemm_contest::enter_all() {
  enter_xpose("xpose", role::xpose);
  for (auto const& c :
       arithmetic_ceilings(site_.where, site_.policy.threads, what_.type.kind, is_semiring()))
    contest_.enter(c.name, role::ceiling, true, [&]() -> std::optional<contender> {
      contender who;
      who.kernel = c.kernel;
      who.call = [compute = c.compute](int) { compute(); };
      who.work = c.operations;
      return who;
    });
  if (wants_self(site_.told.settings())) enter_xpose("self", role::peer);
  if (is_semiring()) return;
  for (auto const& p : peers_of(site_.told, site_.where)) enter_peer(p);
}

void gemm_contest::enter_rung(ladder::rung const& r, json const& extra) {
  contest_.enter(r.name, role::rung, false, [&]() -> std::optional<contender> {
    operands_.poison_c();
    contender who;
    who.kernel = r.name;
    who.call = [this, multiply = r.multiply](int slot) {
      multiply(operands_.a(slot), operands_.b(slot), operands_.c(slot), what_.m, what_.n, what_.k,
               site_.where.stream());
    };
    who.verify = [this] { return check(); };
    who.extra = extra;
    return who;
  });
}

verdict gemm_contest::check() const {
  return verify_gemm(site_.where, what_, type_, operands_.a(0), operands_.b(0), operands_.c(0));
}

void gemm_contest::enter_xpose(char const* name, role part) {
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

void gemm_contest::enter_peer(loaded_peer const& p) {
  if (p.library == nullptr) return;
  // The vendor's library is the ceiling of a device.
  bool const judges = p.name == "cublas" || p.name == "cublaslt";
  contest_.enter(p.name, role::peer, judges, [&]() -> std::optional<contender> {
    operands_.poison_c();
    if (auto* const script = as_script(p.library)) return make_script(*script);
    peer_context const context{site_.where.is_device(), site_.where.stream(), site_.policy.threads};
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

std::optional<contender> gemm_contest::make_script(script_peer& script) {
  std::shared_ptr<script_runner> const runner =
      prepare_in_script(script, what_, site_.where, site_.policy.threads, operands_.rotates().slots,
                        {operands_.a(0), operands_.a_bytes()},
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

}  // namespace xpose::bench
