// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Offsets and sizes past 2^31 elements. On the host a sparse mapping stands for memory that is
// hardly touched.

#include "support/backends.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

TEST_SUITE_BEGIN("large");

namespace {

using xpose::index;

constexpr index far_apart = (index{1} << 31) + 7;  // elements between two rows

/// Address space whose pages appear when they are written.
struct sparse_memory {
  explicit sparse_memory(std::size_t size) : bytes(size) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(address != MAP_FAILED);
    data = static_cast<unsigned char*>(address);
  }
  ~sparse_memory() { munmap(data, bytes); }
  std::size_t bytes;
  unsigned char* data;
};

TEST_CASE_TEMPLATE("rows more than 2^31 elements apart are moved and multiplied on the host",
                   Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  sparse_memory memory(3 * static_cast<std::size_t>(far_apart) + 4096);
  xpose::matrix_view<unsigned char> const spread(memory.data, 3, 50, xpose::row_major, far_apart);
  std::vector<unsigned char> packed(150);
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<unsigned char>(i + 1);
  xpose::matrix_view<unsigned char> const turned(packed.data(), 50, 3);
  xpose::transpose(on.policy, turned, spread);
  CHECK(memory.data[2 * far_apart + 49] == 150);
  CHECK(memory.data[1 * far_apart + 49] == 149);
  std::vector<unsigned char> back(150);
  xpose::transpose(on.policy, spread, xpose::matrix_view<unsigned char>(back.data(), 50, 3));
  CHECK(back == packed);

  std::vector<std::int32_t> product(9);
  xpose::gemm(on.policy, spread, turned, xpose::matrix_view<std::int32_t>(product.data(), 3, 3));
  std::int32_t expected = 0;
  for (index k = 0; k < 50; ++k) expected += turned(k, 2) * turned(k, 1);
  CHECK(product[7] == expected);
}

TEST_CASE("rows more than 2^31 elements apart are moved and multiplied on a device") {
  if (!needs_gpu()) return;
  place_memory memory(place::device, 2 * static_cast<std::size_t>(far_apart) + 4096);
  place_memory packed(place::device, 100);
  place_memory back(place::device, 100);
  unsigned char values[100];
  for (int i = 0; i < 100; ++i) values[i] = static_cast<unsigned char>(i + 1);
  packed.write(values);
  auto const bytes = [](place_memory const& m) {
    return reinterpret_cast<unsigned char*>(m.data());
  };
  xpose::matrix_view<unsigned char> const spread(bytes(memory), 2, 50, xpose::row_major, far_apart);
  xpose::transpose(xpose::cuda, xpose::matrix_view<unsigned char>(bytes(packed), 50, 2), spread);
  xpose::transpose(xpose::cuda, spread, xpose::matrix_view<unsigned char>(bytes(back), 50, 2));
  unsigned char result[100] = {};
  back.read(result);
  CHECK(std::memcmp(result, values, 100) == 0);

  place_memory product(place::device, 16);
  xpose::gemm(
      xpose::cuda, spread, xpose::matrix_view<unsigned char>(bytes(packed), 50, 2),
      xpose::matrix_view<std::int32_t>(reinterpret_cast<std::int32_t*>(product.data()), 2, 2));
  std::int32_t sums[4];
  product.read(sums);
  std::int32_t expected = 0;
  for (int k = 0; k < 50; ++k) expected += values[2 * k] * values[2 * k + 1];
  CHECK(sums[1] == expected);
}

/// A byte that tells position (i, j) from its neighbours and its mirror.
unsigned char mark(index i, index j) {
  return static_cast<unsigned char>((i * 131 + j * 29 + (i >> 8) * 7 + (j >> 8)) & 0xff);
}

void transpose_past_2_to_31_elements(backend const& on) {
  constexpr index rows = 46349;  // a prime; 46349 * 46351 = 2148322499 > 2^31
  constexpr index cols = 46351;
  std::vector<unsigned char> values(static_cast<std::size_t>(rows * cols));
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) values[static_cast<std::size_t>(i * cols + j)] = mark(i, j);
  place_memory in(on.where, values.size());
  place_memory out(on.where, values.size());
  in.write(values.data());
  xpose::transpose(
      on.policy,
      xpose::matrix_view<unsigned char>(reinterpret_cast<unsigned char*>(in.data()), rows, cols),
      xpose::matrix_view<unsigned char>(reinterpret_cast<unsigned char*>(out.data()), cols, rows));
  out.read(values.data());
  index wrong = 0;
  for (index j = 0; j < cols; ++j)
    for (index i = 0; i < rows; ++i)
      wrong += values[static_cast<std::size_t>(j * rows + i)] != mark(i, j);
  CHECK(wrong == 0);
}

/// Positions all over a large matrix, its last element among them.
template <class IsRight>
index wrong_samples(index elements, IsRight const& is_right) {
  constexpr index apart = 4099;  // a prime
  index wrong = is_right(elements - 1) ? 0 : 1;
  for (index k = 0; k < elements; k += apart) wrong += is_right(k) ? 0 : 1;
  return wrong;
}

/// Bytes that differ from place to place, on the device and on the host.
struct large_pattern {
  explicit large_pattern(index count)
      : here(static_cast<std::size_t>(count)), there(place::device, here.size()) {
    for (index k = 0; k < count; ++k) here[static_cast<std::size_t>(k)] = at(k);
    there.write(here.data());
  }
  static unsigned char at(index k) {
    return static_cast<unsigned char>(static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15u >> 56);
  }
  unsigned char* data() const { return reinterpret_cast<unsigned char*>(there.data()); }
  void fetch() { there.read(here.data()); }
  unsigned char fetched(index k) const { return here[static_cast<std::size_t>(k)]; }

  std::vector<unsigned char> here;
  place_memory there;
};

TEST_CASE("matrices of more than 2^31 elements are turned in place on a device") {
  if (!needs_gpu()) return;
  constexpr index side = 46349;
  large_pattern square(side * side);
  xpose::transpose_inplace(xpose::cuda,
                           xpose::matrix_view<unsigned char>(square.data(), side, side));
  square.fetch();
  CHECK(wrong_samples(side * side, [&](index k) {
          return square.fetched(k) == large_pattern::at(k % side * side + k / side);
        }) == 0);

  constexpr index rows = 65536;  // aligned, and no square
  constexpr index cols = 32784;
  large_pattern rectangle(rows * cols);
  xpose::transpose_inplace(xpose::cuda,
                           xpose::matrix_view<unsigned char>(rectangle.data(), rows, cols));
  rectangle.fetch();
  CHECK(wrong_samples(rows * cols, [&](index k) {
          return rectangle.fetched(k) == large_pattern::at(k % rows * cols + k / rows);
        }) == 0);
}

TEST_CASE("matrices of more than 2^31 elements are added on a device, in order and turned") {
  if (!needs_gpu()) return;
  constexpr index rows = 46352;
  constexpr index cols = 46368;
  large_pattern const a(rows * cols);
  large_pattern c(rows * cols);
  using view = xpose::matrix_view<signed char>;
  auto* const from = reinterpret_cast<signed char*>(a.data());
  view const out(reinterpret_cast<signed char*>(c.data()), rows, cols);
  auto const wrong = [&](auto const& expected) {
    c.fetch();
    return wrong_samples(rows * cols, [&](index k) {
      return c.fetched(k) == static_cast<unsigned char>(expected(k / cols, k % cols));
    });
  };
  xpose::add(xpose::cuda, 2, view(from, rows, cols), 3, view(from, rows, cols), out);
  CHECK(wrong([&](index i, index j) { return 5 * large_pattern::at(i * cols + j); }) == 0);
  xpose::add(xpose::cuda, 2, view(from, rows, cols), 3,
             view(from, rows, cols, xpose::strided{1, rows}), out);
  CHECK(wrong([&](index i, index j) {
          return 2 * large_pattern::at(i * cols + j) + 3 * large_pattern::at(j * rows + i);
        }) == 0);
}

TEST_CASE("a tensor of more than 2^31 elements, and of 2^32 bytes, is permuted on a device") {
  if (!needs_gpu()) return;
  constexpr index planes = 3, rows = 27001, cols = 26801;
  auto const permute = [&](auto sample) {
    using T = decltype(sample);
    constexpr index size = sizeof(T);
    index const wide = cols / size * 2;  // more than 2^32 bytes of the wider type
    index const count = planes * rows * (size == 1 ? cols : wide);
    index const across = size == 1 ? cols : wide;
    large_pattern const in(count * size);
    large_pattern out(count * size);
    xpose::permute(xpose::cuda,
                   xpose::tensor_view<T, 3>(reinterpret_cast<T*>(in.data()),
                                            std::array<index, 3>{planes, rows, across}),
                   xpose::tensor_view<T, 3>(reinterpret_cast<T*>(out.data()),
                                            std::array<index, 3>{across, planes, rows}),
                   {2, 0, 1});
    out.fetch();
    CHECK(wrong_samples(count * size, [&](index k) {
            index const element = k / size;
            index const j = element / (planes * rows), i = element % rows;
            index const plane = element / rows % planes;
            return out.fetched(k) ==
                   large_pattern::at(((plane * rows + i) * across + j) * size + k % size);
          }) == 0);
  };
  permute(std::uint8_t{});
  permute(std::uint32_t{});
}

TEST_CASE("a matrix of more than 2^31 elements is transposed on the host") {
  transpose_past_2_to_31_elements(on_omp::get());
}

TEST_CASE("a matrix of more than 2^31 elements is transposed on a device") {
  if (!needs_gpu()) return;
  transpose_past_2_to_31_elements(on_cuda::get());
}

}  // namespace

TEST_SUITE_END();
