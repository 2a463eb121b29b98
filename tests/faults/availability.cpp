// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where calls run: by the memory of their operands, by their stream, on which of two devices; under
// capture; from several threads.

#include "faults/fake/default_stream.hpp"
#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

using xpose::detail::residency;

namespace {

constexpr xpose::index rows = 30;
constexpr xpose::index cols = 20;
constexpr residency kinds[] = {residency::unknown_to_cuda, residency::pinned_host,
                               residency::managed, residency::device};

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

/// "in (0x5500)", as messages name an operand.
std::string named(char const* name, fake::memory const& at) {
  std::ostringstream text;
  text << name << " (" << at.as<void>() << ')';
  return text.str();
}

struct pair_of_operands {
  pair_of_operands(residency in_kind, residency out_kind, int in_device = 0, int out_device = 0)
      : in(in_kind, rows * cols * sizeof(float), in_device),
        out(out_kind, rows * cols * sizeof(float), out_device) {}
  template <class Policy>
  void transpose(Policy const& policy) const {
    xpose::transpose(policy, in_view(), out_view());
  }
  /// The backend, or the message of the residency_error.
  template <class Policy>
  std::string fate(Policy const& policy) const {
    try {
      auto const before = fake::launches().size();
      transpose(policy);
      std::string const told =
          xpose::explain(policy, xpose::operation::transpose, in_view(), out_view()).backend;
      bool const has_launched = fake::launches().size() > before;
      return has_launched == (told == "cuda") ? told : "not " + told;
    } catch (xpose::residency_error const& e) {
      return e.what();
    }
  }
  xpose::matrix_view<float const> in_view() const { return {in.as<float>(), rows, cols}; }
  xpose::matrix_view<float> out_view() const { return {out.as<float>(), cols, rows}; }
  fake::memory in, out;
};

/// Wrong of one pair under every policy.
std::string wrong_with(residency in_kind, residency out_kind) {
  pair_of_operands const o(in_kind, out_kind);
  std::string wrong;
  auto const expect = [&wrong](bool is_right, char const* policy, std::string const& got) {
    if (!is_right) wrong += std::string(policy) + ": " + got + "; ";
  };
  auto const is_of_device = [](residency r) {
    return r == residency::device || r == residency::managed;
  };
  auto const is_pageable = [](residency r) { return r == residency::unknown_to_cuda; };
  bool const any_of_device = is_of_device(in_kind) || is_of_device(out_kind);
  bool const any_pageable = is_pageable(in_kind) || is_pageable(out_kind);

  std::string const automatic = o.fate(xpose::automatic);
  if (any_of_device && any_pageable)
    expect(contains(automatic, named("in", o.in)) && contains(automatic, named("out", o.out)),
           "automatic", automatic);
  else expect(automatic == (any_of_device ? "cuda" : "omp"), "automatic", automatic);

  std::string const cuda = o.fate(xpose::cuda);
  if (any_pageable)
    expect(contains(cuda, is_pageable(in_kind) ? named("in", o.in) : named("out", o.out)), "cuda",
           cuda);
  else expect(cuda == "cuda", "cuda", cuda);

  auto const check_host = [&](char const* backend, std::string const& got) {
    if (in_kind == residency::device) expect(contains(got, named("in", o.in)), backend, got);
    else if (out_kind == residency::device)
      expect(contains(got, named("out", o.out)), backend, got);
    else expect(got == backend, backend, got);
  };
  check_host("omp", o.fate(xpose::omp));
  check_host("omp", o.fate(xpose::seq));
  check_host("reference", o.fate(xpose::reference));
  return wrong;
}

TEST_CASE("where operands live decides what automatic does, and what each policy refuses by name") {
  for (residency const in : kinds)
    for (residency const out : kinds) {
      CAPTURE(static_cast<int>(in));
      CAPTURE(static_cast<int>(out));
      CHECK(in_child([&] {
              fake::start();
              return wrong_with(in, out);
            }) == "");
    }
}

TEST_CASE("an operand without elements may live anywhere") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::memory const device(residency::device, 64);
          float host = 7;
          xpose::gemm(xpose::cuda, xpose::matrix_view<float const>(&host, 4, 0),
                      xpose::matrix_view<float const>(&host, 0, 4),
                      xpose::matrix_view<float>(device.as<float>(), 4, 4));
          return "";
        }) == "");
}

TEST_CASE("calls run on the device of their stream, and the current device stays what it was") {
  for (auto const& entry : entry_points)
    for (bool const nosync : {false, true}) {
      CAPTURE(std::string(entry.name));
      CAPTURE(nosync);
      CHECK(in_child([&]() -> std::string {
              fake::start(2);
              operands const there(1);
              fake::stream const s(1);
              auto const on_stream = xpose::cuda.on(s.handle());
              for (int again = 0; again < 2; ++again)
                entry.run(nosync ? on_stream.nosync() : on_stream, there);
              for (auto const& l : fake::launches())
                if (l.device != 1 || l.stream != s.handle()) return "a launch went elsewhere";
              return fake::current_device() == 0 ? "" : "the current device changed";
            }) == "");
    }
}

TEST_CASE("the current device stays what it was when a call fails") {
  for (auto const& entry : entry_points) {
    CAPTURE(std::string(entry.name));
    CHECK(in_child([&]() -> std::string {
            fake::start(2);
            operands const there(1);
            fake::stream const s(1);
            entry.run(xpose::cuda.on(s.handle()), there);
            auto const count = static_cast<int>(fake::calls().size());
            for (int call = 0; call < count; ++call) {
              fake::fail({call, false, cudaErrorInvalidValue});
              try {
                entry.run(xpose::cuda.on(s.handle()), there);
              } catch (xpose::cuda_error const&) {
              }
              auto const made = fake::calls();
              fake::fail(fake::no_fault);
              bool const could_return =
                  static_cast<int>(made.size()) <= call ||
                  made[static_cast<std::size_t>(call)].name != "cuCtxPopCurrent";
              if (!could_return) fake::pop_all();
              if (fake::current_device() != 0) return "after call " + std::to_string(call);
            }
            return "";
          }) == "");
  }
}

TEST_CASE("memory of another device is refused by name, unless it is a peer's") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          pair_of_operands const o(residency::device, residency::device, 1, 0);
          fake::stream const s(1);
          std::string const refused = o.fate(xpose::cuda.on(s.handle()));
          if (!contains(refused, named("out", o.out)) || !contains(refused, "memory of device 0") ||
              !contains(refused, "device 1 cannot reach"))
            return refused;
          std::string const by_default = o.fate(xpose::cuda);
          if (!contains(by_default, named("in", o.in)) ||
              !contains(by_default, "device 0 cannot reach"))
            return by_default;
          if (!fake::launches().empty()) return "something was launched";
          fake::allow_peer_access();
          if (o.fate(xpose::cuda.on(s.handle())) != "cuda") return "refused for a peer";
          return fake::launches().at(0).device == 1 ? "" : "on the wrong device";
        }) == "");
}

TEST_CASE("automatic runs on the device of the data, and names operands on two") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          pair_of_operands const there(residency::pinned_host, residency::device, 0, 1);
          if (there.fate(xpose::automatic) != "cuda") return "not on cuda";
          if (fake::launches().at(0).device != 1) return "on the wrong device";
          if (fake::current_device() != 0) return "the current device changed";
          pair_of_operands const apart(residency::device, residency::device, 1, 0);
          std::string const refused = apart.fate(xpose::automatic);
          return contains(refused, named("in", apart.in)) &&
                         contains(refused, named("out", apart.out))
                     ? ""
                     : refused;
        }) == "");
}

TEST_CASE("nosync calls ask a stream under capture nothing that would end it") {
  for (auto const& entry : entry_points)
    for (int const device : {0, 1})
      for (bool const is_first_call : {true, false}) {
        if (entry.moves_operands) continue;
        CAPTURE(std::string(entry.name));
        CAPTURE(device);
        CAPTURE(is_first_call);
        CHECK(in_child([&]() -> std::string {
                fake::start(device + 1);
                operands const there(device);
                fake::stream s(device);
                auto const policy = xpose::cuda.on(s.handle());
                if (!is_first_call) entry.run(policy, there);
                s.begin_capture();
                entry.run(policy.nosync(), there);
                if (!s.is_captured_still()) return "the capture ended";
                for (auto const& l : fake::launches())
                  if (l.device != device) return "a launch went elsewhere";
                try {
                  entry.run(policy, there);
                  return "a blocking call was taken";
                } catch (xpose::backend_error const&) {
                  return s.is_captured_still() ? "" : "the refusal ended the capture";
                }
              }) == "");
      }
}

TEST_CASE("threads with streams of their own on two devices do not meet") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          constexpr int count = 8;
          std::vector<std::string> wrong(count);
          std::vector<std::thread> users;
          for (int t = 0; t < count; ++t)
            users.emplace_back([t, &wrong] {
              wrong[static_cast<std::size_t>(t)] = [t]() -> std::string {
                int const device = t % 2;
                operands const there(device);
                fake::stream const s(device);
                try {
                  for (int again = 0; again < 5; ++again)
                    for (auto const& entry : entry_points)
                      entry.run(xpose::cuda.on(s.handle()).nosync(), there);
                } catch (std::exception const& e) {
                  return e.what();
                }
                return fake::current_device() == 0 ? "" : "the current device changed";
              }();
            });
          for (auto& user : users) user.join();
          std::string all;
          for (auto const& one : wrong) all += one;
          if (fake::blocks_not_freed() != 0) all += "memory is left";
          if (fake::pools() != 2) all += "not a pool for each device";
          return all;
        }) == "");
}

TEST_CASE("the default stream is that of the translation unit of the call, in .cpp and .cu") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          pair_of_operands const o(residency::device, residency::device);
          auto const in = o.in_view();
          auto const out = o.out_view();
          xpose::transpose(xpose::cuda, in, out);
          xpose::transpose(xpose::automatic, in, out);
          xpose::transpose(xpose::cuda.on(nullptr), in, out);
          from_nvcc::transpose_on_cuda(xpose::cuda, in, out);
          per_thread::transpose_on_cuda(in, out);
          per_thread::transpose_by_automatic(in, out);
          from_nvcc::transpose_on_cuda(from_nvcc::cuda(), in, out);
          auto const launches = fake::launches();
          if (launches.size() != 7) return "launches: " + std::to_string(launches.size());
          for (std::size_t i = 0; i < 7; ++i)
            if (launches[i].stream != (i < 4 ? cudaStreamLegacy : cudaStreamPerThread))
              return "call " + std::to_string(i) + " on the wrong stream";
          return "";
        }) == "");
}

TEST_CASE("memory that the driver does not know is a graph's for a stream under capture alone") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          pair_of_operands const o(residency::device, residency::unknown_to_cuda);
          fake::stream s;
          auto const policy = xpose::cuda.on(s.handle()).nosync();
          std::string const refused = o.fate(policy);
          if (!contains(refused, "pageable")) return refused;
          s.begin_capture();
          if (o.fate(policy) != "cuda") return "refused under capture: " + o.fate(policy);
          try {
            o.transpose(xpose::cuda.on(s.handle()));
            return "a blocking call was taken";
          } catch (xpose::backend_error const&) {
          }
          return s.is_captured_still() ? "" : "the capture ended";
        }) == "");
}

TEST_CASE("what an iterator gives is calculated on the device of the stream, or of the output") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          pair_of_operands const o(residency::device, residency::device, 1, 1);
          fake::stream const s(1);
          from_nvcc::copy_numbers(xpose::cuda.on(s.handle()), o.out_view());
          if (fake::launches().at(0).device != 1) return "on the wrong device for the stream";
          from_nvcc::copy_numbers_by_automatic(o.out_view());
          if (fake::launches().at(1).device != 1) return "on the wrong device for the output";
          return fake::current_device() == 0 ? "" : "the current device changed";
        }) == "");
}

TEST_CASE("a user's function runs on the device of the stream") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          pair_of_operands const o(residency::device, residency::device, 1, 1);
          fake::stream const s(1);
          from_nvcc::transpose_on_cuda(xpose::cuda.on(s.handle()), o.in_view(), o.out_view());
          if (fake::launches().at(0).device != 1) return "on the wrong device";
          return fake::current_device() == 0 ? "" : "the current device changed";
        }) == "");
}

}  // namespace
