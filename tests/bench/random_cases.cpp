// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The random suites: valid cases of the distributions that they promise, the same for the same
// seed.

#include "../../benchmarks/run/random_cases.hpp"

#include "../../benchmarks/core/shape.hpp"
#include "../../benchmarks/types/cast.hpp"
#include "../../benchmarks/types/gemm_type.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace {

using namespace xpose::bench;

constexpr int many = 2000;

shape drawn_gemm(char const* suite, std::uint64_t seed, int number, bool is_device = false) {
  return parse_shape(find_random_suite("gemm", suite)->draw({seed, number, 4, is_device}).shape, 3);
}

double products(shape const& s) {
  return std::accumulate(s.extents.begin(), s.extents.end(), 1.0, std::multiplies<>());
}

/// Share of many cases for which `holds`.
template <class Predicate>
double share_of(char const* suite, Predicate const& holds) {
  int count = 0;
  for (int i = 0; i < many; ++i) count += holds(drawn_gemm(suite, 5, i)) ? 1 : 0;
  return static_cast<double>(count) / many;
}

bool is_multiple_of_8(std::int64_t extent) { return extent % 8 == 0; }

TEST_CASE("a random case depends on its seed and its number alone") {
  for (auto const& suite : random_suites()) {
    CAPTURE(suite.name);
    std::set<std::string> shapes;
    for (int i = 0; i < 200; ++i) {
      auto const once = suite.draw({7, i, 4, false});
      auto const again = suite.draw({7, i, 4, false});
      CHECK(once.shape == again.shape);
      CHECK(once.shape_class == again.shape_class);
      CHECK(!once.shape_class.empty());
      shapes.insert(once.shape);
    }
    CHECK(shapes.size() > 150);
    CHECK(shapes.count(suite.draw({8, 0, 4, false}).shape) == 0);
  }
}

TEST_CASE("every random case of every type is one that the bench times") {
  for (auto const& suite : random_suites())
    for (auto const& type : suite.types)
      for (int i = 0; i < 300; ++i) {
        std::string const operation = suite.operation;
        bool const is_gemm = operation == "gemm";
        element_type const element =
            is_gemm ? gemm_type_named(type).in : element_type_named(type_of_in(type));
        std::string const text = suite.draw({3, i, element.bytes, true}).shape;
        CAPTURE(text);
        CHECK_NOTHROW([&] {
          if (is_gemm) make_gemm_case(parse_shape(text, 3), element, gemm_type_named(type).out);
          else if (operation == "permute") make_permute_case(parse_tensor_shape(text), element);
          else if (operation == "add") make_add_case(parse_sum_shape(text), element);
          else make_transpose_case(parse_shape(text, 2), element, suite.in_place);
        }());
      }
}

TEST_CASE("random gemms keep to their extents, their share of aligned ones and their cost") {
  std::set<std::string> layouts;
  for (int i = 0; i < many; ++i) {
    shape const s = drawn_gemm("random", 5, i);
    CAPTURE(s.text);
    CHECK(s.extents[0] >= 64);
    CHECK(s.extents[0] <= 12288);
    CHECK(s.extents[2] >= 64);
    CHECK(s.extents[2] <= 12288);
    CHECK(s.extents[1] >= 1);
    CHECK(products(s) <= 3e10);
    CHECK(products(drawn_gemm("random", 5, i, true)) <= 3e11);
    layouts.insert(s.layout());
  }
  CHECK(layouts == std::set<std::string>{"NN", "NT", "TN", "TT"});
  CHECK(share_of("random", [](shape const& s) {
          return std::all_of(s.extents.begin(), s.extents.end(), is_multiple_of_8);
        }) == doctest::Approx(0.67).epsilon(0.1));
  CHECK(share_of("random", [](shape const& s) { return s.extents[1] <= 128; }) > 0.25);
  CHECK(share_of("random", [](shape const& s) { return s.extents[1] < 64; }) ==
        doctest::Approx(0.12).epsilon(0.4));
}

TEST_CASE("small gemms are small, and half of them batches") {
  for (int i = 0; i < many; ++i)
    for (auto const extent : drawn_gemm("small", 5, i).extents) CHECK(extent <= 64);
  CHECK(share_of("small", [](shape const& s) { return s.batch > 1; }) ==
        doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("half of the layers of language models see at most 64 tokens, the others 512 and more") {
  for (int i = 0; i < many; ++i) {
    shape const s = drawn_gemm("model", 5, i, true);
    std::int64_t const tokens = s.layout() == "NT" ? s.extents[0] : s.extents[1];
    CAPTURE(s.text);
    CHECK((tokens <= 64 || (tokens >= 512 && tokens <= 8192)));
  }
}

TEST_CASE("random transposes span areas from 2 KB to 2 GB and aspects up to 1:10^6") {
  double least = 1e18;
  double most = 0;
  double longest = 0;
  for (int i = 0; i < many; ++i) {
    shape const s =
        parse_shape(find_random_suite("transpose", "random")->draw({5, i, 4, false}).shape, 2);
    double const bytes = 4.0 * static_cast<double>(s.batch) * products(s);
    least = std::min(least, bytes);
    most = std::max(most, bytes);
    auto const [shorter, longer] = std::minmax(s.extents[0], s.extents[1]);
    longest = std::max(longest, static_cast<double>(longer) / static_cast<double>(shorter));
  }
  CHECK(least < 1e4);
  CHECK(least >= 1e3);
  CHECK(most > 1e9);
  CHECK(most < 4e9);
  CHECK(longest > 1e5);
}

TEST_CASE("random tensors have images of few channels, attention layouts and short dimensions") {
  std::set<std::string> classes;
  for (int i = 0; i < many; ++i)
    classes.insert(find_random_suite("permute", "random")->draw({5, i, 2, false}).shape_class);
  for (auto const* const expected :
       {"NHWC to NCHW, 3 channels", "NCHW to NHWC, 1 channels", "attention, heads out",
        "attention, keys transposed", "attention, q k v apart", "6 dimensions, a short end",
        "3 dimensions, long ends", "4 dimensions, rows kept"}) {
    CAPTURE(expected);
    CHECK(classes.count(expected) == 1);
  }
}

}  // namespace
