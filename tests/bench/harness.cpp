// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose-bench trusts: rounds that treat candidates alike, shapes that mean what they say, and
// checks that see a single wrong element.

#include "../../benchmarks/core/machine.hpp"
#include "../../benchmarks/core/rounds.hpp"
#include "../../benchmarks/core/shape.hpp"
#include "../../benchmarks/verify/verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

namespace {

using namespace xpose::bench;

/// Candidates take the time that the test says; who was called, in order.
class scripted_watch : public stopwatch {
 public:
  explicit scripted_watch(std::map<std::string, double> seconds_of_call)
      : seconds_of_call_(std::move(seconds_of_call)) {}

  double seconds(candidate const& who, int first_slot, int slots, int calls) override {
    order.push_back(who.name);
    for (int c = 0; c < calls; ++c) slots_seen[who.name].push_back((first_slot + c) % slots);
    return seconds_of_call_.at(who.name) * calls;
  }
  double shortest_sample() const override { return 1e-4; }

  std::vector<std::string> order;
  std::map<std::string, std::vector<int>> slots_seen;

 private:
  std::map<std::string, double> seconds_of_call_;
};

std::vector<candidate> named(std::vector<std::string> const& names) {
  std::vector<candidate> all;
  for (auto const& name : names) all.push_back({name, [](int) {}, nullptr});
  return all;
}

round_settings settings_of(int repeat, double seconds) {
  round_settings settings;
  settings.repeat = repeat;
  settings.seconds = seconds;
  return settings;
}

bool shape_is_refused(std::string const& text, int dimensions) {
  try {
    parse_shape(text, dimensions);
  } catch (std::invalid_argument const& error) {
    return std::string(error.what()).find(text) != std::string::npos;
  }
  return false;
}

/// A gemm on host memory with its right answer, computed by the definition.
struct product {
  gemm_type type = gemm_type_named("f32");
  gemm_case what = make_gemm_case(parse_shape("301x203x307", 3), type.in, type.out);
  std::unique_ptr<machine> where = make_host_machine();
  std::vector<float> a = std::vector<float>(static_cast<std::size_t>(what.m * what.k));
  std::vector<float> b = std::vector<float>(static_cast<std::size_t>(what.k * what.n));
  std::vector<float> c = std::vector<float>(static_cast<std::size_t>(what.m * what.n));

  product() {
    where->fill_random(a.data(), element_kind::f32, a.size() * sizeof(float), 1);
    where->fill_random(b.data(), element_kind::f32, b.size() * sizeof(float), 2);
    for (std::int64_t i = 0; i < what.m; ++i)
      for (std::int64_t j = 0; j < what.n; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < what.k; ++p) sum += a_at(i, p) * b_at(p, j);
        at(i, j) = sum;
      }
  }
  float a_at(std::int64_t i, std::int64_t p) const {
    return a[static_cast<std::size_t>(i * what.k + p)];
  }
  float b_at(std::int64_t p, std::int64_t j) const {
    return b[static_cast<std::size_t>(p * what.n + j)];
  }
  float& at(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i * what.n + j)]; }
  verdict check() { return verify_gemm(*where, what, type, a.data(), b.data(), c.data()); }
};

}  // namespace

TEST_CASE("every round times each candidate once, after a call of its own, and the first changes") {
  scripted_watch watch({{"a", 1.0}, {"b", 1.0}, {"c", 1.0}});
  time_in_rounds(named({"a", "b", "c"}), watch, 1, settings_of(3, 1));
  std::vector<std::string> const rounds(watch.order.end() - 18, watch.order.end());
  CHECK(rounds == std::vector<std::string>{"a", "a", "b", "b", "c", "c", "b", "b", "c", "c", "a",
                                           "a", "c", "c", "a", "a", "b", "b"});
}

/// A call takes ten times as long after another candidate's.
class watch_with_debts : public stopwatch {
 public:
  double seconds(candidate const& who, int, int, int calls) override {
    double const debt = who.name == last_ ? 0 : 9;
    last_ = who.name;
    return calls + debt;
  }
  double shortest_sample() const override { return 1e-4; }

 private:
  std::string last_;
};

TEST_CASE("what a candidate leaves behind is not in the time of the next") {
  watch_with_debts watch;
  for (timing const& t : time_in_rounds(named({"a", "b"}), watch, 1, settings_of(5, 1)))
    CHECK(t.mean == doctest::Approx(1.0));
}

TEST_CASE("a slow candidate leaves after three rounds and the fast one goes on") {
  scripted_watch watch({{"slow", 1.0}, {"fast", 0.01}});
  auto const timings = time_in_rounds(named({"slow", "fast"}), watch, 1, settings_of(0, 1));
  CHECK(timings[0].repeats == 3);
  CHECK(timings[1].repeats > 20);
  CHECK(timings[0].median == doctest::Approx(1.0));
  CHECK(timings[1].median == doctest::Approx(0.01));
}

TEST_CASE("short calls are timed many to a sample, in whole rotations of the slots") {
  scripted_watch watch({{"short", 1e-6}});
  auto const timings = time_in_rounds(named({"short"}), watch, 7, settings_of(5, 1));
  CHECK(timings[0].calls >= 100);
  CHECK(timings[0].calls % 7 == 0);
  CHECK(timings[0].median == doctest::Approx(1e-6));
  auto const& seen = watch.slots_seen["short"];
  for (int slot = 0; slot < 7; ++slot) CHECK(std::count(seen.begin(), seen.end(), slot) > 0);
}

TEST_CASE("a candidate that times itself is asked for its calls and not called") {
  bool is_called = false;
  int asked = 0;
  candidate const script{"script", [&](int) { is_called = true; },
                         [&](int calls) {
                           asked += calls;
                           return seconds_of_calls{0.5 * calls};
                         }};
  auto const where = make_host_machine();
  auto const timings = time_in_rounds({script}, *where, 1, settings_of(2, 1));
  CHECK_FALSE(is_called);
  CHECK(asked > 0);
  CHECK(timings[0].median == doctest::Approx(0.5));
}

TEST_CASE("a candidate that times itself says what of a call is the host's") {
  candidate const script{"script", nullptr, [](int calls) {
                           return seconds_of_calls{calls * 1e-5, calls * 1e-6};
                         }};
  auto const where = make_host_machine();
  timing const told = time_in_rounds({script}, *where, 1, settings_of(2, 1))[0];
  CHECK(told.median == doctest::Approx(1e-5));
  CHECK(told.enqueue_median == doctest::Approx(1e-6));
  timing const of_many_slots = time_in_rounds({script}, *where, 600, settings_of(2, 1))[0];
  CHECK(of_many_slots.enqueue_median == 0);  // the calls of a sample would fill a stream's queue
}

TEST_CASE("shapes are read with their batch, layout, leading dimensions and offset") {
  shape const s = parse_shape("64*300x200:ld=210/310:offset=3", 2);
  CHECK(s.batch == 64);
  CHECK(s.text == "64*300x200");
  CHECK(s.layout() == "ld=210/310 offset=3");
  auto const what = make_transpose_case(s, element_type_named("f32"), false);
  CHECK(what.in_ld == 210);
  CHECK(what.out_ld == 310);
  CHECK(what.out_batch_stride == 200 * 310);

  shape const g = parse_shape("5x6x7:TN:ld=10", 3);
  CHECK(g.layout() == "TN ld=10/10/10");
  auto const gemm = make_gemm_case(g, element_type_named("i8"), element_type_named("i32"));
  CHECK(gemm.transposed_a);
  CHECK_FALSE(gemm.transposed_b);
  CHECK(gemm.a_batch_stride == 7 * 10);
}

TEST_CASE("a shape that is none is refused with its text") {
  for (auto const* const text : {"", "5", "5x", "x5", "5x5x5", "0x5", "-1x5", "5x5:ld=", "5x5:TN",
                                 "5x5:offset=-1", "5x5:what", "99999999999999999999x5"})
    CHECK(shape_is_refused(text, 2));
  for (auto const* const text : {"5x5", "5x5x5:NX", "5x5x5:ld=1/2/3/4"})
    CHECK(shape_is_refused(text, 3));
  CHECK_THROWS_AS(
      make_transpose_case(parse_shape("5x6:ld=5/5", 2), element_type_named("f32"), false),
      std::invalid_argument);
}

TEST_CASE("a tensor is read with its permutation, and refused with its text if it has none") {
  shape const s = parse_tensor_shape("4x5x6:201:offset=3");
  CHECK(s.text == "4x5x6");
  CHECK(s.layout() == "201 offset=3");
  CHECK(s.extents == std::vector<std::int64_t>{4, 5, 6});
  CHECK(s.permutation == std::vector<int>{2, 0, 1});
  for (std::string const text :
       {"4x5x6", "4x5x6:20", "4x5x6:2010", "4x5x6:200", "4x5x6:2-1", "4x5x6:ld=9", "7*4x5:10",
        "4:0", "4x5x6:", "1x1x1x1x1x1x1x1x1:012345678"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_tensor_shape(text), std::invalid_argument);
  }
}

TEST_CASE("the check of a gemm accepts the right answer") {
  product p;
  CHECK(p.check().wrong == "");
  CHECK(p.check().by == "freivalds, 1024 elements");
}

TEST_CASE("the check of a gemm sees one element that was never written") {
  product p;
  std::memset(&p.at(150, 77), poison, sizeof(float));
  CHECK(p.check().wrong != "");
}

TEST_CASE("the check of a gemm sees one wrong element, wherever it is") {
  for (auto const& [i, j] :
       {std::pair<std::int64_t, std::int64_t>{0, 0}, {300, 202}, {17, 101}, {222, 3}}) {
    product p;
    p.at(i, j) += 30;
    CHECK(p.check().wrong != "");
  }
}

TEST_CASE("the check of a gemm sees that the last k was left out") {
  product p;
  for (std::int64_t i = 0; i < p.what.m; ++i)
    for (std::int64_t j = 0; j < p.what.n; ++j)
      p.at(i, j) -= p.a_at(i, p.what.k - 1) * p.b_at(p.what.k - 1, j);
  CHECK(p.check().wrong != "");
}

TEST_CASE(
    "the check of a transpose sees a wrong element, and a write behind the rows and the end") {
  auto const where = make_host_machine();
  auto const what =
      make_transpose_case(parse_shape("30x41:ld=43/33", 2), element_type_named("b3"), false);
  std::vector<unsigned char> in(30 * 43 * 3);
  where->fill_random(in.data(), element_kind::bytes, in.size(), 1);
  auto const right = [&] {
    std::vector<unsigned char> out(41 * 33 * 3 + guard_bytes, poison);
    for (std::size_t i = 0; i < 30; ++i)
      for (std::size_t j = 0; j < 41; ++j)
        std::memcpy(&out[(j * 33 + i) * 3], &in[(i * 43 + j) * 3], 3);
    return out;
  };
  auto const wrong_of = [&](std::vector<unsigned char> const& out) {
    return verify_transpose(*where, what, false, in.data(), out.data()).wrong;
  };
  CHECK(wrong_of(right()) == "");
  auto out = right();
  out[(40 * 33 + 29) * 3 + 2] ^= 1;
  CHECK(wrong_of(out) == "out(40, 29) differs from the reference");
  out = right();
  out[(5 * 33 + 30) * 3] = 0;
  CHECK(wrong_of(out) == "memory behind row 5 of out was written");
  out = right();
  out[41 * 33 * 3] = 0;
  CHECK(wrong_of(out) == "memory behind out was written");
}

TEST_CASE("the check of a permutation accepts the definition's answer and sees one wrong element") {
  auto const where = make_host_machine();
  for (auto const* const text : {"7x5x6x3:2031", "300x2x301:210", "5x4x6:102", "3x4x5:012"}) {
    CAPTURE(text);
    auto const what = make_permute_case(parse_tensor_shape(text), element_type_named("b3"));
    std::size_t const rank = what.extents.size();
    std::vector<std::size_t> in_strides(rank);
    std::size_t count = 1;
    for (std::size_t d = rank; d-- > 0; count *= static_cast<std::size_t>(what.extents[d]))
      in_strides[d] = count;
    std::vector<unsigned char> in(count * 3);
    where->fill_random(in.data(), element_kind::bytes, in.size(), 1);
    std::vector<unsigned char> out(count * 3 + guard_bytes, poison);
    for (std::size_t e = 0; e < count; ++e) {
      std::size_t from = 0;
      std::size_t rest = e;
      for (std::size_t d = rank; d-- > 0;) {
        auto const dimension = static_cast<std::size_t>(what.permutation[d]);
        auto const extent = static_cast<std::size_t>(what.extents[dimension]);
        from += rest % extent * in_strides[dimension];
        rest /= extent;
      }
      std::memcpy(&out[e * 3], &in[from * 3], 3);
    }
    auto const wrong = [&] { return verify_permute(*where, what, in.data(), out.data()).wrong; };
    CHECK(wrong() == "");
    for (std::size_t const byte : {std::size_t{0}, count * 3 / 2, count * 3 - 1}) {
      out[byte] ^= 1;
      CHECK(wrong() != "");
      out[byte] ^= 1;
    }
    out[count * 3] = 0;
    CHECK(wrong() == "memory behind out was written");
  }
}

TEST_CASE(
    "the check of an add sees a wrong element, one never written, and a write behind the rows") {
  auto const where = make_host_machine();
  auto const what =
      make_add_case(parse_sum_shape("20x30:TN:ld=21/31/33"), element_type_named("f32"));
  std::vector<float> a(30 * 21);
  std::vector<float> b(20 * 31);
  where->fill_random(a.data(), element_kind::f32, a.size() * sizeof(float), 1);
  where->fill_random(b.data(), element_kind::f32, b.size() * sizeof(float), 2);
  auto const wrong_after = [&](auto const& change) {
    std::vector<float> c(20 * 33 + guard_bytes / sizeof(float));
    where->fill_poison(c.data(), c.size() * sizeof(float));
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < 30; ++j)
        c[i * 33 + j] = 1.5f * a[j * 21 + i] - 0.5f * b[i * 31 + j];
    change(c);
    return verify_add(*where, what, a.data(), b.data(), c.data()).wrong;
  };
  CHECK(wrong_after([](auto&) {}) == "");
  CHECK(wrong_after([](auto& c) { c[7 * 33 + 8] *= 1.00001f; }) != "");
  CHECK(wrong_after([](auto& c) { std::memset(&c[19 * 33 + 29], poison, sizeof(float)); }) != "");
  CHECK(wrong_after([](auto& c) { c[4 * 33 + 30] = 0; }) != "");
  CHECK(wrong_after([](auto& c) { c[20 * 33] = 0; }) != "");
}
