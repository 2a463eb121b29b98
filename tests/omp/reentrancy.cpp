// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Code of the user that runs within a call on omp calls xpose itself: every operation inside every
// kind of user code of every operation, the inner operands smaller and larger than the outer ones.
// Inner and outer results are those of calls by themselves.

#include "omp/inner_calls.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory_resource>
#include <thread>
#include <utility>
#include <vector>

TEST_SUITE_BEGIN("omp.user_code");

namespace {

using namespace calls_within;
using calls_within::index;

/// What user code does: now and then an inner call, whose result it checks.
class visitor {
 public:
  visitor(inner_call const& call, index side)
      : call_(call), side_(side), expected_(call.run(host_policy::reference, side)) {}

  void visit() {
    // The first elements of an output, and some later ones, on whichever threads they are.
    int const n = visits_++;
    if (n != 0 && n != 1000 && n != 20000) return;
    if (call_.run(host_policy::omp, side_) != expected_) ++wrong_;
    ++calls_;
  }
  int calls() const { return calls_; }
  int wrong() const { return wrong_; }

 private:
  inner_call const& call_;
  index side_;
  bytes expected_;
  std::atomic<int> visits_{0};
  std::atomic<int> calls_{0};
  std::atomic<int> wrong_{0};
};

visitor* now = nullptr;
/// Nobody calls xpose while the expected results of outer calls are calculated.
void visit() {
  if (now != nullptr) now->visit();
}

// What the outer calls are made of.

template <int Words>
struct block {
  float x[Words];
  friend block operator+(block const& a, block const& b) {
    visit();
    block sum{};
    for (int i = 0; i < Words; ++i) sum.x[i] = a.x[i] + b.x[i];
    return sum;
  }
  friend block operator*(block const& a, block const& b) {
    block product{};
    for (int i = 0; i < Words; ++i) product.x[i] = a.x[i] * b.x[i];
    return product;
  }
};

template <int Words>
std::vector<block<Words>> blocks(index count) {
  auto const values = numbered<float>(count * Words, 101);
  std::vector<block<Words>> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int w = 0; w < Words; ++w) all[i].x[w] = values[i * Words + static_cast<std::size_t>(w)];
  return all;
}

struct visiting {
  template <class T>
  T operator()(T const& x) const {
    visit();
    return x;
  }
};

struct visiting_semiring {
  float zero() const { return 0; }
  float add(float a, float b) const { return a + b; }
  float multiply(float a, float b) const {
    visit();
    return a * b;
  }
};

/// An accumulator that is constructed, copied and destroyed.
struct counted_sum {
  counted_sum() = default;
  explicit counted_sum(float x) : value(x) { visit(); }
  float value = 0;
  friend counted_sum operator+(counted_sum const& a, counted_sum const& b) {
    counted_sum sum;
    sum.value = a.value + b.value;
    return sum;
  }
  friend counted_sum operator*(counted_sum const& a, counted_sum const& b) {
    counted_sum product;
    product.value = a.value * b.value;
    return product;
  }
};

/// Memory of the heap, after an inner call.
class visiting_pool : public std::pmr::memory_resource {
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    visit();
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    visit();
    std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    return this == &other;
  }
};

/// An iterator whose elements are the user's to calculate.
struct visiting_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = float;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = float;
  float operator[](difference_type i) const {
    visit();
    return static_cast<float>((first + i) % 1009);
  }
  visiting_iterator operator+(difference_type i) const { return {first + i}; }
  difference_type first = 0;
};

template <class A, class C, class Options>
bytes outer_gemm(index rows, index cols, index k, Options const& options) {
  return inner_gemm<A, C>(xpose::omp.with(xpose::threads{2}), rows, cols, k, options);
}

struct outer_call {
  char const* name;
  bytes (*run)();
};

template <int Words>
bytes transpose_blocks() {
  auto const in = blocks<Words>(150 * 130);
  std::vector<block<Words>> out(in.size());
  xpose::transpose(xpose::omp.with(xpose::threads{2}), view(in, 150, 130), view(out, 130, 150),
                   visiting{});
  return bytes_of(out);
}

constexpr outer_call outer_calls[] = {
    {"transpose with a function of 4 bytes", transpose_blocks<1>},
    {"transpose with a function of 16 bytes", transpose_blocks<4>},
    {"transpose with a function of 64 bytes", transpose_blocks<16>},
    {"copy with a function",
     [] {
       auto const in = numbered<float>(190 * 150, 101);
       std::vector<double> out(in.size());
       xpose::copy(xpose::omp.with(xpose::threads{2}), view(in, 190, 150), view(out, 190, 150),
                   [](float x) {
                     visit();
                     return static_cast<double>(x);
                   });
       return bytes_of(out);
     }},
    {"permute with a function",
     [] {
       auto const in = numbered<float>(30 * 31 * 32, 101);
       std::vector<float> out(in.size());
       xpose::permute(xpose::omp.with(xpose::threads{2}),
                      xpose::tensor_view<float const, 3>{in.data(), {30, 31, 32}},
                      xpose::tensor_view<float, 3>{out.data(), {32, 30, 31}},
                      std::array<int, 3>{2, 0, 1}, visiting{});
       return bytes_of(out);
     }},
    {"transpose of an iterator",
     [] {
       std::vector<float> out(150 * 130);
       xpose::transpose(xpose::omp.with(xpose::threads{2}),
                        xpose::view(visiting_iterator{}, 150, 130), view(out, 130, 150));
       return bytes_of(out);
     }},
    {"transpose_inplace with a pool",
     [] {
       visiting_pool pool;
       auto values = numbered<float>(150 * 130, 101);
       xpose::transpose_inplace(xpose::omp.with(xpose::threads{2}).with(pool),
                                view(values, 150, 130));
       return bytes_of(values);
     }},
    {"add of a type with operators",
     [] {
       auto const a = blocks<3>(150 * 150);
       std::vector<block<3>> c(a.size());
       xpose::add(xpose::omp.with(xpose::threads{2}), block<3>{{2, 3, 4}},
                  view(a, 150, 150).transposed(), block<3>{{1, 1, 2}}, view(a, 150, 150),
                  view(c, 150, 150));
       return bytes_of(c);
     }},
    {"gemm of float with an epilogue",
     [] { return outer_gemm<float, float>(300, 260, 280, xpose::options().epilogue(visiting{})); }},
    {"gemm of float, small, with an epilogue",
     [] { return outer_gemm<float, float>(70, 40, 30, xpose::options().epilogue(visiting{})); }},
    {"gemm of float with long k and an epilogue",
     [] { return outer_gemm<float, float>(48, 40, 5000, xpose::options().epilogue(visiting{})); }},
    {"gemm of bfloat16 with an epilogue",
     [] {
       return outer_gemm<xpose::bfloat16, float>(200, 190, 180,
                                                 xpose::options().epilogue(visiting{}));
     }},
    {"gemm of int8 with an epilogue",
     [] {
       return outer_gemm<std::int8_t, std::int32_t>(200, 190, 180,
                                                    xpose::options().epilogue(visiting{}));
     }},
    {"products of int8 with long k on one thread, with an epilogue",
     [] {
       auto const a = numbered<std::int8_t>(16 * 40000, 11);
       std::vector<std::int32_t> c(2 * 16 * 16);
       auto const of_a = xpose::batch_view<std::int8_t const>(view(a, 16, 40000), 2, 0);
       auto const of_b =
           xpose::batch_view<std::int8_t const>(view(a, 16, 40000).transposed(), 2, 0);
       xpose::gemm(xpose::omp.with(xpose::threads{1}), of_a, of_b,
                   xpose::batch_view<std::int32_t>(view(c, 16, 16), 2, 16 * 16),
                   xpose::options().epilogue(visiting{}));
       return bytes_of(c);
     }},
    {"products of bfloat16 with long k on one thread, with an epilogue",
     [] {
       auto const a = numbered<xpose::bfloat16>(16 * 20000, 11);
       std::vector<float> c(2 * 16 * 16);
       auto const of_a = xpose::batch_view<xpose::bfloat16 const>(view(a, 16, 20000), 2, 0);
       auto const of_b =
           xpose::batch_view<xpose::bfloat16 const>(view(a, 16, 20000).transposed(), 2, 0);
       xpose::gemm(xpose::omp.with(xpose::threads{1}), of_a, of_b,
                   xpose::batch_view<float>(view(c, 16, 16), 2, 16 * 16),
                   xpose::options().epilogue(visiting{}));
       return bytes_of(c);
     }},
    {"matrix times vector with an epilogue",
     [] { return outer_gemm<float, float>(2500, 1, 300, xpose::options().epilogue(visiting{})); }},
    {"gemm over a semiring",
     [] {
       return outer_gemm<float, float>(90, 80, 70, xpose::options().over(visiting_semiring{}));
     }},
    {"gemm with accumulators that are objects",
     [] {
       auto const a = numbered<float>(60 * 70, 11);
       auto const b = numbered<float>(70 * 50, 13);
       std::vector<counted_sum> c(60 * 50);
       xpose::gemm(xpose::omp.with(xpose::threads{2}), view(a, 60, 70), view(b, 70, 50),
                   view(c, 60, 50), xpose::options().accumulate<counted_sum>());
       return bytes_of(c);
     }},
};

TEST_CASE("every operation of omp may be called within every kind of user code") {
  for (outer_call const& outer : outer_calls) {
    CAPTURE(outer.name);
    now = nullptr;
    bytes const expected = outer.run();
    for (inner_call const& inner : inner_calls)
      for (index const side : {24, 330}) {
        CAPTURE(inner.name);
        CAPTURE(side);
        visitor guest(inner, side);
        now = &guest;
        bool const is_right = outer.run() == expected;
        now = nullptr;
        CHECK(is_right);
        CHECK(guest.wrong() == 0);
        CHECK(guest.calls() > 0);
      }
  }
}

/// Calls omp when the thread, or the process, destroys its objects.
std::atomic<int> right_at_the_end{0};
bool is_right_by_itself() {
  for (inner_call const& call : inner_calls)
    if (call.run(host_policy::omp, 200) != call.run(host_policy::reference, 200)) return false;
  return true;
}
struct calls_at_its_end {
  ~calls_at_its_end() {
    if (is_used && is_right_by_itself()) ++right_at_the_end;
  }
  bool is_used = false;
};

TEST_CASE("omp may be called from the destructor of a thread_local object") {
  right_at_the_end = 0;
  std::thread([] {
    thread_local calls_at_its_end first;  // constructed, so that it is destroyed last
    first.is_used = true;
    CHECK(is_right_by_itself());
  }).join();
  CHECK(right_at_the_end == 1);
}

}  // namespace

TEST_SUITE_END();
