// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Machines of devices that differ, contexts, and the pools that temporary memory comes from.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <xpose/explain.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace {

using xpose::detail::residency;

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

void transpose(xpose::cuda_policy const& policy, fake::memory const& in, fake::memory const& out) {
  xpose::transpose(policy, xpose::matrix_view<float const>(in.as<float>(), 3, 2),
                   xpose::matrix_view<float>(out.as<float>(), 2, 3));
}

constexpr std::size_t bytes = 6 * sizeof(float);

TEST_CASE("a device without code for it leaves the other to xpose, whichever is asked first") {
  for (bool const asks_the_useless_first : {true, false}) {
    CAPTURE(asks_the_useless_first);
    CHECK(in_child([&]() -> std::string {
            fake::start(2);
            fake::remove_code(0);
            fake::memory const in(residency::device, bytes, 1), out(residency::device, bytes, 1);
            fake::memory const host_in(residency::unknown_to_cuda, bytes);
            fake::memory const host_out(residency::unknown_to_cuda, bytes);
            fake::stream const s(1);
            if (asks_the_useless_first) transpose(xpose::cuda, host_in, host_out);
            for (int again = 0; again < 2; ++again) transpose(xpose::cuda.on(s.handle()), in, out);
            transpose(xpose::cuda, host_in, host_out);
            auto const launches = fake::launches();
            if (launches.size() != 2) return "not as many launches as calls on the other device";
            for (auto const& l : launches)
              if (l.device != 1) return "on the device without code";
            return "";
          }) == "");
  }
}

TEST_CASE("a device without code for it is named where omp cannot take over") {
  CHECK(in_child([]() -> std::string {
          fake::start(2);
          fake::remove_code(1);
          fake::memory const in(residency::device, bytes, 1), out(residency::device, bytes, 1);
          fake::memory const host(residency::pinned_host, bytes);
          fake::stream const s(1);
          try {
            transpose(xpose::cuda.on(s.handle()), in, out);
            return "device memory was taken";
          } catch (xpose::residency_error const& e) {
            if (!contains(e.what(), "device 1, fake (compute capability 9.0), cannot run"))
              return e.what();
          }
          try {
            transpose(xpose::cuda.on(s.handle()).strict(), host, out);
            return "a strict policy fell back";
          } catch (xpose::backend_error const& e) {
            if (!contains(e.what(), "device 1, fake")) return e.what();
          }
          fake::memory const first(residency::device, bytes, 0), other(residency::device, bytes, 0);
          transpose(xpose::cuda, first, other);
          return fake::launches().size() == 1 ? "" : "the first device is not used";
        }) == "");
}

TEST_CASE("calls make no context on a device that nobody uses, and leave what was current") {
  for (auto const& entry : entry_points) {
    CAPTURE(std::string(entry.name));
    CHECK(in_child([&]() -> std::string {
            fake::start(3);
            operands const there(1);
            fake::stream const s(1);
            entry.run(xpose::cuda.on(s.handle()), there);
            if (fake::devices_with_context() != std::set<int>{1}) return "a context too many";
            return fake::current_device() == 0 ? "" : "the current device changed";
          }) == "");
  }
}

TEST_CASE("temporary memory never makes one stream wait for another") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          operands const o;
          xpose::transpose_inplace(xpose::cuda, o.out<float>(1000, 900));
          return fake::pool_attribute(cudaMemPoolReuseAllowInternalDependencies) ==
                         std::vector<int>{0}
                     ? ""
                     : "the driver may add dependencies";
        }) == "");
}

struct host_pool {
  void* allocate(std::size_t size) { return std::malloc(size); }
  void deallocate(void* data, std::size_t) { std::free(data); }
};

TEST_CASE("a device without memory pools runs what needs none, and says what is missing") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::remove_memory_pools();
          operands const o;
          xpose::transpose(xpose::cuda, o.in<float>(300, 200), o.out<float>(200, 300));
          auto const before = fake::launches().size();
          try {
            xpose::transpose_inplace(xpose::cuda, o.out<float>(1000, 900));
            return "no error";
          } catch (xpose::backend_error const& e) {
            if (!contains(e.what(), "device 0, fake, has no memory pools")) return e.what();
          }
          if (fake::launches().size() != before) return "something was launched";
          host_pool pool;
          xpose::transpose_inplace(xpose::cuda.with(pool), o.out<float>(1000, 900));
          return fake::launches().size() > before ? "" : "nothing was launched";
        }) == "");
}

TEST_CASE(
    "a rectangle is transposed in place by a cluster where the device and the code have them") {
  auto const kernel_with = [](int device, int code) {
    return in_child([&] {
      fake::start();
      fake::capabilities c;
      c.device = device;
      c.code = code;
      fake::set_capabilities(c);
      operands const o;
      return xpose::explain(xpose::cuda, xpose::operation::transpose_inplace,
                            o.out<float>(300, 200))
          .kernel;
    });
  };
  CHECK(kernel_with(90, 90) == "transpose_in_cluster<4>");
  CHECK(kernel_with(90, 80) == "transpose_through_workspace");
  CHECK(kernel_with(80, 80) == "transpose_through_workspace");
}

}  // namespace
