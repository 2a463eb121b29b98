// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The program of docs/tutorial_images.md: an image of bytes, as decoders give it, becomes the
// tensor of floats that a network takes.

#include <xpose/xpose.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace xp = xpose;

constexpr xp::index height = 270;
constexpr xp::index width = 480;
constexpr xp::index channels = 3;

struct to_unit {  // 0..255 becomes 0..1
  float operator()(std::uint8_t x) const { return static_cast<float>(x) / 255.f; }
};

struct normalise {
  float mean;
  float deviation;
  float operator()(std::uint8_t x) const { return (to_unit{}(x)-mean) / deviation; }
};

struct to_byte {
  float mean;
  float deviation;
  std::uint8_t operator()(float x) const {
    return static_cast<std::uint8_t>(std::lround((x * deviation + mean) * 255.f));
  }
};

int main() {
  std::vector<std::uint8_t> image(height * width * channels);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(i * 31 % 251);
  std::vector<float> planes(image.size());

  xp::tensor_view<std::uint8_t, 3> const pixels(image.data(), {height, width, channels});
  xp::tensor_view<float, 3> const tensor(planes.data(), {channels, height, width});
  xp::permute(xp::omp, pixels, tensor, std::array<int, 3>{2, 0, 1}, to_unit{});
  float const blue = planes[(2 * height + 7) * width + 9];  // of the pixel in row 7, column 9
  bool const is_right = blue == to_unit{}(image[(7 * width + 9) * channels + 2]);

  std::array<float, 3> const mean = {0.485f, 0.456f, 0.406f};
  std::array<float, 3> const deviation = {0.229f, 0.224f, 0.225f};
  for (xp::index c = 0; c < channels; ++c) {
    auto const k = static_cast<std::size_t>(c);
    xp::matrix_view<std::uint8_t> const channel(image.data() + c, height, width,
                                                xp::strided{width * channels, channels});
    xp::matrix_view<float> const plane(planes.data() + c * height * width, height, width);
    xp::copy(xp::omp, channel, plane, normalise{mean[k], deviation[k]});
  }

  std::vector<std::uint8_t> again(image.size());
  for (xp::index c = 0; c < channels; ++c) {
    auto const k = static_cast<std::size_t>(c);
    xp::matrix_view<float> const plane(planes.data() + c * height * width, height, width);
    xp::matrix_view<std::uint8_t> const channel(again.data() + c, height, width,
                                                xp::strided{width * channels, channels});
    xp::copy(xp::omp, plane, channel, to_byte{mean[k], deviation[k]});
  }

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < image.size(); ++i) wrong += image[i] != again[i];
  std::printf("blue at (7, 9) is %.3f; %zu of %zu bytes differ\n", static_cast<double>(blue), wrong,
              image.size());
  return is_right && wrong == 0 ? 0 : 1;
}
