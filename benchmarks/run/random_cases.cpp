// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/random_cases.hpp"

#include "core/case.hpp"
#include "types/random.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace xpose::bench {
namespace {

/// Numbers that depend on seed and case alone. The distributions of <random> differ from library to
/// library.
class dice {
 public:
  explicit dice(case_request const& r)
      : seed_(hash_of(static_cast<std::uint64_t>(r.number), hash_of(0, r.seed))) {}

  /// Uniform in [0, 1).
  double fraction() { return static_cast<double>(hash_of(rolls_++, seed_) >> 11) * 0x1p-53; }
  bool one_in(int n) { return uniform(0, n - 1) == 0; }
  index uniform(index least, index most) {
    return least + static_cast<index>(fraction() * static_cast<double>(most - least + 1));
  }
  index log_uniform(double least, double most) {
    double const x = least * std::exp(fraction() * std::log(most / least));
    return std::clamp(static_cast<index>(std::llround(x)), static_cast<index>(std::ceil(least)),
                      static_cast<index>(most));
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[uniform(0, static_cast<index>(values.size()) - 1)];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t rolls_ = 0;
};

index round_up(index value, index unit) { return (value + unit - 1) / unit * unit; }

std::string joined(std::vector<index> const& extents) {
  std::string text;
  for (index const e : extents) text += (text.empty() ? "" : "x") + std::to_string(e);
  return text;
}

std::string batched(index batch, std::string const& text) {
  return batch == 1 ? text : std::to_string(batch) + "*" + text;
}

// gemm

double most_products(case_request const& r) { return r.is_device ? 3e11 : 3e10; }

std::string class_of_gemm(index m, index n, index k) {
  bool const is_aligned = m % 8 == 0 && n % 8 == 0 && k % 8 == 0;
  index const least = std::min(m, n);
  index const most = std::max(m, n);
  char const* const form = n == 1 || m == 1    ? "vector"
                           : n <= 128          ? "few columns"
                           : m <= 128          ? "few rows"
                           : k >= 8 * most     ? "long k"
                           : most >= 8 * least ? "flat"
                           : 4 * k <= least    ? "short k"
                           : most <= 768       ? "small"
                                               : "large";
  return std::string(is_aligned ? "aligned, " : "odd, ") + form;
}

random_case draw_gemm(case_request const& r) {
  dice d(r);
  for (;;) {
    index m = d.log_uniform(64, 12288);
    index k = d.log_uniform(64, 12288);
    index n = d.one_in(5) ? d.uniform(1, 128) : d.log_uniform(64, 12288);
    if (!d.one_in(3)) {
      m = round_up(m, 8);
      k = round_up(k, 8);
      n = round_up(n, 8);
    }
    char const* const layout = d.one_of({"NN", "NT", "TN", "TT"});
    if (static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > most_products(r))
      continue;
    return {joined({m, n, k}) + ":" + layout, class_of_gemm(m, n, k)};
  }
}

random_case draw_small_gemm(case_request const& r) {
  dice d(r);
  index const m = d.uniform(1, 64);
  index const n = d.uniform(1, 64);
  index const k = d.uniform(1, 64);
  index const batch = d.one_in(2) ? 1 : d.log_uniform(2, 10000);
  char const* const layout = d.one_of({"NN", "NT", "TN", "TT"});
  index const most = std::max({m, n, k});
  return {batched(batch, joined({m, n, k})) + ":" + layout,
          std::string(batch == 1 ? "single" : "batched") + (most <= 16   ? ", up to 16"
                                                            : most <= 32 ? ", up to 32"
                                                                         : ", up to 64")};
}

/// Extents of published language models, of their papers and model cards. kv: outputs of the key
/// and of the value projection.
struct language_model {
  char const* name;
  index d_model;
  index heads;  // outputs of the query projection
  index kv;
  index d_ff;
  index vocabulary;
};
constexpr language_model models[] = {
    {"GPT-2", 768, 768, 768, 3072, 50257},
    {"BERT base", 768, 768, 768, 3072, 30522},
    {"Phi-3 mini", 3072, 3072, 3072, 8192, 32064},
    {"Qwen2.5 7B", 3584, 3584, 512, 18944, 152064},
    {"Gemma 2 9B", 3584, 4096, 2048, 14336, 256000},
    {"Mistral 7B", 4096, 4096, 1024, 14336, 32000},
    {"Llama 3 8B", 4096, 4096, 1024, 14336, 128256},
    {"Llama 3 70B", 8192, 8192, 1024, 28672, 128256},
    {"GPT-3", 12288, 12288, 12288, 49152, 50257},
};

/// C = X W^T with tokens as rows, as PyTorch stores a linear layer, or C = W X with tokens as
/// columns.
random_case draw_model_gemm(case_request const& r) {
  dice d(r);
  for (;;) {
    language_model const& model = models[d.uniform(0, std::size(models) - 1)];
    struct layer {
      char const* name;
      index out;
      index in;
    };
    layer const l = d.one_of<layer>({{"q, k, v", model.heads + 2 * model.kv, model.d_model},
                                     {"attention out", model.d_model, model.heads},
                                     {"up", model.d_ff, model.d_model},
                                     {"down", model.d_model, model.d_ff},
                                     {"head", model.vocabulary, model.d_model}});
    bool const is_decode = d.one_in(2);
    index const tokens = is_decode ? d.log_uniform(1, 64) : d.log_uniform(512, 8192);
    bool const tokens_are_rows = d.one_in(2);
    if (static_cast<double>(l.out) * static_cast<double>(l.in) * static_cast<double>(tokens) >
        most_products(r))
      continue;
    std::string const shape = tokens_are_rows ? joined({tokens, l.out, l.in}) + ":NT"
                                              : joined({l.out, tokens, l.in}) + ":NN";
    return {shape, std::string(is_decode ? "decode" : "prefill") +
                       (tokens_are_rows ? ", tokens as rows, " : ", tokens as columns, ") + l.name};
  }
}

// Matrices that are moved

struct drawn_matrix {
  index batch;
  index rows;
  index cols;
  std::string options;  // ":ld=..:offset=.."
  std::string shape_class;
};

/// Of an area log-uniform in 2e3 to `most_bytes`, with an aspect of up to 1:10^6. `operands`: whose
/// leading dimensions may be wider than their rows.
drawn_matrix draw_matrix(dice& d, std::size_t element_bytes, double most_bytes, int operands) {
  auto const bytes = static_cast<double>(element_bytes);
  double const elements =
      std::max(1.0, static_cast<double>(d.log_uniform(2e3, most_bytes)) / bytes);
  index const batch =
      d.one_in(6) && elements >= 64 ? d.log_uniform(2, std::min(1e4, elements / 16)) : 1;
  double const area = elements / static_cast<double>(batch);
  // Half of all matrices within 1:4; the others as far as their area goes.
  double const aspect =
      std::min(area, static_cast<double>(d.log_uniform(1, d.one_in(2) ? 4 : 1e6)));
  index long_side = std::max<index>(1, std::llround(std::sqrt(area * aspect)));
  index short_side = std::max<index>(1, std::llround(std::sqrt(area / aspect)));
  bool const is_aligned = d.one_in(2);
  if (is_aligned) {
    auto const unit = static_cast<index>(std::max<std::size_t>(1, 32 / element_bytes));
    long_side = round_up(long_side, unit);
    short_side = round_up(short_side, unit);
  }
  drawn_matrix m{batch, long_side, short_side, "", ""};
  if (d.one_in(2)) std::swap(m.rows, m.cols);
  bool const is_padded = !is_aligned && batch == 1 && d.one_in(3);
  if (is_padded && operands > 0) {
    index const widest = std::max(m.rows, m.cols);
    for (int o = 0; o < operands; ++o)
      m.options += (o == 0 ? ":ld=" : "/") + std::to_string(widest + d.uniform(1, 16));
    m.options += ":offset=" + std::to_string(d.uniform(1, 7));
    // A pitch of the longer side makes a skinny matrix an area of its own.
    if (widest > 8 * std::min(m.rows, m.cols)) m.options.clear();
  }
  index const least = std::min(m.rows, m.cols);
  m.shape_class = std::string(is_aligned          ? "aligned"
                              : m.options.empty() ? "odd"
                                                  : "odd pitch") +
                  (batch > 1                                        ? ", batched"
                   : least * static_cast<index>(element_bytes) < 64 ? ", narrow"
                   : std::max(m.rows, m.cols) > 16 * least          ? ", skinny"
                   : area * bytes < 1e6                             ? ", small"
                                                                    : ", large");
  return m;
}

random_case draw_transpose(case_request const& r) {
  dice d(r);
  drawn_matrix const m = draw_matrix(d, r.element_bytes, 2e9, 2);
  return {batched(m.batch, joined({m.rows, m.cols})) + m.options, m.shape_class};
}

random_case draw_add(case_request const& r) {
  dice d(r);
  drawn_matrix m = draw_matrix(d, r.element_bytes, 2e9, 3);
  char const* const layout = d.one_of({"NN", "NT", "TN", "TT"});
  return {joined({m.rows * m.batch, m.cols}) + ":" + layout + m.options, m.shape_class};
}

random_case draw_in_place(case_request const& r) {
  dice d(r);
  drawn_matrix m = draw_matrix(d, r.element_bytes, 2e9, 0);
  if (d.one_in(2)) {
    m.rows = m.cols = std::max<index>(
        1, std::llround(std::sqrt(static_cast<double>(m.rows) * static_cast<double>(m.cols))));
    m.shape_class = m.batch > 1 ? "square, batched" : "square";
  }
  return {batched(m.batch, joined({m.rows, m.cols})), m.shape_class};
}

// Tensors

/// As many as fill `elements`, after what the other extents take.
index rest_of(double elements, std::initializer_list<index> others) {
  for (index const other : others) elements /= static_cast<double>(other);
  return std::max<index>(1, std::llround(elements));
}

random_case draw_image(dice& d, double elements) {
  index const channels = d.one_of<index>({1, 3, 4, 3, 4, 16, 64, 256});
  index const side = d.log_uniform(7, 1024);
  index const width = d.one_in(2) ? side : d.log_uniform(7, 1024);
  index const images = rest_of(elements, {channels, side, width});
  bool const to_channels_first = d.one_in(2);
  return {to_channels_first ? joined({images, side, width, channels}) + ":0312"
                            : joined({images, channels, side, width}) + ":0231",
          std::string(to_channels_first ? "NHWC to NCHW" : "NCHW to NHWC") + ", " +
              (channels <= 4 ? std::to_string(channels) + " channels" : "many channels")};
}

random_case draw_attention(dice& d, double elements) {
  index const head = d.one_of<index>({64, 80, 96, 128});
  index const heads = d.one_of<index>({8, 12, 16, 32, 40, 64});
  index const sequence = d.log_uniform(16, 8192);
  index const batch = rest_of(elements, {head, heads, sequence});
  switch (d.uniform(0, 2)) {
    case 0:
      return {joined({batch, sequence, heads, head}) + ":0213", "attention, heads out"};
    case 1:
      return {joined({batch, heads, sequence, head}) + ":0132", "attention, keys transposed"};
    default:
      return {joined({batch, sequence, 3, heads, head}) + ":20314", "attention, q k v apart"};
  }
}

random_case draw_tensor(dice& d, double elements) {
  auto const rank = static_cast<std::size_t>(d.uniform(3, 6));
  std::vector<index> extents(rank);
  double left = elements;
  for (std::size_t k = 0; k + 1 < rank; ++k) {
    bool const is_short = d.one_in(3);
    double const share = std::pow(left, 1.0 / static_cast<double>(rank - k));
    extents[k] = is_short ? d.one_of<index>({2, 3, 5, 7, 9, 11, 15})
                          : d.log_uniform(std::max(2.0, share / 3), std::max(3.0, share * 3));
    left = std::max(1.0, left / static_cast<double>(extents[k]));
  }
  extents[rank - 1] = std::max<index>(1, std::llround(left));
  std::swap(extents[rank - 1],
            extents[static_cast<std::size_t>(d.uniform(0, static_cast<index>(rank) - 1))]);
  std::string permutation;
  for (std::size_t k = 0; k < rank; ++k) permutation += static_cast<char>('0' + k);
  std::string const identity = permutation;
  while (permutation == identity)
    for (std::size_t k = rank; k-- > 1;)
      std::swap(permutation[k],
                permutation[static_cast<std::size_t>(d.uniform(0, static_cast<index>(k)))]);
  bool const keeps_last = permutation.back() == identity.back();
  index const shortest_end =
      std::min(extents.back(), extents[static_cast<std::size_t>(permutation.back() - '0')]);
  return {joined(extents) + ":" + permutation, std::to_string(rank) + " dimensions, " +
                                                   (keeps_last          ? "rows kept"
                                                    : shortest_end < 32 ? "a short end"
                                                                        : "long ends")};
}

random_case draw_permute(case_request const& r) {
  dice d(r);
  double const elements =
      static_cast<double>(d.log_uniform(1e5, 1e9)) / static_cast<double>(r.element_bytes);
  index const kind = d.uniform(0, 2);
  return kind == 0   ? draw_image(d, elements)
         : kind == 1 ? draw_attention(d, elements)
                     : draw_tensor(d, elements);
}

}  // namespace

std::vector<random_suite> const& random_suites() {
  static std::vector<random_suite> const all = {
      {"random",
       "gemm",
       "m, k log-uniform in 64 to 12288, n too or (one in five) 1 to 128; two thirds multiples of "
       "8",
       {"f32", "f64", "c64", "c128", "f16", "bf16", "i8", "e4m3_f32"},
       draw_gemm},
      {"small",
       "gemm",
       "every extent 1 to 64, single and batched",
       {"f32", "f64", "c64", "c128"},
       draw_small_gemm},
      {"model",
       "gemm",
       "linear layers of language models: 1 to 64 and 512 to 8192 tokens",
       {"bf16", "i8", "f32"},
       draw_model_gemm},
      {"random",
       "transpose",
       "2e3 to 2e9 bytes, aspects up to 1:10^6, aligned and not, batches",
       {"b1", "b2", "b3", "f32", "f64", "b12", "c128"},
       draw_transpose},
      {"random-inplace",
       "transpose",
       "the same in place; half of them squares",
       {"b1", "b2", "f32", "f64", "c128"},
       draw_in_place,
       true},
      {"random-cast",
       "transpose",
       "the same with a cast",
       {"f32:bf16", "f32:f16", "bf16:f32", "f64:f32"},
       draw_transpose},
      {"random",
       "permute",
       "3 to 6 dimensions with short ones, images, attention layouts",
       {"b1", "b2", "f32", "f64"},
       draw_permute},
      {"random", "add", "as transpose, all four layouts", {"f32", "f64", "c64", "c128"}, draw_add},
  };
  return all;
}

random_suite const* find_random_suite(std::string const& operation, std::string const& name) {
  for (auto const& s : random_suites())
    if (operation == s.operation && name == s.name) return &s;
  return nullptr;
}

}  // namespace xpose::bench
