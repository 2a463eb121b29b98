// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The program of docs/tutorial_int8_layer.md: a linear layer of a network in int8, whose bias,
// activation and rounding happen in gemm's epilogue.

#include <xpose/xpose.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace xp = xpose;

constexpr xp::index tokens = 24;
constexpr xp::index inputs = 320;
constexpr xp::index outputs = 96;

struct requantise {
  float scale;        // of an int32 sum, in units of the output
  float const* bias;  // one number for each output
  std::int8_t operator()(std::int32_t sum, xp::index, xp::index output) const {
    float const y = static_cast<float>(sum) * scale + bias[output];
    return static_cast<std::int8_t>(std::lround(std::min(std::max(y, 0.f), 127.f)));
  }
};

std::vector<std::int8_t> numbers(xp::index count, int step) {
  std::vector<std::int8_t> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::int8_t>(static_cast<int>(i) * step % 255 - 127);
  return result;
}

int main() {
  std::vector<std::int8_t> const activations = numbers(tokens * inputs, 37);
  std::vector<std::int8_t> const weights = numbers(outputs * inputs, 53);
  std::vector<float> bias(outputs);
  for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = 0.5f * static_cast<float>(j) - 20.f;

  xp::matrix_view<std::int8_t const> const X(activations.data(), tokens, inputs);
  xp::matrix_view<std::int8_t const> const W(weights.data(), outputs, inputs);

  std::vector<std::int32_t> sums(tokens * outputs);
  xp::matrix_view<std::int32_t> const S(sums.data(), tokens, outputs);
  xp::gemm(xp::omp, X, W.transposed(), S);

  std::vector<std::int8_t> results(tokens * outputs);
  xp::matrix_view<std::int8_t> const Y(results.data(), tokens, outputs);
  float const scale = 1.f / 16384.f;
  xp::gemm(xp::omp, X, W.transposed(), Y, xp::options().epilogue(requantise{scale, bias.data()}));

  auto const e = xp::explain(xp::omp, xp::operation::gemm, X, W.transposed(), S);
  std::printf("sums by %s, kernel %s\n", e.backend.c_str(), e.kernel.c_str());

  int wrong = 0;
  for (xp::index i = 0; i < tokens; ++i)
    for (xp::index j = 0; j < outputs; ++j) {
      std::int32_t sum = 0;
      for (xp::index k = 0; k < inputs; ++k) sum += X(i, k) * W(j, k);
      wrong += S(i, j) != sum || Y(i, j) != requantise{scale, bias.data()}(sum, i, j);
    }
  auto const positive = std::count_if(results.begin(), results.end(), [](int y) { return y > 0; });
  std::printf("%d of %zu results differ; %td are above zero\n", wrong, results.size(), positive);
  return wrong == 0 && positive > 0 ? 0 : 1;
}
