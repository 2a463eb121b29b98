// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls across memories on several devices, their refusals, and what happens when they fail.

#include "faults/fake/across_operands.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/explain.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using fake::held_matrix;
using fake::home;
using fake::layout;
using xpose::index;

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

template <class Error, class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return "nothing thrown";
}

constexpr home homes[] = {home::pageable, home::pinned, home::managed, home::device,
                          home::other_device};

TEST_CASE("each device calculates its part of a call, wherever operands lie") {
  for (home const a_home : homes)
    for (home const c_home : homes) {
      CAPTURE(std::string(fake::name_of(a_home)));
      CAPTURE(std::string(fake::name_of(c_home)));
      CHECK(in_child([&]() -> std::string {
              fake::start(2);
              fake::run_late(3);
              held_matrix<float> const a(a_home, 70, 30, layout::row_major);
              held_matrix<float> const a_here(home::pageable, 70, 30, layout::row_major);
              held_matrix<float> const b(home::pageable, 30, 50, layout::col_major);
              held_matrix<float> const c(c_home, 70, 50, layout::row_major);
              held_matrix<float> const t(c_home, 30, 70, layout::pitched);
              std::vector<float> expected(70 * 50);
              xpose::matrix_view<float> const e(expected.data(), 70, 50);
              auto const policy = xpose::cuda.devices({0, 1});
              xpose::gemm(xpose::reference, a_here.view(), b.view(), e);
              xpose::gemm(policy, a.view(), b.view(), c.view());
              xpose::transpose(policy, a.view(), t.view());
              std::string wrong = c.equals(e) ? "" : "a wrong product; ";
              for (index i = 0; i < 70; ++i)
                for (index j = 0; j < 30; ++j)
                  if (t.view()(j, i) != a.view()(i, j)) return "a wrong element; ";
              xpose::add(xpose::reference, 1.f, e, 1.f, e, e);
              xpose::add(policy, 1.f, c.view(), 1.f, c.view(), c.view());
              if (!c.equals(e)) wrong += "a wrong sum; ";
              std::set<int> used;
              for (auto const& l : fake::launches()) used.insert(l.device);
              if (used != std::set<int>{0, 1}) wrong += "a device had nothing to do; ";
              return wrong + fake::wrongs();
            }) == "");
    }
}

TEST_CASE("devices are named once each, exist, and have numbers that are not negative") {
  CHECK(message_of<xpose::shape_error>([] { xpose::cuda.devices({}); }) ==
        "devices: there are 0, and must be 1 to 16");
  CHECK(message_of<xpose::shape_error>([] {
          xpose::cuda.devices({0, 1, 0});
        }) == "devices: 0 is there twice, and each device works once");
  CHECK(message_of<xpose::shape_error>([] { xpose::cuda.devices({-1}); }) ==
        "devices: a number is -1, and must not be negative");
  CHECK(message_of<xpose::shape_error>([] { xpose::across_options().device_bytes(-5); }) ==
        "across: device_bytes is -5, and must not be negative");
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          held_matrix<float> const in(home::pageable, 3, 2, layout::row_major);
          held_matrix<float> const out(home::pageable, 2, 3, layout::row_major);
          std::string const said = message_of<xpose::backend_error>([&] {
            xpose::transpose(xpose::cuda.devices({0, 2}), in.view(), out.view());
          });
          bool const is_right =
              said == "transpose: xpose::cuda.devices() names device 2, and the machine has 2";
          return is_right ? "" : said;
        }) == "");
}

TEST_CASE("without across() mixed memories are refused, by a message that names it") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          held_matrix<float> const in(home::pageable, 3, 2, layout::row_major);
          held_matrix<float> const out(home::device, 2, 3, layout::row_major);
          auto const said = [&](auto const& policy) {
            return message_of<xpose::residency_error>(
                [&] { xpose::transpose(policy, in.view(), out.view()); });
          };
          if (!contains(said(xpose::cuda), "or xpose::cuda.across(), which copies it"))
            return said(xpose::cuda);
          if (!contains(said(xpose::automatic), "xpose::automatic.across() does not"))
            return said(xpose::automatic);
          xpose::transpose(xpose::automatic.across(), in.view(), out.view());
          return xpose::explain(xpose::automatic.across(), xpose::operation::transpose, in.view(),
                                out.view())
                             .kernel == "across_tiles"
                     ? ""
                     : "another kernel";
        }) == "");
}

TEST_CASE("a call across memories is refused under capture") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          held_matrix<float> const in(home::pinned, 300, 200, layout::row_major);
          held_matrix<float> const out(home::device, 200, 300, layout::row_major);
          xpose::transpose(xpose::cuda, out.view(),
                           held_matrix<float>(home::device, 300, 200, layout::row_major).view());
          fake::stream s;
          s.begin_capture();
          std::string const said = message_of<xpose::backend_error>([&] {
            xpose::transpose(xpose::cuda.on(s.handle()).nosync().across(), in.view(), out.view());
          });
          if (!contains(said, "is being captured in a graph")) return said;
          return s.is_captured_still() ? "" : "the capture ended";
        }) == "");
}

TEST_CASE("a limit too small for the call is refused before anything is written") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::run_late(1);
          held_matrix<float> const a(home::pageable, 300, 200, layout::row_major);
          held_matrix<float> const b(home::pageable, 200, 300, layout::row_major);
          held_matrix<float> const c(home::pageable, 300, 300, layout::row_major);
          held_matrix<float> const before(home::pageable, 300, 300, layout::row_major);
          auto const tiny = xpose::cuda.across(xpose::across_options().device_bytes(500));
          std::string said = message_of<xpose::backend_error>(
              [&] { xpose::gemm(tiny, a.view(), b.view(), c.view()); });
          if (said !=
              "gemm: device_bytes is 500, and panels of one row of A and one column of B "
              "with all of k (200) do not fit")
            return said;
          said =
              message_of<xpose::backend_error>([&] { xpose::transpose(tiny, a.view(), b.view()); });
          if (said !=
              "transpose: device_bytes is 500, and 4 buffers of 256 bytes are the least "
              "that the call needs")
            return said;
          return c.equals(before.view()) ? "" : "something was written";
        }) == "");
}

TEST_CASE("progress is told in bytes of the output, from none to all") {
  for (home const out_home : homes)
    CHECK(in_child([&]() -> std::string {
            fake::start(2);
            fake::run_late(2);
            held_matrix<float> const in(home::pageable, 70, 50, layout::row_major);
            held_matrix<float> const out(out_home, 50, 70, layout::row_major);
            std::vector<index> told;
            auto report = [&](index done, index total) {
              if (total != 70 * 50 * 4) told.push_back(-1);
              told.push_back(done);
            };
            auto const options = xpose::across_options().device_bytes(8000).progress(report);
            xpose::transpose(xpose::cuda.nosync().across(options), in.view(), out.view());
            if (told.size() < 4 || told.front() != 0 || told.back() != 70 * 50 * 4)
              return "not from none to all";
            for (std::size_t n = 1; n < told.size(); ++n)
              if (told[n] <= told[n - 1]) return "not more each time";
            for (index i = 0; i < 70; ++i)
              if (out.view()(3, i) != in.view()(i, 3)) return "the call returned early";
            return "";
          }) == "");
}

TEST_CASE("an exception of the progress function reaches the caller, and nothing is left") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          fake::run_late(2);
          held_matrix<float> const in(home::pageable, 70, 50, layout::row_major);
          held_matrix<float> const out(home::device, 50, 70, layout::row_major);
          auto report = [](index done, index) {
            if (done > 0) throw std::runtime_error("enough");
          };
          auto const options = xpose::across_options().device_bytes(8000).progress(report);
          std::string const said = message_of<std::runtime_error>(
              [&] { xpose::transpose(xpose::cuda.across(options), in.view(), out.view()); });
          if (said != "enough") return said;
          // But for giving back the buffers, in the order of the stream.
          if (fake::operations_left() > 1) return "work is left that uses the call's memory";
          return fake::blocks_not_freed() == 0 ? "" : "memory is left";
        }) == "");
}

TEST_CASE("with nosync a call returns before its work, if no operand is in pageable memory") {
  for (home const in_home : {home::pinned, home::pageable})
    CHECK(in_child([&]() -> std::string {
            fake::start();
            fake::run_late(4);
            held_matrix<float> const in(in_home, 70, 50, layout::row_major);
            held_matrix<float> const out(home::device, 50, 70, layout::row_major);
            float const before = out.view()(1, 0);
            xpose::transpose(xpose::cuda.nosync().across(), in.view(), out.view());
            bool const is_early = out.view()(1, 0) == before;
            if (is_early != (in_home == home::pinned)) return "not as stated";
            cudaStreamSynchronize(cudaStreamLegacy);
            return out.view()(1, 0) == in.view()(0, 1) ? "" : "the stream does not wait for it";
          }) == "");
}

TEST_CASE("calls with nosync follow each other in the order of their stream") {
  for (unsigned seed = 0; seed < 10; ++seed)
    CHECK(in_child([&]() -> std::string {
            fake::start();
            fake::run_late(seed);
            held_matrix<float> const in(home::pinned, 70, 50, layout::row_major);
            held_matrix<float> const there(home::device, 50, 70, layout::row_major);
            held_matrix<float> const back(home::pinned, 70, 50, layout::row_major);
            held_matrix<float> const cleared(home::device, 50, 70, layout::row_major);
            std::memset(cleared.data(), 0, 50 * 70 * sizeof(float));
            std::memset(back.data(), 0, 50 * 70 * sizeof(float));
            auto const policy =
                xpose::cuda.nosync().across(xpose::across_options().device_bytes(3000));
            held_matrix<float> const wanted(home::pinned, 70, 50, layout::row_major);
            held_matrix<float> const straight(home::pinned, 50, 70, layout::row_major);
            std::memset(in.data(), 0, 70 * 50 * sizeof(float));
            xpose::copy(xpose::cuda.nosync(), wanted.view(), in.view());
            xpose::copy(xpose::cuda.nosync(), cleared.view(), there.view());
            xpose::transpose(policy, in.view(), there.view());
            xpose::transpose(policy, there.view(), back.view());
            xpose::copy(xpose::cuda.nosync(), cleared.view(), there.view());
            xpose::copy(policy, there.view(), straight.view());
            xpose::copy(xpose::cuda.nosync(), wanted.view().transposed(), there.view());
            cudaStreamSynchronize(cudaStreamLegacy);
            if (!straight.equals(cleared.view())) return "a straight copy comes early";
            return back.equals(wanted.view()) ? "" : "another order";
          }) == "");
}

TEST_CASE("streams, events and pinned memory are kept for later calls, until the device is reset") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          held_matrix<float> const in(home::pageable, 70, 50, layout::row_major);
          held_matrix<float> const out(home::device, 50, 70, layout::row_major);
          auto const made = [&] {
            fake::fail(fake::no_fault);
            xpose::transpose(xpose::cuda.across(), in.view(), out.view());
            int count = 0;
            for (auto const& c : fake::calls())
              count += c.name == "cudaStreamCreateWithFlags" || c.name == "cudaHostAlloc" ||
                       c.name == "cudaEventCreateWithFlags";
            return count;
          };
          int const first = made();
          if (first == 0 || made() != 0) return "they are made again";
          fake::reset_devices();
          return made() == first ? "" : "they are used behind a reset";
        }) == "");
}

/// Counts what it is asked for.
struct counting_pool {
  void* allocate(std::size_t size) {
    ++count;
    return std::aligned_alloc(256, (size + 255) / 256 * 256);
  }
  void deallocate(void* data, std::size_t) { std::free(data); }
  int count = 0;
};

TEST_CASE("a policy's pool gives buffers, and workspace of kernels only in the stream's order") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          held_matrix<float> const a(home::pinned, 60, 30000, layout::row_major);
          held_matrix<float> const b(home::pinned, 30000, 50, layout::row_major);
          held_matrix<float> const c(home::device, 60, 50, layout::row_major);
          counting_pool pool;
          xpose::gemm(xpose::cuda.with(pool).across(), a.view(), b.view(), c.view());
          if (pool.count != 1) return "blocking: asked " + std::to_string(pool.count) + " times";
          xpose::gemm(xpose::cuda.with(pool).nosync().across(), a.view(), b.view(), c.view());
          return pool.count > 2 ? "" : "nosync: the kernels' workspace is not the pool's";
        }) == "");
}

TEST_CASE("if one device refuses its part, none writes") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          fake::run_late(1);
          held_matrix<float> const in(home::device, 300, 200, layout::row_major);
          held_matrix<float> const out(home::device, 200, 300, layout::row_major);
          held_matrix<float> const before(home::device, 200, 300, layout::row_major);
          auto const tiny = xpose::cuda.across(xpose::across_options().device_bytes(100));
          std::string const said = message_of<xpose::backend_error>([&] {
            xpose::transpose(tiny.devices({0, 1}), in.view(), out.view());
          });
          if (!contains(said, "device_bytes is 100")) return said;
          return out.equals(before.view()) ? "" : "something was written";
        }) == "");
}

TEST_CASE("calls whose operands are in reach need no buffers, whatever the limit") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          fake::run_late(1);
          held_matrix<float> const a(home::device, 8, 4, layout::row_major);
          held_matrix<float> const b(home::device, 4, 8, layout::row_major);
          held_matrix<float> const c(home::device, 16, 4, layout::row_major);
          auto const tiny = xpose::cuda.across(xpose::across_options().device_bytes(1));
          for (auto const& policy : {tiny, tiny.devices({0})}) {
            xpose::add(policy, 1.f, a.view(), 1.f, a.view(), a.view());
            xpose::gemm(policy, xpose::batch(a.data(), 2, 4, 4), xpose::batch(b.data(), 2, 4, 2),
                        xpose::batch(c.data(), 2, 4, 2));
          }
          return "";
        }) == "");
}

TEST_CASE("nothing is told of progress if the call is refused") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::run_late(1);
          held_matrix<float> const in(home::pageable, 300, 200, layout::row_major);
          held_matrix<float> const out(home::pageable, 200, 300, layout::row_major);
          int told = 0;
          auto report = [&](index, index) { ++told; };
          auto const tiny = xpose::across_options().device_bytes(100).progress(report);
          message_of<xpose::backend_error>(
              [&] { xpose::transpose(xpose::cuda.across(tiny), in.view(), out.view()); });
          message_of<xpose::backend_error>([&] {
            xpose::gemm(xpose::cuda.across(tiny), in.view(), out.view(),
                        held_matrix<float>(home::device, 300, 300, layout::row_major).view());
          });
          return told == 0 ? "" : "something is told";
        }) == "");
}

struct huge_element {
  char bytes[(std::size_t{8} << 20) + 1];
};

TEST_CASE("elements larger than a block of pinned memory are refused in pageable memory") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::memory const in(xpose::detail::residency::unknown_to_cuda, sizeof(huge_element));
          fake::memory const out(xpose::detail::residency::device, sizeof(huge_element));
          std::string const said = message_of<xpose::backend_error>([&] {
            xpose::copy(xpose::cuda.across(),
                        xpose::matrix_view<huge_element>(in.as<huge_element>(), 1, 1),
                        xpose::matrix_view<huge_element>(out.as<huge_element>(), 1, 1));
          });
          return contains(said, "elements have 8388609 bytes") ? "" : said;
        }) == "");
}

TEST_CASE("the process keeps pinned memory for as many calls as there were at a time") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          held_matrix<float> const in(home::pageable, 70, 50, layout::row_major);
          held_matrix<float> const out(home::device, 50, 70, layout::row_major);
          auto const call = [&](auto const& policy) {
            xpose::transpose(policy, in.view(), out.view());
          };
          call(xpose::cuda.devices({0}));
          for (int again = 0; again < 5; ++again) call(xpose::cuda.across());
          int blocks = 0;
          for (auto const& c : fake::calls()) blocks += c.name == "cudaHostAlloc";
          return blocks == 4 ? "" : std::to_string(blocks) + " blocks";
        }) == "");
}

TEST_CASE("code of the caller's is refused where an operand is out of reach") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          held_matrix<float> const in(home::pageable, 3, 2, layout::row_major);
          held_matrix<float> const out(home::device, 2, 3, layout::row_major);
          std::string const said = message_of<xpose::backend_error>([&] {
            xpose::transpose(xpose::automatic.across(), in.view(), out.view(),
                             [](float x) { return 2 * x; });
          });
          return contains(said, "of xpose's own types and functions only") ? "" : said;
        }) == "");
}

}  // namespace
