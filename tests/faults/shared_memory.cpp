// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The limit on a kernel's shared memory, which all calls of a process share: it suits each of them
// at any time.

#include "faults/fake/entry_points.hpp"
#include "faults/fake/in_child.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using xpose::detail::residency;

constexpr xpose::index count = 300;

/// Batches of matrices that fill tiles badly, which one kernel transposes with unlike shared
/// memory.
struct shape {
  xpose::index rows, cols;
};
constexpr shape large{66, 211}, small{66, 157};

struct batches {
  static constexpr std::size_t bytes = count * 128 * 128 * sizeof(float);
  fake::memory in{residency::device, bytes}, out{residency::device, bytes};
  fake::stream s;
  void transpose(shape e) const {
    xpose::transpose(xpose::cuda.on(s.handle()).nosync(),
                     xpose::batch(static_cast<float const*>(in.as<float>()), count, e.rows, e.cols),
                     xpose::batch(out.as<float>(), count, e.cols, e.rows));
  }
};

TEST_CASE("the two batches of these tests run one kernel, with unlike shared memory") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          batches const b;
          b.transpose(large);
          b.transpose(small);
          auto const made = fake::launches();
          if (made.size() != 2 || made[0].kernel != made[1].kernel) return "two kernels";
          return made[0].shared_bytes > made[1].shared_bytes && made[1].shared_bytes > (40 << 10)
                     ? ""
                     : "as much shared memory";
        }) == "");
}

TEST_CASE("threads that run one kernel with unlike shared memory do not meet") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::yield_at_limits();
          std::string wrong[2];
          std::vector<std::thread> users;
          for (shape const e : {large, small})
            users.emplace_back([e, &to = wrong[e.rows == large.rows ? 0 : 1]] {
              try {
                batches const mine;
                for (int again = 0; again < 100; ++again) mine.transpose(e);
              } catch (std::exception const& error) {
                to = error.what();
              }
            });
          for (auto& user : users) user.join();
          return wrong[0] + wrong[1];
        }) == "");
}

TEST_CASE("captured calls become a graph whatever is called after them") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          batches first;
          batches const other;
          first.s.begin_capture();
          first.transpose(large);
          first.transpose(small);
          other.transpose(small);
          return first.s.instantiate() == cudaSuccess ? "" : "the graph is refused";
        }) == "");
}

TEST_CASE("every call sets the same limit of a kernel, whatever its shape") {
  CHECK(in_child([]() -> std::string {
          fake::start();
          fake::memory const in(residency::device, std::size_t{64} << 20);
          fake::memory const out(residency::device, std::size_t{64} << 20);
          std::string wrong;
          for (xpose::index const cols : {133, 144, 157, 197, 205, 211})
            xpose::transpose(
                xpose::cuda,
                xpose::batch(static_cast<float const*>(in.as<float>()), count, 66, cols),
                xpose::batch(out.as<float>(), count, cols, 66));
          operands const o;
          for (auto const& entry : entry_points) entry.run(xpose::cuda, o);
          for (auto const& [kernel, limits] : fake::limits_set())
            if (limits.size() != 1) wrong += "a kernel had several limits; ";
          return fake::limits_set().empty() ? "none was set" : wrong;
        }) == "");
}

}  // namespace
