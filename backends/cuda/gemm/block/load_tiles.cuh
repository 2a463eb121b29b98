// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How tiles of A and B reach shared memory. async_reader lays a tile as rows of `Across` elements
// (rows of A, columns of B), whatever the operand's strides, so one kernel serves every layout:
// what is contiguous along the depth is turned on the way. depth_reader keeps what is contiguous
// along the depth so. Both copy elements as they are, without registers; converting_reader takes
// any type.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How a block walks an operand.
enum class gemm_reading : int {
  along_depth,   // by elements, contiguous along the depth, neighbouring threads too
  along_across,  // by elements, neighbouring threads across it
  vectors,       // 16 bytes of neighbours across the depth, which are aligned
  vectors_along_depth
};

/// Copies the first `count` of Bytes from global to shared memory, and zeros after them; ready
/// after wait_for_copy_groups().
template <int Bytes>
__device__ inline void copy_async(unsigned to, void const* from, int count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(count)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes),
                 "r"(count)
                 : "memory");
#else
#pragma unroll
  for (int at = 0; at < Bytes; at += 4) {
    unsigned word =
        at < count ? *reinterpret_cast<unsigned const*>(static_cast<char const*>(from) + at) : 0;
    if (count - at < 4 && at < count) word &= (1u << 8 * (count - at)) - 1;
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + at), "r"(word) : "memory");
  }
#endif
}

/// Ends a group of copies, which may be empty.
__device__ inline void end_copy_group() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most so many of the latest groups of this thread are under way.
template <int Groups>
__device__ inline void wait_for_copy_groups() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

/// Which units of a tile, of `Elements` elements across, a thread moves: every pass moves one, and
/// passes go across first. Groups of Lanes threads lie along the depth.
template <int Across, int Depth, int Threads, int Elements, int Lanes>
struct tile_walk {
  static constexpr int units = Across / Elements;
  static constexpr int across_threads = least_of(Threads / Lanes, units);
  static constexpr int depth_threads = Threads / across_threads;
  static constexpr int across_passes = units / across_threads;
  static constexpr int depth_passes = (Depth + depth_threads - 1) / depth_threads;
  static constexpr int across_step = across_threads * Elements;
  static constexpr int depth_step = depth_threads;
  static_assert(units % across_threads == 0 && Threads % (Lanes * across_threads) == 0);

  static __device__ int first_across(int thread) {
    return thread / Lanes % across_threads * Elements;
  }
  static __device__ int first_depth(int thread) {
    return thread % Lanes + thread / (Lanes * across_threads) * Lanes;
  }
};

/// Lanes of a warp that lie along the depth where that is contiguous: they fill a 32-byte sector,
/// and the warp's other lanes the banks of shared memory beside them.
template <class T, int Depth>
constexpr int depth_lanes = sizeof(T) >= 32 ? 1
                                            : (32 / static_cast<int>(sizeof(T)) < Depth
                                                   ? 32 / static_cast<int>(sizeof(T))
                                                   : Depth);

/// A tile as rows of `Across` elements, `Pad` more apart: rows start at different banks, for stores
/// of neighbours in depth and loads of fragments, and at multiples of 16 bytes.
template <class T, int Across, int Depth, int Pad>
struct across_rows {
  static constexpr int pitch = Across + Pad;
  static constexpr int elements = Depth * pitch;

  static __device__ int place(int across, int depth) { return depth * pitch + across; }
};

/// A tile as rows of `Depth` elements, four more apart: fragments of four depths of neighbouring
/// rows touch all banks. Changing places within rows instead saves a fifth of the memory, but its
/// addresses took the registers that a second set of fragments needs.
template <class T, int Across, int Depth>
struct depth_rows {
  static constexpr int pitch = Depth + 4;
  static constexpr int elements = Across * pitch;

  static __device__ int place(int across, int depth) { return across * pitch + depth; }
};

/// RepeatsElements: what lies outside the matrix is the tile's first element again, where it would
/// be zero bits, which need be no element of a user's.
template <class T, int Across, int Depth, int Pitch, int Threads, bool RepeatsElements>
class async_reader {
  static constexpr int bytes = sizeof(T);
  static constexpr int vector = 16 / bytes;
  static constexpr int lanes = depth_lanes<T, Depth>;
  using walk_along_depth = tile_walk<Across, Depth, Threads, 1, lanes>;
  using walk_along_across = tile_walk<Across, Depth, Threads, 1, 1>;
  using walk_of_vectors = tile_walk<Across, Depth, Threads, vector, 1>;

 public:
  /// `first` is the tile's first element, of which `across_left` exist side by side.
  __device__ async_reader(T const* first, index across_stride, index depth_stride,
                          index across_left, gemm_reading how)
      : how_(how), per_tile_(depth_stride * (Depth * bytes)) {
    if (how_ == gemm_reading::vectors_along_depth) how_ = gemm_reading::along_depth;
    // A block at an edge that cuts vectors reads elements.
    if (how_ == gemm_reading::vectors && across_left < Across && across_left % vector != 0)
      how_ = gemm_reading::along_across;
    if (how_ == gemm_reading::vectors)
      place<walk_of_vectors>(first, across_stride, depth_stride, across_left);
    else if (how_ == gemm_reading::along_depth)
      place<walk_along_depth>(first, across_stride, depth_stride, across_left);
    else place<walk_along_across>(first, across_stride, depth_stride, across_left);
  }

  /// Starts to copy the next tile to `tile`, of which depth_left rows exist; the rest becomes zero.
  /// All in part 0 of the calls for a tile, which advance() ends.
  __device__ void start(T* tile, int depth_left, int part, int) const {
    if (part != 0 || depth_left <= 0) return;
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    if (is_whole_ && depth_left >= Depth) copy_tile<true>(to, depth_left);
    else copy_tile<false>(to, depth_left);
  }
  __device__ void advance() { from_ += per_tile_; }

  /// Whether start_whole() can copy tiles that no end of the depth cuts.
  __device__ bool has_whole_tiles() const { return is_whole_ && how_ == gemm_reading::vectors; }
  /// start() of such a tile, without a branch and by parts.
  __device__ void start_whole(T* tile, int part, int parts) const {
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    copy<walk_of_vectors, 16, true>(to, Depth, depth_step_, part, parts);
  }

 private:
  template <class Walk>
  __device__ void place(T const* first, index across_stride, index depth_stride,
                        index across_left) {
    int const across = Walk::first_across(static_cast<int>(threadIdx.x));
    int const from = RepeatsElements && across >= across_left ? 0 : across;
    depth_ = Walk::first_depth(static_cast<int>(threadIdx.x));
    from_ = reinterpret_cast<char const*>(first + from * across_stride + depth_ * depth_stride);
    to_ = static_cast<unsigned>((depth_ * Pitch + across) * bytes);
    across_step_ = across_stride * (Walk::across_step * bytes);
    depth_step_ = depth_stride * (Walk::depth_step * bytes);
    is_whole_ = across_left >= Across;
    inside_ = 0;
    for (int pass = 0; pass < Walk::across_passes; ++pass)
      inside_ |= static_cast<unsigned>(across + pass * Walk::across_step < across_left) << pass;
  }

  template <bool IsWhole>
  __device__ void copy_tile(unsigned to, int depth_left) const {
    if (how_ == gemm_reading::vectors)
      copy<walk_of_vectors, 16, IsWhole>(to, depth_left, depth_step_);
    else if (how_ == gemm_reading::along_depth)
      copy<walk_along_depth, bytes, IsWhole>(to, depth_left, walk_along_depth::depth_step * bytes);
    else copy<walk_along_across, bytes, IsWhole>(to, depth_left, depth_step_);
  }

  template <class Walk, int Bytes, bool IsWhole>
  __device__ void copy(unsigned to, int depth_left, index depth_step, int part = 0,
                       int parts = 1) const {
    constexpr int passes = Walk::across_passes * Walk::depth_passes;
    char const* row = from_;
#pragma unroll
    for (int a = 0; a < Walk::across_passes; ++a) {
      bool const is_inside = IsWhole || (inside_ >> a & 1u) != 0;
      char const* from = RepeatsElements && !is_inside ? from_ : row;
#pragma unroll
      for (int d = 0; d < Walk::depth_passes; ++d) {
        int const depth = depth_ + d * Walk::depth_step;
        int const pass = a * Walk::depth_passes + d;
        bool const is_in_part = pass >= passes * part / parts && pass < passes * (part + 1) / parts;
        if (is_in_part && (Walk::depth_passes * Walk::depth_step == Depth || depth < Depth)) {
          int const offset = (d * Walk::depth_step * Pitch + a * Walk::across_step) * bytes;
          copy_async<Bytes>(
              to + offset, from,
              IsWhole || ((is_inside || RepeatsElements) && depth < depth_left) ? Bytes : 0);
        }
        from += depth_step;
      }
      row += across_step_;
    }
  }

  gemm_reading how_;
  int depth_;
  unsigned to_;
  unsigned inside_;
  bool is_whole_;
  char const* from_;
  index across_step_;
  index depth_step_;
  index per_tile_;
};

/// Of an operand that is contiguous along the depth, to depth_rows.
template <class T, int Across, int Depth, int Threads>
class depth_reader {
  static constexpr int bytes = sizeof(T);
  static constexpr int pitch = depth_rows<T, Across, Depth>::pitch;

 public:
  __device__ depth_reader(T const* first, index across_stride, index, index across_left,
                          gemm_reading how)
      : by_vectors_(how == gemm_reading::vectors_along_depth || bytes == 16),
        is_whole_(across_left >= Across) {
    int const units = by_vectors_ ? Depth * bytes / 16 : Depth;
    int const thread = static_cast<int>(threadIdx.x);
    depth_ = thread % units * (Depth / units);
    int const across = thread / units;
    int const step = Threads / units;
    from_ = reinterpret_cast<char const*>(first + across * across_stride + depth_);
    to_ = static_cast<unsigned>(depth_rows<T, Across, Depth>::place(across, depth_) * bytes);
    across_step_ = across_stride * (step * bytes);
    rows_left_ = is_whole_ ? Across - across : static_cast<int>(across_left) - across;
  }

  __device__ void start(T* tile, int depth_left, int part, int) const {
    if (part != 0 || depth_left <= 0) return;
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    if (by_vectors_) copy<16>(to, depth_left);
    else copy<bytes>(to, depth_left);
  }
  __device__ void advance() { from_ += Depth * bytes; }

  __device__ bool has_whole_tiles() const { return is_whole_ && by_vectors_; }
  __device__ void start_whole(T* tile, int part, int parts) const {
    copy_whole<16>(static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_, part, parts);
  }

 private:
  template <int Bytes>
  static constexpr int step = Threads / (Depth * bytes / Bytes);
  template <int Bytes>
  static constexpr int passes = Across / step<Bytes>;

  template <int Bytes>
  __device__ void copy_whole(unsigned to, int part, int parts) const {
    char const* from = from_;
#pragma unroll
    for (int pass = 0; pass < passes<Bytes>; ++pass, from += across_step_)
      if (pass >= passes<Bytes> * part / parts && pass < passes<Bytes> * (part + 1) / parts)
        copy_async<Bytes>(to + pass * step<Bytes> * pitch * bytes, from, Bytes);
  }

  template <int Bytes>
  __device__ void copy(unsigned to, int depth_left) const {
    static_assert(Across % step<Bytes> == 0);
    char const* from = from_;
    if (is_whole_ && depth_left >= Depth) {
      copy_whole<Bytes>(to, 0, 1);
    } else {
      int const left = (depth_left - depth_) * bytes;
      int const count = left >= Bytes ? Bytes : left > 0 ? left : 0;
#pragma unroll 1  // or its conditions stay in registers throughout the kernel
      for (int pass = 0; pass < passes<Bytes>; ++pass, from += across_step_)
        copy_async<Bytes>(to + pass * step<Bytes> * pitch * bytes, from,
                          pass * step<Bytes> < rows_left_ ? count : 0);
    }
  }

  bool by_vectors_;
  bool is_whole_;
  int depth_;
  int rows_left_;
  unsigned to_;
  char const* from_;
  index across_step_;
};

/// Through registers: loads are under way while the tile before is multiplied. read(element) makes
/// K of an element of the operand. RepeatsElements as in async_reader; else what lies outside the
/// matrix is whatever the registers held.
template <class T, class K, int Across, int Depth, int Pitch, int Threads, bool RepeatsElements>
class converting_reader {
  static constexpr int lanes = depth_lanes<T, Depth>;
  using walk_along_depth = tile_walk<Across, Depth, Threads, 1, lanes>;
  using walk_along_across = tile_walk<Across, Depth, Threads, 1, 1>;
  static constexpr int passes = (walk_along_depth::depth_passes * walk_along_depth::across_passes);
  static_assert(passes == walk_along_across::depth_passes * walk_along_across::across_passes);

 public:
  __device__ converting_reader(T const* first, index across_stride, index depth_stride,
                               index across_left, gemm_reading how)
      : along_depth_(how == gemm_reading::along_depth || how == gemm_reading::vectors_along_depth),
        first_(first),
        across_stride_(across_stride),
        depth_stride_(depth_stride),
        across_left_(across_left < Across ? static_cast<int>(across_left) : Across) {}

  template <class Read>
  __device__ void start(int depth_left, Read const& read) {
    visit([&](int pass, int across, int depth) {
      bool const is_inside = across < across_left_;
      int const from = RepeatsElements && !is_inside ? 0 : across;
      if ((is_inside || RepeatsElements) && depth < depth_left)
        held_[pass] = read(first_[from * across_stride_ + depth * depth_stride_]);
    });
    first_ += Depth * depth_stride_;
  }
  __device__ void finish(K* tile) {
    visit([&](int pass, int across, int depth) { tile[depth * Pitch + across] = held_[pass]; });
  }

 private:
  template <class Walk, class Visit>
  __device__ static void visit_walk(Visit const& visit) {
    int const across = Walk::first_across(static_cast<int>(threadIdx.x));
    int const depth = Walk::first_depth(static_cast<int>(threadIdx.x));
#pragma unroll
    for (int d = 0; d < Walk::depth_passes; ++d)
#pragma unroll
      for (int a = 0; a < Walk::across_passes; ++a)
        if (Walk::depth_passes * Walk::depth_step == Depth || depth + d * Walk::depth_step < Depth)
          visit(d * Walk::across_passes + a, across + a * Walk::across_step,
                depth + d * Walk::depth_step);
  }
  template <class Visit>
  __device__ void visit(Visit const& each) const {
    if (along_depth_) visit_walk<walk_along_depth>(each);
    else visit_walk<walk_along_across>(each);
  }

  bool along_depth_;
  T const* first_;
  index across_stride_;
  index depth_stride_;
  int across_left_;
  K held_[passes];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
