// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Loaders: how tiles of A and B get from global to shared memory. The extent of a tile that is not
// k (rows of A, columns of B) is called MN here.
//
//   mn_major_loader     any strides -> MN-major tile; a K-major operand is transposed on the way,
//                       in kernels of K-major operands without a branch
//   k_major_loader      K-major operand -> K-major tile
//   converting_loader   any type and strides -> MN-major tile, converted in registers
//
// The first two copy elements as they are, by cp.async. gemm/sm80/swizzled_tiles.cuh has others.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/cuda/ptx/cp_async.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <numeric>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How a block reads an operand.
enum class operand_access : int {
  k_major,         // by elements; neighbouring threads have neighbouring k, which is contiguous
  mn_major,        // by elements; neighbouring threads have neighbouring rows of A (columns of B)
  mn_major_vec16,  // by aligned vectors of 16 bytes along MN
  k_major_vec16    // by aligned vectors of 16 bytes along k
};

/// Which elements of a tile a thread moves: every pass moves one access of `Elements` along MN, and
/// passes go along MN first. Groups of Lanes threads lie along k.
template <int MN, int TileK, int Threads, int Elements, int Lanes>
struct thread_map {
  static constexpr int accesses = MN / Elements;
  // As many as divide MN, or a part of them that does, of tiles of 48, 80 and 96.
  static constexpr int most_mn_threads = least_of(Threads / Lanes, accesses);
  static constexpr int mn_threads =
      accesses % most_mn_threads == 0 && Threads % (Lanes * most_mn_threads) == 0
          ? most_mn_threads
          : std::gcd(Threads / Lanes, accesses);
  static constexpr int k_threads = Threads / mn_threads;
  static constexpr int mn_passes = accesses / mn_threads;
  static constexpr int k_passes = ceil_div(TileK, k_threads);
  static constexpr int mn_step = mn_threads * Elements;
  static constexpr int k_step = k_threads;
  static_assert(accesses % mn_threads == 0 && Threads % (Lanes * mn_threads) == 0);

  static __device__ int first_mn(int thread) { return thread / Lanes % mn_threads * Elements; }
  static __device__ int first_k(int thread) {
    return thread % Lanes + thread / (Lanes * mn_threads) * Lanes;
  }
};

/// Lanes of a warp that lie along k where k is contiguous: they fill a 32-byte sector, and the
/// warp's other lanes fill the neighbouring banks of shared memory.
template <class T, int TileK>
constexpr int k_lanes = sizeof(T) >= 32 ? 1
                                        : (32 / static_cast<int>(sizeof(T)) < TileK
                                               ? 32 / static_cast<int>(sizeof(T))
                                               : TileK);

/// A tile as one row of MN elements for each k. `Pad` elements between rows make them start at
/// different banks, for stores along k and loads of fragments, and at multiples of 16 bytes.
/// IsOfKMajor: of an operand that is K-major. HidesK: of a kernel that has no registers left.
template <class T, int MN, int TileK, int Pad, bool IsOfKMajor = false, bool HidesK = false>
struct mn_major_tile {
  static constexpr bool hides_k = HidesK;
  static constexpr int pitch = MN + Pad;
  static constexpr int elements = TileK * pitch;

  static __device__ int offset(int mn, int k) { return k * pitch + mn; }
};

/// A tile as one row of TileK elements for each MN, padded by four: fragments of four k of
/// neighbouring rows touch all banks. A swizzle instead saves a fifth of the memory, but its
/// addresses took the registers that a second buffer of fragments needs.
template <class T, int MN, int TileK>
struct k_major_tile {
  static constexpr int pitch = TileK + 4;
  static constexpr int elements = MN * pitch;

  static __device__ int offset(int mn, int k) { return mn * pitch + k; }
};

/// RepeatsElements: the tile's first element stands for what lies outside the matrix, instead of
/// zero bits, which may be no element of a user's type. IsOfKMajor: the operand is K-major, and
/// known to be where the kernel is compiled. HidesK: the compiler does not see through what the k
/// of each pass is compared with. Else it keeps all of them in registers throughout the kernel,
/// which is faster where registers are left (up to 9 % for c64 16x64, 6 % for f64 128x64; H100,
/// 2026-11-26), and spills where they are not.
template <class T, int MN, int TileK, int Pitch, int Threads, bool RepeatsElements,
          bool IsOfKMajor = false, bool HidesK = false>
class mn_major_loader {
  static constexpr int bytes = sizeof(T);
  static constexpr int vector = 16 / bytes;
  static constexpr int lanes = k_lanes<T, TileK>;
  using k_major_map = thread_map<MN, TileK, Threads, 1, lanes>;
  using mn_major_map = thread_map<MN, TileK, Threads, 1, 1>;
  using vec16_map = thread_map<MN, TileK, Threads, vector, 1>;

 public:
  /// `first`: the tile's first element; `mn_left` elements exist along MN.
  __device__ mn_major_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                             operand_access how)
      : how_(IsOfKMajor ? operand_access::k_major : how), per_tile_(k_stride * (TileK * bytes)) {
    if (how_ == operand_access::k_major_vec16) how_ = operand_access::k_major;
    // A block at an edge that cuts a vector reads elements.
    if (how_ == operand_access::mn_major_vec16 && mn_left < MN && mn_left % vector != 0)
      how_ = operand_access::mn_major;
    if (how_ == operand_access::mn_major_vec16)
      start_at<vec16_map>(first, mn_stride, k_stride, mn_left);
    else if (how_ == operand_access::k_major)
      start_at<k_major_map>(first, mn_stride, k_stride, mn_left);
    else start_at<mn_major_map>(first, mn_stride, k_stride, mn_left);
  }

  /// Issues the copies of the next tile to `tile`; k_left of its k exist, the rest becomes zero.
  /// Part 0 issues them all. advance() follows the last part of a tile.
  __device__ void issue(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
    unsigned const to = smem_address(tile) + to_;
    if (is_interior_ && k_left >= TileK) copy_tile<true>(to, k_left);
    else copy_tile<false>(to, k_left);
  }
  __device__ void advance() { from_ += per_tile_; }

  /// Whether issue_unpredicated() can copy tiles that the end of k does not cut.
  __device__ bool can_issue_unpredicated() const {
    return is_interior_ && (IsOfKMajor || how_ == operand_access::mn_major_vec16);
  }
  /// issue() of such a tile, without a branch and in parts.
  __device__ void issue_unpredicated(T* tile, int part, int parts) const {
    unsigned const to = smem_address(tile) + to_;
    if constexpr (IsOfKMajor)
      copy<k_major_map, bytes, true>(to, TileK, k_major_map::k_step * bytes, part, parts);
    else copy<vec16_map, 16, true>(to, TileK, k_step_, part, parts);
  }

 private:
  template <class ThreadMap>
  __device__ void start_at(T const* first, index mn_stride, index k_stride, index mn_left) {
    int const mn = ThreadMap::first_mn(static_cast<int>(threadIdx.x));
    int const from = RepeatsElements && mn >= mn_left ? 0 : mn;
    k_ = ThreadMap::first_k(static_cast<int>(threadIdx.x));
    from_ = reinterpret_cast<char const*>(first + from * mn_stride + k_ * k_stride);
    to_ = static_cast<unsigned>((k_ * Pitch + mn) * bytes);
    mn_step_ = mn_stride * (ThreadMap::mn_step * bytes);
    k_step_ = k_stride * (ThreadMap::k_step * bytes);
    is_interior_ = mn_left >= MN;
    static_assert(ThreadMap::mn_passes <= 32);
    inside_ = 0;
    for (int pass = 0; pass < ThreadMap::mn_passes; ++pass)
      inside_ |= static_cast<unsigned>(mn + pass * ThreadMap::mn_step < mn_left) << pass;
  }

  template <bool IsInterior>
  __device__ void copy_tile(unsigned to, int k_left) const {
    if (!IsOfKMajor && how_ == operand_access::mn_major_vec16)
      copy<vec16_map, 16, IsInterior>(to, k_left, k_step_);
    else if (IsOfKMajor || how_ == operand_access::k_major)
      copy<k_major_map, bytes, IsInterior>(to, k_left, k_major_map::k_step * bytes);
    else copy<mn_major_map, bytes, IsInterior>(to, k_left, k_step_);
  }

  template <class ThreadMap, int Bytes, bool IsInterior>
  __device__ void copy(unsigned to, int k_left, index k_step, int part = 0, int parts = 1) const {
    constexpr int passes = ThreadMap::mn_passes * ThreadMap::k_passes;
    int left = k_left - k_;
    if constexpr (HidesK) asm volatile("" : "+r"(left));
    char const* row = from_;
#pragma unroll
    for (int a = 0; a < ThreadMap::mn_passes; ++a) {
      bool const is_inside = IsInterior || (inside_ >> a & 1u) != 0;
      char const* from = RepeatsElements && !is_inside ? from_ : row;
#pragma unroll
      for (int d = 0; d < ThreadMap::k_passes; ++d) {
        int const k = k_ + d * ThreadMap::k_step;
        bool const exists = HidesK ? d * ThreadMap::k_step < left : k < k_left;
        int const pass = a * ThreadMap::k_passes + d;
        bool const is_in_part = pass >= passes * part / parts && pass < passes * (part + 1) / parts;
        if (is_in_part && (ThreadMap::k_passes * ThreadMap::k_step == TileK || k < TileK)) {
          int const offset = (d * ThreadMap::k_step * Pitch + a * ThreadMap::mn_step) * bytes;
          cp_async<Bytes>(to + offset, from,
                          IsInterior || ((is_inside || RepeatsElements) && exists) ? Bytes : 0);
        }
        from += k_step;
      }
      row += mn_step_;
    }
  }

  operand_access how_;
  int k_;
  unsigned to_, inside_;
  bool is_interior_;
  char const* from_;
  index mn_step_, k_step_, per_tile_;
};

/// Loads a K-major operand into a k_major_tile.
template <class T, int MN, int TileK, int Threads>
class k_major_loader {
  static constexpr int bytes = sizeof(T);
  static constexpr int pitch = k_major_tile<T, MN, TileK>::pitch;

 public:
  __device__ k_major_loader(T const* first, index mn_stride, index, index mn_left,
                            operand_access how)
      : by_vec16_(how == operand_access::k_major_vec16 || bytes == 16),
        is_interior_(mn_left >= MN) {
    int const accesses = by_vec16_ ? TileK * bytes / 16 : TileK;
    int const thread = static_cast<int>(threadIdx.x);
    k_ = thread % accesses * (TileK / accesses);
    int const mn = thread / accesses;
    int const step = Threads / accesses;
    from_ = reinterpret_cast<char const*>(first + mn * mn_stride + k_);
    to_ = static_cast<unsigned>(k_major_tile<T, MN, TileK>::offset(mn, k_) * bytes);
    mn_step_ = mn_stride * (step * bytes);
    rows_left_ = is_interior_ ? MN - mn : static_cast<int>(mn_left) - mn;
  }

  __device__ void issue(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
    unsigned const to = smem_address(tile) + to_;
    if (by_vec16_) copy<16>(to, k_left);
    else copy<bytes>(to, k_left);
  }
  __device__ void advance() { from_ += TileK * bytes; }

  __device__ bool can_issue_unpredicated() const { return is_interior_ && by_vec16_; }
  __device__ void issue_unpredicated(T* tile, int part, int parts) const {
    copy_interior<16>(smem_address(tile) + to_, part, parts);
  }

 private:
  template <int Bytes>
  static constexpr int step = Threads / (TileK * bytes / Bytes);
  template <int Bytes>
  static constexpr int passes = MN / step<Bytes>;

  template <int Bytes>
  __device__ void copy_interior(unsigned to, int part, int parts) const {
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
    if (is_interior_ && k_left >= TileK) {
      copy_interior<Bytes>(to, 0, 1);
    } else {
      int const left = (k_left - k_) * bytes;
      int const count = left >= Bytes ? Bytes : left > 0 ? left : 0;
#pragma unroll 1  // unrolled, its predicates would stay in registers throughout the kernel
      for (int pass = 0; pass < passes<Bytes>; ++pass, from += mn_step_)
        cp_async<Bytes>(to + pass * step<Bytes> * pitch * bytes, from,
                        pass * step<Bytes> < rows_left_ ? count : 0);
    }
  }

  bool by_vec16_;
  bool is_interior_;
  int k_, rows_left_;
  unsigned to_;
  char const* from_;
  index mn_step_;
};

/// Loads through registers: global loads are in flight while the previous tile is multiplied.
/// read(element) makes K of an element of the operand. RepeatsElements as in mn_major_loader;
/// without it, what lies outside the matrix is whatever the registers held.
template <class T, class K, int MN, int TileK, int Pitch, int Threads, bool RepeatsElements>
class converting_loader {
  static constexpr int lanes = k_lanes<T, TileK>;
  using k_major_map = thread_map<MN, TileK, Threads, 1, lanes>;
  using mn_major_map = thread_map<MN, TileK, Threads, 1, 1>;
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
  __device__ void load(int k_left, Read const& read) {
    visit([&](int pass, int mn, int k) {
      bool const is_inside = mn < mn_left_;
      int const from = RepeatsElements && !is_inside ? 0 : mn;
      if ((is_inside || RepeatsElements) && k < k_left)
        held_[pass] = read(first_[from * mn_stride_ + k * k_stride_]);
    });
    first_ += TileK * k_stride_;
  }
  __device__ void store(K* tile) {
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
        if (ThreadMap::k_passes * ThreadMap::k_step == TileK || k + d * ThreadMap::k_step < TileK)
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
  index mn_stride_, k_stride_;
  int mn_left_;
  K held_[passes];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
