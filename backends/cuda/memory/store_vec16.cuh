// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What becomes of the words that transpose_tile_unaligned and transpose_thin gather for a chunk of
// the output: they are stored as they are, or through an element function; add/tile_unaligned.cuh
// adds them to another matrix. Each has in_bytes and out_bytes of a word, the type `gathered`, and
// store(row, first, words, gathered, beside): the chunk at word `first` of a row of the output of
// so many words; words outside are left alone. load_source(place, line, first, words) is what the
// chunk needs besides, of row `line` of matrix number `place`, asked for before the gathers so that
// it comes meanwhile. store_word(place, line, row, at, word) stores a single word.
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

/// A chunk of T that need not have a trivial constructor.
template <class T>
union vec16_of {
  static constexpr int count = vec16_bytes / static_cast<int>(sizeof(T));
  __device__ vec16_of() {}
  uint4 vec16;
  T elements[count];
};

/// element(k) for those words of a chunk that are in the row, since a user's function may do
/// anything with what shared memory happens to hold elsewhere. A chunk at a row's end is written
/// element by element, so that no other asks where it is.
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
