// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How tiles of A and B reach shared memory. mn_major_loader lays a tile as rows of `Across`
// elements (rows of A, columns of B), whatever the operand's strides, so one kernel serves every
// layout: what is contiguous along the depth is turned on the way. k_major_loader keeps what is
// contiguous along the depth so. Both copy elements as they are, without registers;
// converting_loader takes any type.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How a block walks an operand.
enum class operand_access : int {
  k_major,         // by elements, contiguous along the depth, neighbouring threads too
  mn_major,        // by elements, neighbouring threads across it
  mn_major_vec16,  // 16 bytes of neighbours across the depth, which are aligned
  k_major_vec16
};

/// Copies the first `count` of Bytes from global to shared memory, and zeros after them; ready
/// after cp_async_wait().
template <int Bytes>
__device__ inline void cp_async(unsigned to, void const* from, int count) {
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
__device__ inline void cp_async_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most so many of the latest groups of this thread are under way.
template <int Groups>
__device__ inline void cp_async_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

/// Which units of a tile, of `Elements` elements across, a thread moves: every pass moves one, and
/// passes go across first. Groups of Lanes threads lie along the depth.
template <int MN, int K_Extent, int Threads, int Elements, int Lanes>
struct thread_map {
  static constexpr int accesses = MN / Elements;
  static constexpr int mn_threads = least_of(Threads / Lanes, accesses);
  static constexpr int k_threads = Threads / mn_threads;
  static constexpr int mn_passes = accesses / mn_threads;
  static constexpr int k_passes = (K_Extent + k_threads - 1) / k_threads;
  static constexpr int mn_step = mn_threads * Elements;
  static constexpr int k_step = k_threads;
  static_assert(accesses % mn_threads == 0 && Threads % (Lanes * mn_threads) == 0);

  static __device__ int first_mn(int thread) { return thread / Lanes % mn_threads * Elements; }
  static __device__ int first_k(int thread) {
    return thread % Lanes + thread / (Lanes * mn_threads) * Lanes;
  }
};

/// Lanes of a warp that lie along the depth where that is contiguous: they fill a 32-byte sector,
/// and the warp's other lanes the banks of shared memory beside them.
template <class T, int K_Extent>
constexpr int k_lanes = sizeof(T) >= 32 ? 1
                                        : (32 / static_cast<int>(sizeof(T)) < K_Extent
                                               ? 32 / static_cast<int>(sizeof(T))
                                               : K_Extent);

/// A tile as rows of `Across` elements, `Pad` more apart: rows start at different banks, for stores
/// of neighbours in depth and loads of fragments, and at multiples of 16 bytes.
template <class T, int MN, int K_Extent, int Pad>
struct mn_major_tile {
  static constexpr int pitch = MN + Pad;
  static constexpr int elements = K_Extent * pitch;

  static __device__ int offset(int mn, int k) { return k * pitch + mn; }
};

/// A tile as rows of `Depth` elements, four more apart: fragments of four depths of neighbouring
/// rows touch all banks. Changing places within rows instead saves a fifth of the memory, but its
/// addresses took the registers that a second set of fragments needs.
template <class T, int MN, int K_Extent>
struct k_major_tile {
  static constexpr int pitch = K_Extent + 4;
  static constexpr int elements = MN * pitch;

  static __device__ int offset(int mn, int k) { return mn * pitch + k; }
};

/// RepeatsElements: what lies outside the matrix is the tile's first element again, where it would
/// be zero bits, which need be no element of a user's.
template <class T, int MN, int K_Extent, int Pitch, int Threads, bool RepeatsElements>
class mn_major_loader {
  static constexpr int bytes = sizeof(T);
  static constexpr int vector = 16 / bytes;
  static constexpr int lanes = k_lanes<T, K_Extent>;
  using k_major_map = thread_map<MN, K_Extent, Threads, 1, lanes>;
  using mn_major_map = thread_map<MN, K_Extent, Threads, 1, 1>;
  using vec16_map = thread_map<MN, K_Extent, Threads, vector, 1>;

 public:
  /// `first` is the tile's first element, of which `mn_left` exist side by side.
  __device__ mn_major_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                             operand_access how)
      : how_(how), per_tile_(k_stride * (K_Extent * bytes)) {
    if (how_ == operand_access::k_major_vec16) how_ = operand_access::k_major;
    // A block at an edge that cuts vectors reads elements.
    if (how_ == operand_access::mn_major_vec16 && mn_left < MN && mn_left % vector != 0)
      how_ = operand_access::mn_major;
    if (how_ == operand_access::mn_major_vec16)
      offset<vec16_map>(first, mn_stride, k_stride, mn_left);
    else if (how_ == operand_access::k_major)
      offset<k_major_map>(first, mn_stride, k_stride, mn_left);
    else offset<mn_major_map>(first, mn_stride, k_stride, mn_left);
  }

  /// Starts to copy the next tile to `tile`, of which k_left rows exist; the rest becomes zero.
  /// All in part 0 of the calls for a tile, which advance() ends.
  __device__ void start(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    if (is_interior_ && k_left >= K_Extent) copy_tile<true>(to, k_left);
    else copy_tile<false>(to, k_left);
  }
  __device__ void advance() { from_ += per_tile_; }

  /// Whether load_unpredicated() can copy tiles that no end of the depth cuts.
  __device__ bool can_load_unpredicated() const {
    return is_interior_ && how_ == operand_access::mn_major_vec16;
  }
  /// start() of such a tile, without a branch and by parts.
  __device__ void load_unpredicated(T* tile, int part, int parts) const {
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    copy<vec16_map, 16, true>(to, K_Extent, k_step_, part, parts);
  }

 private:
  template <class ThreadMap>
  __device__ void offset(T const* first, index mn_stride, index k_stride, index mn_left) {
    int const mn = ThreadMap::first_mn(static_cast<int>(threadIdx.x));
    int const from = RepeatsElements && mn >= mn_left ? 0 : mn;
    k_ = ThreadMap::first_k(static_cast<int>(threadIdx.x));
    from_ = reinterpret_cast<char const*>(first + from * mn_stride + k_ * k_stride);
    to_ = static_cast<unsigned>((k_ * Pitch + mn) * bytes);
    mn_step_ = mn_stride * (ThreadMap::mn_step * bytes);
    k_step_ = k_stride * (ThreadMap::k_step * bytes);
    is_interior_ = mn_left >= MN;
    inside_ = 0;
    for (int pass = 0; pass < ThreadMap::mn_passes; ++pass)
      inside_ |= static_cast<unsigned>(mn + pass * ThreadMap::mn_step < mn_left) << pass;
  }

  template <bool IsInterior>
  __device__ void copy_tile(unsigned to, int k_left) const {
    if (how_ == operand_access::mn_major_vec16)
      copy<vec16_map, 16, IsInterior>(to, k_left, k_step_);
    else if (how_ == operand_access::k_major)
      copy<k_major_map, bytes, IsInterior>(to, k_left, k_major_map::k_step * bytes);
    else copy<mn_major_map, bytes, IsInterior>(to, k_left, k_step_);
  }

  template <class ThreadMap, int Bytes, bool IsInterior>
  __device__ void copy(unsigned to, int k_left, index k_step, int part = 0, int parts = 1) const {
    constexpr int passes = ThreadMap::mn_passes * ThreadMap::k_passes;
    char const* row = from_;
#pragma unroll
    for (int a = 0; a < ThreadMap::mn_passes; ++a) {
      bool const is_inside = IsInterior || (inside_ >> a & 1u) != 0;
      char const* from = RepeatsElements && !is_inside ? from_ : row;
#pragma unroll
      for (int d = 0; d < ThreadMap::k_passes; ++d) {
        int const k = k_ + d * ThreadMap::k_step;
        int const pass = a * ThreadMap::k_passes + d;
        bool const is_in_part = pass >= passes * part / parts && pass < passes * (part + 1) / parts;
        if (is_in_part && (ThreadMap::k_passes * ThreadMap::k_step == K_Extent || k < K_Extent)) {
          int const offset = (d * ThreadMap::k_step * Pitch + a * ThreadMap::mn_step) * bytes;
          cp_async<Bytes>(to + offset, from,
                          IsInterior || ((is_inside || RepeatsElements) && k < k_left) ? Bytes : 0);
        }
        from += k_step;
      }
      row += mn_step_;
    }
  }

  operand_access how_;
  int k_;
  unsigned to_;
  unsigned inside_;
  bool is_interior_;
  char const* from_;
  index mn_step_;
  index k_step_;
  index per_tile_;
};

/// Of an operand that is contiguous along the depth, to k_major_tile.
template <class T, int MN, int K_Extent, int Threads>
class k_major_loader {
  static constexpr int bytes = sizeof(T);
  static constexpr int pitch = k_major_tile<T, MN, K_Extent>::pitch;

 public:
  __device__ k_major_loader(T const* first, index mn_stride, index, index mn_left,
                            operand_access how)
      : by_vec16_(how == operand_access::k_major_vec16 || bytes == 16),
        is_interior_(mn_left >= MN) {
    int const accesses = by_vec16_ ? K_Extent * bytes / 16 : K_Extent;
    int const thread = static_cast<int>(threadIdx.x);
    k_ = thread % accesses * (K_Extent / accesses);
    int const mn = thread / accesses;
    int const step = Threads / accesses;
    from_ = reinterpret_cast<char const*>(first + mn * mn_stride + k_);
    to_ = static_cast<unsigned>(k_major_tile<T, MN, K_Extent>::offset(mn, k_) * bytes);
    mn_step_ = mn_stride * (step * bytes);
    rows_left_ = is_interior_ ? MN - mn : static_cast<int>(mn_left) - mn;
  }

  __device__ void start(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    if (by_vec16_) copy<16>(to, k_left);
    else copy<bytes>(to, k_left);
  }
  __device__ void advance() { from_ += K_Extent * bytes; }

  __device__ bool can_load_unpredicated() const { return is_interior_ && by_vec16_; }
  __device__ void load_unpredicated(T* tile, int part, int parts) const {
    copy_whole<16>(static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_, part, parts);
  }

 private:
  template <int Bytes>
  static constexpr int step = Threads / (K_Extent * bytes / Bytes);
  template <int Bytes>
  static constexpr int passes = MN / step<Bytes>;

  template <int Bytes>
  __device__ void copy_whole(unsigned to, int part, int parts) const {
    char const* from = from_;
#pragma unroll
    for (int pass = 0; pass < passes<Bytes>; ++pass, from += mn_step_)
      if (pass >= passes<Bytes> * part / parts && pass < passes<Bytes> * (part + 1) / parts)
        cp_async<Bytes>(to + pass * step<Bytes> * pitch * bytes, from, Bytes);
  }

  template <int Bytes>
  __device__ void copy(unsigned to, int k_left) const {
    static_assert(MN % step<Bytes> == 0);
    char const* from = from_;
    if (is_interior_ && k_left >= K_Extent) {
      copy_whole<Bytes>(to, 0, 1);
    } else {
      int const left = (k_left - k_) * bytes;
      int const count = left >= Bytes ? Bytes : left > 0 ? left : 0;
#pragma unroll 1  // or its conditions stay in registers throughout the kernel
      for (int pass = 0; pass < passes<Bytes>; ++pass, from += mn_step_)
        cp_async<Bytes>(to + pass * step<Bytes> * pitch * bytes, from,
                        pass * step<Bytes> < rows_left_ ? count : 0);
    }
  }

  bool by_vec16_;
  bool is_interior_;
  int k_;
  int rows_left_;
  unsigned to_;
  char const* from_;
  index mn_step_;
};

/// Through registers: loads are under way while the tile before is multiplied. read(element) makes
/// K of an element of the operand. RepeatsElements as in mn_major_loader; else what lies outside
/// the matrix is whatever the registers held.
template <class T, class K, int MN, int K_Extent, int Pitch, int Threads, bool RepeatsElements>
class converting_loader {
  static constexpr int lanes = k_lanes<T, K_Extent>;
  using k_major_map = thread_map<MN, K_Extent, Threads, 1, lanes>;
  using mn_major_map = thread_map<MN, K_Extent, Threads, 1, 1>;
  static constexpr int passes = (k_major_map::k_passes * k_major_map::mn_passes);
  static_assert(passes == mn_major_map::k_passes * mn_major_map::mn_passes);

 public:
  __device__ converting_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                               operand_access how)
      : is_k_major_(how == operand_access::k_major || how == operand_access::k_major_vec16),
        first_(first),
        mn_stride_(mn_stride),
        k_stride_(k_stride),
        mn_left_(mn_left < MN ? static_cast<int>(mn_left) : MN) {}

  template <class Read>
  __device__ void start(int k_left, Read const& read) {
    visit([&](int pass, int mn, int k) {
      bool const is_inside = mn < mn_left_;
      int const from = RepeatsElements && !is_inside ? 0 : mn;
      if ((is_inside || RepeatsElements) && k < k_left)
        held_[pass] = read(first_[from * mn_stride_ + k * k_stride_]);
    });
    first_ += K_Extent * k_stride_;
  }
  __device__ void finish(K* tile) {
    visit([&](int pass, int mn, int k) { tile[k * Pitch + mn] = held_[pass]; });
  }

 private:
  template <class ThreadMap, class Visit>
  __device__ static void visit_map(Visit const& visit) {
    int const mn = ThreadMap::first_mn(static_cast<int>(threadIdx.x));
    int const k = ThreadMap::first_k(static_cast<int>(threadIdx.x));
#pragma unroll
    for (int d = 0; d < ThreadMap::k_passes; ++d)
#pragma unroll
      for (int a = 0; a < ThreadMap::mn_passes; ++a)
        if (ThreadMap::k_passes * ThreadMap::k_step == K_Extent ||
            k + d * ThreadMap::k_step < K_Extent)
          visit(d * ThreadMap::mn_passes + a, mn + a * ThreadMap::mn_step,
                k + d * ThreadMap::k_step);
  }
  template <class Visit>
  __device__ void visit(Visit const& each) const {
    if (is_k_major_) visit_map<k_major_map>(each);
    else visit_map<mn_major_map>(each);
  }

  bool is_k_major_;
  T const* first_;
  index mn_stride_;
  index k_stride_;
  int mn_left_;
  K held_[passes];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
