// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Epilogues of the unaligned and skinny kernels: what happens to the words that were gathered for a
// vec16 of the output. copy_epilogue stores them, function_epilogue stores f of each, add_epilogue
// (add/tile_unaligned.cuh) adds another matrix, the source. Each has:
//   in_bytes, out_bytes   of a word before and after
//   gathered              the words of one vec16 of the output
//   load_source(batch_index, output_row, first, words)   loads the source's vec16 for that output
//       row; called before the shared-memory gathers, so that its latency overlaps them
//   store(row, first, words, gathered, source)   stores the vec16 at word `first` of an output row
//       of `words`; words outside are not written
//   store_word(batch_index, output_row, row, at, word)   stores a single word
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>

#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

struct no_source {};

template <int W>
struct copy_epilogue {
  static constexpr int in_bytes = W, out_bytes = W;
  using source = no_source;
  using word = typename word_of<W>::type;
  using gathered = vec16_words<W>;

  __device__ source load_source(unsigned, int, index, index) const { return {}; }
  __device__ void store(char* row, index first, index words, gathered const& v, source) const {
    store_in_row<W>(row, first, words, v.vec16);
  }
  __device__ void store_word(unsigned, int, char* row, index at, word const& v) const {
    reinterpret_cast<word*>(row)[at] = v;
  }
};

/// A vec16 of T, which need not have a trivial constructor.
template <class T>
union vec16_of {
  static constexpr int count = vec16_bytes / static_cast<int>(sizeof(T));
  __device__ vec16_of() {}
  uint4 vec16;
  T elements[count];
};

/// Stores element(k) for each element of a vec16 that lies in the row. element() is not called for
/// the others: a user's function may do anything with garbage from shared memory. Only a vec16 at a
/// row's end is stored element by element, so that all others need no bounds check.
template <class T, class Element>
__device__ inline void store_elements(char* row, index first, index words, Element const& element) {
  constexpr int V = vec16_of<T>::count;
  char* const to = row + first * index{sizeof(T)};
  if (first >= 0 && first + V <= words) {
    vec16_of<T> result;
#pragma unroll
    for (int k = 0; k < V; ++k) new (&result.elements[k]) T(element(k));
    return store_vec16(to, result.vec16);
  }
  int const begin = first < 0 ? static_cast<int>(-first) : 0;
  int const end = static_cast<int>(min(index{V}, words - first));
#pragma unroll
  for (int k = 0; k < V; ++k)
    if (k >= begin && k < end) new (reinterpret_cast<T*>(to) + k) T(element(k));
}

template <class In, class Out, class F>
struct function_epilogue {
  static constexpr int in_bytes = sizeof(In), out_bytes = sizeof(Out);
  using word = typename word_of<in_bytes>::type;
  using source = no_source;
  struct gathered {
    word words[vec16_bytes / out_bytes];
  };

  __device__ Out result(word const& v) const {
    return static_cast<Out>(f(reinterpret_cast<In const&>(v)));
  }
  __device__ source load_source(unsigned, int, index, index) const { return {}; }
  __device__ void store(char* row, index first, index words, gathered const& v, source) const {
    store_elements<Out>(row, first, words, [&](int k) { return result(v.words[k]); });
  }
  __device__ void store_word(unsigned, int, char* row, index at, word const& v) const {
    new (reinterpret_cast<Out*>(row) + at) Out(result(v));
  }

  F f;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
