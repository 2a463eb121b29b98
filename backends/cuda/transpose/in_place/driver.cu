// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose_inplace on a CUDA device. Batches of matrices that fit a block's shared memory, and one
// rectangle of up to 32 KB (elements of several words 8 KB): a block each, or less. Other squares:
// pairs of tiles are swapped. Rectangles of up to 2^16 elements and 640 KB: a cluster each. Others:
// through a workspace.

#include <xpose/backends/cuda/transpose/in_place/rectangle_in_cluster.cuh>
#include <xpose/backends/cuda/transpose/in_place/swap_tiles_unaligned.cuh>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/runtime/workspace.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// An element of N words.
template <int W, int N>
struct words_of_element {
  typename word_of<W>::type words[N];
};

/// What a square's rows are, and a config asks of them at least: each includes those before it.
enum class swap_rows {
  cache_lines,  // contiguous, at multiples of 128 bytes from the first
  aligned,      // contiguous, at multiples of 16 bytes
  contiguous,   // at any address
  any,
};

/// A kernel for blocks that swap two tiles.
struct swap_kernel {
  int side;  // of a tile
  int threads;
  int smem_bytes;  // of both tiles
  void (*swap)(square_problem p);
  void (*swap_even)(square_problem p) = nullptr;  // for rows an even number of elements apart
};

template <int W, int Side, int Threads, int MinBlocks>
constexpr swap_kernel aligned{Side, Threads, 2 * aligned_tile<W, Side, Side, Threads>::shared_bytes,
                              swap_aligned<W, Side, Threads, MinBlocks>};
template <int W, int N, int Side, int Threads, int Columns, int MinBlocks>
struct unaligned_swaps {
  template <class Words>
  static constexpr auto* with = swap_unaligned<W, N, Side, Threads, Columns, MinBlocks, Words>;

  /// Words by slot: a square with an odd number of elements to a row gains.
  static constexpr auto* any() {
    return with<std::conditional_t<W * N == 1, words_in_order, words_by_slot<W>>>;
  }
  /// With an even one, 2 bytes lose (3002 square 15.8 us, in order 15.3, 12006 square 175.8,
  /// 173.9), and so do 3 bytes, counted in rounds of the banks; 4 and 8 bytes take as many (H200,
  /// 2026-11-28).
  static constexpr decltype(swap_kernel::swap) even() {
    if constexpr (W == 2 || N == 3) return with<words_in_order>;
    else return nullptr;
  }
};
template <int W, int N, int Side, int Threads, int Columns, int MinBlocks>
constexpr swap_kernel unaligned{Side, Threads,
                                2 * swap_tile_unaligned<W, N, Side, Threads, Columns>::shared_bytes,
                                unaligned_swaps<W, N, Side, Threads, Columns, MinBlocks>::any(),
                                unaligned_swaps<W, N, Side, Threads, Columns, MinBlocks>::even()};
template <class T, int Side = sizeof(T) <= 4    ? 64
                              : sizeof(T) <= 16 ? 32
                                                : 16>
constexpr swap_kernel strided{Side, swap_tile_strided<Side>::threads, 0, swap_strided<T, Side>};

struct swap_config {
  char const* name;  // as explain() shows it
  int word;          // bytes
  index element;     // words; 0: any number, one word at a time
  swap_rows rows;
  index from;      // elements along a side
  index pairs;     // of tiles, in all matrices, at least: a block has one
  int capability;  // 80 or 90: of the device, at least
  int band;        // rows of tiles in a band, if there are many
  swap_kernel kernel;
};

// The first config that fits. Numbers: shares of a copy of the same bytes on an H100 and an H200,
// of squares of the size that stands before them (CUDA 13.0, 2026-11-28). A block has the loads of
// both its tiles on their way before it stores either in shared memory: bytes of 8192 on the H200
// 0.95, one after the other 0.90. Bands bring 1 to 3 % where rows are aligned, 5 to 15 % elsewhere;
// tiles of 128 words instead of 64, 5 to 7 % beyond the second-level cache (H100, 2026-11-21). Few
// large tiles leave multiprocessors idle: 985x985 f32 0.96 and 0.89 in tiles of 32, 0.80 and 0.72
// in those of 64. Rows that begin within cache lines share lines with the next tiles: larger tiles
// and bands, or the kernel for any address.
// clang-format off
constexpr swap_config table[] = {
  // name                     W   N  rows                    from   pairs  cc  band kernel
  {"swap_aligned<1>",         1,  1, swap_rows::aligned,     12000, 0,     90, 8,   aligned<1, 256, 512, 1>},  // 16384 0.95, 0.96; 20016 0.85, 0.84
  {"swap_aligned<1>",         1,  1, swap_rows::cache_lines, 4096,  0,     80, 4,   aligned<1, 128, 256, 4>},  // 8192 0.95, 0.95
  {"swap_aligned<1>",         1,  1, swap_rows::aligned,     4096,  0,     80, 16,  aligned<1, 128, 256, 4>},  // 6800 0.85, 0.84
  {"swap_aligned<1>",         1,  1, swap_rows::aligned,     0,     0,     80, 1,   aligned<1, 64, 64, 16>},  // 1440 0.96, 0.96; 2832 0.92, 0.84
  {"swap_aligned<2>",         2,  1, swap_rows::cache_lines, 5000,  0,     80, 4,   aligned<2, 128, 512, 2>},  // 8192 0.96, 0.98
  {"swap_unaligned<2>",       2,  1, swap_rows::contiguous,  5000,  0,     80, 16,  unaligned<2, 1, 128, 512, 4, 2>},  // 12003 H200 0.84, words in order 0.76; 6808 0.87, 0.83
  {"swap_aligned<2>",         2,  1, swap_rows::aligned,     0,     0,     80, 2,   aligned<2, 64, 256, 8>},  // 1024 0.94, 0.95; 2824 0.87, 0.88
  {"swap_aligned<4>",         4,  1, swap_rows::cache_lines, 1600,  0,     80, 2,   aligned<4, 64, 256, 4>},  // 4096 0.97, 0.96
  {"swap_aligned<4>",         4,  1, swap_rows::aligned,     4096,  0,     90, 16,  aligned<4, 128, 512, 1>},  // 6812 0.90, 0.86
  {"swap_aligned<4>",         4,  1, swap_rows::aligned,     2000,  0,     80, 2,   aligned<4, 64, 256, 4>},  // 2444 0.91, 0.87
  {"swap_aligned<4>",         4,  1, swap_rows::aligned,     0,     0,     80, 1,   aligned<4, 32, 128, 12>},  // 984 1.09, 1.00
  {"swap_aligned<8>",         8,  1, swap_rows::cache_lines, 0,     0,     80, 2,   aligned<8, 32, 256, 8>},  // 2048 0.98, 0.97
  {"swap_unaligned<8>",       8,  1, swap_rows::contiguous,  2048,  0,     80, 16,  unaligned<8, 1, 64, 512, 4, 2>},  // 6814 0.90, 0.87; 2999 0.90, 0.90
  {"swap_aligned<8>",         8,  1, swap_rows::aligned,     0,     0,     80, 2,   aligned<8, 32, 256, 8>},  // 1446 0.90, 0.91
  {"swap_aligned<16>",        16, 1, swap_rows::cache_lines, 0,     0,     80, 2,   aligned<16, 16, 128, 12>},  // 1504 0.98, 0.98
  {"swap_aligned<16>",        16, 1, swap_rows::aligned,     4096,  0,     90, 8,   aligned<16, 64, 512, 1>},  // 12003 H200 0.88, in tiles of 32 0.84
  {"swap_aligned<16>",        16, 1, swap_rows::aligned,     0,     200,   80, 8,   aligned<16, 32, 256, 3>},  // 2999 0.91, 0.88
  {"swap_aligned<16>",        16, 1, swap_rows::aligned,     0,     0,     80, 1,   aligned<16, 16, 128, 12>},
  {"swap_unaligned_bytes<1>", 1,  1, swap_rows::contiguous,  0,     50,    80, 16,  unaligned<1, 1, 128, 256, 4, 3>},  // 12003 0.78, 0.71; 4 blocks 0.73, 0.72
  {"swap_strided<1>",         1,  1, swap_rows::contiguous,  0,     0,     80, 1,   strided<word_of<1>::type, 32>},  // 689 H200 1.00, in tiles of 64 0.90; 1100 0.86, 0.69
  {"swap_unaligned<2>",       2,  1, swap_rows::contiguous,  0,     50,    80, 16,  unaligned<2, 1, 64, 256, 2, 4>},  // 2999 0.80, 0.75
  {"swap_strided<2>",         2,  1, swap_rows::contiguous,  0,     0,     80, 1,   strided<word_of<2>::type, 32>},
  {"swap_unaligned<4>",       4,  1, swap_rows::contiguous,  8192,  0,     90, 16,  unaligned<4, 1, 128, 1024, 4, 1>},  // 12003 H200 0.84, by 512 threads 0.81, words in order 0.80
  {"swap_unaligned<4>",       4,  1, swap_rows::contiguous,  2000,  0,     80, 16,  unaligned<4, 1, 64, 256, 4, 4>},  // 2999, 6001 H200 0.88, 0.87, by 512 threads 0.85, 0.81
  {"swap_unaligned<4>",       4,  1, swap_rows::contiguous,  0,     0,     80, 2,   unaligned<4, 1, 32, 128, 2, 12>},  // 985 0.96, 0.89; 1443 0.90, 0.84
  {"swap_unaligned<8>",       8,  1, swap_rows::contiguous,  0,     0,     80, 1,   unaligned<8, 1, 32, 256, 2, 5>},  // 985 0.96, 0.94; 1443 0.86, 0.86
  {"swap_unaligned<1,3>",     1,  3, swap_rows::contiguous,  4096,  0,     80, 16,  unaligned<1, 3, 64, 192, 2, 5>},  // 8192, 12003 H200 0.80, 0.76, strided 0.34
  {"swap_unaligned<1,3>",     1,  3, swap_rows::contiguous,  0,     50,    80, 16,  unaligned<1, 3, 64, 384, 2, 3>},  // 3001, 1001 H200 0.69, 0.63, by 192 threads 0.63, 0.58
  {"swap_strided<1,3>",       1,  3, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<1, 3>>},
  {"swap_strided<2,2>",       2,  2, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<2, 2>>},
  {"swap_strided<2,3>",       2,  3, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<2, 3>>},
  {"swap_strided<4,2>",       4,  2, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<4, 2>>},
  {"swap_strided<4,3>",       4,  3, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<4, 3>>},  // 0.91
  {"swap_strided<8,2>",       8,  2, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<8, 2>>},
  {"swap_strided<8,3>",       8,  3, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<8, 3>>},
  {"swap_strided<16,2>",      16, 2, swap_rows::any,         0,     0,     80, 4,   strided<words_of_element<16, 2>>},
  {"swap_strided<1>",         1,  0, swap_rows::any,         0,     0,     80, 4,   strided<word_of<1>::type>},
  {"swap_strided<2>",         2,  0, swap_rows::any,         0,     0,     80, 4,   strided<word_of<2>::type>},
  {"swap_strided<4>",         4,  0, swap_rows::any,         0,     0,     80, 4,   strided<word_of<4>::type>},
  {"swap_strided<8>",         8,  0, swap_rows::any,         0,     0,     80, 4,   strided<word_of<8>::type>},
  {"swap_strided<16>",        16, 0, swap_rows::any,         0,     0,     80, 4,   strided<word_of<16>::type>},
};
// clang-format on

/// Steps in bytes. Rows and columns may change roles, since the transpose of a square is the same.
struct square {
  char* data;
  index extent, batch;
  index batch_step, row_step, col_step;
  int word = vec16_bytes;
  index element = 0;
  swap_rows rows = swap_rows::any;
};

swap_rows rows_of(square const& s, index bytes_of_element) {
  constexpr index cache_line = 128;
  auto const address = static_cast<index>(reinterpret_cast<std::uintptr_t>(s.data));
  index const steps = s.batch_step | s.row_step;
  if (s.col_step != bytes_of_element) return swap_rows::any;
  if ((address | steps) % vec16_bytes != 0) return swap_rows::contiguous;
  return steps % cache_line == 0 ? swap_rows::cache_lines : swap_rows::aligned;
}

square square_of(operand const& o) {
  index const bytes = o.bytes_per_element;
  square s{static_cast<char*>(const_cast<void*>(o.data)),
           o.rows,
           o.batch,
           o.batch > 1 ? o.batch_stride * bytes : 0,
           o.row_stride * bytes,
           o.col_stride * bytes};
  if (std::abs(s.row_step) < std::abs(s.col_step)) std::swap(s.row_step, s.col_step);
  if (s.col_step < 0) {  // both axes reversed: the same pairs
    s.data += (o.rows - 1) * (s.row_step + s.col_step);
    s.row_step = -s.row_step;
    s.col_step = -s.col_step;
  }
  index const address_bits =
      static_cast<index>(reinterpret_cast<std::uintptr_t>(s.data)) | s.batch_step | s.row_step;
  while ((address_bits | s.col_step | bytes) % s.word != 0) s.word /= 2;
  s.element = bytes / s.word;
  s.rows = rows_of(s, bytes);
  return s;
}

swap_config const& config_for(square const& s) {
  int const capability = tuned_capability();
  auto const fits = [&](swap_config const& config) {
    index const tiles = ceil_div(s.extent, index{config.kernel.side});
    return config.word == s.word && s.extent >= config.from && capability >= config.capability &&
           tiles * (tiles + 1) / 2 * s.batch >= config.pairs &&
           (config.element == 0 || config.element == s.element) && s.rows <= config.rows;
  };
  return *std::find_if(std::begin(table), std::end(table), fits);
}

// With fewer tiles, most blocks of a band would have no pair.
constexpr index min_tiles_in_bands = 32;

void swap_tiles(execution const& where, operand const& o) {
  square const s = square_of(o);
  swap_config const& config = config_for(s);
  if (explain_only(where, config.name)) return;
  bool const is_even = s.row_step / o.bytes_per_element % 2 == 0;
  auto* const swap =
      is_even && config.kernel.swap_even != nullptr ? config.kernel.swap_even : config.kernel.swap;
  square_problem p{};
  p.data = s.data;
  p.row_step = s.row_step;
  p.col_step = s.col_step;
  p.extent = static_cast<int>(o.rows);
  p.matrix_count = 1;
  p.cut(config.kernel.side, o.rows >= min_tiles_in_bands * config.kernel.side ? config.band : 1);
  if (config.element == 0 && s.element > 1) {
    p.outer.add({s.element, s.word, s.word});
    p.matrix_count = s.element;
  }
  // As many matrices at once as block numbers of 31 bits take.
  index const most_matrices =
      std::min<index>(index{1} << 30, most_blocks / (p.pairs.value * p.matrix_count));
  outer_dimensions const words = p.outer;
  index const words_in_element = p.matrix_count;
  for (index first = 0; first < o.batch; first += most_matrices) {
    index const matrices = std::min(most_matrices, o.batch - first);
    p.data = s.data + first * s.batch_step;
    p.outer = words;
    p.matrix_count = words_in_element * matrices;
    if (matrices > 1) p.outer.add({matrices, s.batch_step, s.batch_step});
    launch_blocks(where, p.pairs.value * p.matrix_count, config.kernel.threads,
                  config.kernel.smem_bytes, config.name, swap, p);
  }
}

/// The matrices as they are, and their transposes in the same memory.
struct transposed_views {
  tensor_operand in, out;
  operand transposed;
};

transposed_views transposed_in_place(operand const& view) {
  operand in = view;
  std::swap(in.rows, in.cols);
  std::swap(in.row_stride, in.col_stride);
  operand transposed = in;
  if (is_packed_row_major(view.cols, view.row_stride, view.col_stride)) {
    transposed.row_stride = view.rows;
    transposed.col_stride = 1;
  } else {
    transposed.row_stride = 1;
    transposed.col_stride = view.cols;
  }
  return {as_tensor(in), as_tensor(transposed), transposed};
}

void copy_bits(execution const& where, tensor_operand const& in, tensor_operand const& out) {
  cuda_run_copy(where, {operation::copy, in, out, element_function::copy_bits});
}

/// Transposes into the workspace, and copies back: one matrix at a time, or as many as fit
/// `bytes_at_once`, which a second-level cache keeps.
void transpose_through_workspace(execution const& where, operand const& view) {
  if (explain_only(where, "transpose_through_workspace")) return;
  constexpr index bytes_at_once = index{16} << 20;
  index const elements = view.rows * view.cols;
  index const bytes = elements * view.bytes_per_element;
  index const at_once = std::min(view.batch, std::max<index>(1, bytes_at_once / bytes));
  stream_workspace const memory(where, at_once * bytes);
  execution on_stream = where;
  on_stream.nosync = true;

  operand part = view;
  for (index first = 0; first < view.batch; first += at_once) {
    part.batch = std::min(at_once, view.batch - first);
    part.data =
        static_cast<char const*>(view.data) + first * view.batch_stride * view.bytes_per_element;
    transposed_views const there = transposed_in_place(part);
    operand saved = there.transposed;
    saved.data = memory.data();
    saved.batch_stride = elements;
    copy_bits(on_stream, there.in, as_tensor(saved));
    copy_bits(on_stream, as_tensor(saved), there.out);
  }
}

/// transpose_in_cluster of an element, whose words its address is a multiple of.
struct cluster_kernel {
  index bytes;
  index word;
  char const* name;
  void (*transpose)(cluster_rectangle p);
};
constexpr cluster_kernel cluster_kernels[] = {
    {1, 1, "transpose_in_cluster<1>", transpose_in_cluster<word_of<1>::type>},
    {2, 2, "transpose_in_cluster<2>", transpose_in_cluster<word_of<2>::type>},
    {3, 1, "transpose_in_cluster<1,3>", transpose_in_cluster<words_of_element<1, 3>>},
    {4, 4, "transpose_in_cluster<4>", transpose_in_cluster<word_of<4>::type>},
    {8, 8, "transpose_in_cluster<8>", transpose_in_cluster<word_of<8>::type>},
    {12, 4, "transpose_in_cluster<4,3>", transpose_in_cluster<words_of_element<4, 3>>},
    {16, 16, "transpose_in_cluster<16>", transpose_in_cluster<word_of<16>::type>},
    {16, 8, "transpose_in_cluster<8,2>", transpose_in_cluster<words_of_element<8, 2>>}};

// What eight multiprocessors move before a kernel to a workspace and one back are done: us so and
// in a cluster, f32 of 101x302 5.7, 4.6, 181x362 6.0, 5.9, 256x511 6.4, 7.0; 16 bytes of 128x255
// 6.2, 4.8; bytes of 201x603 5.6, 7.2. Of many matrices that all move at once: 64 of 256x511 of f32
// 38, 33, 40 of 30x5000 29, 39, 64 of 128x255 of 16 bytes 37, 26 (H200, 2026-11-29).
constexpr index most_bytes_of_cluster = index{640} << 10;
constexpr index most_elements_of_cluster = index{1} << 16;
constexpr index many_clusters = 16;

/// Whether a cluster transposes each matrix; launches it, or says so.
bool transpose_by_clusters(execution const& where, operand const& view) {
  index const bytes = view.bytes_per_element;
  bool const by_rows = is_packed_row_major(view.cols, view.row_stride, view.col_stride);
  index const rows = by_rows ? view.rows : view.cols;
  index const cols = by_rows ? view.cols : view.rows;
  index const elements = rows * cols;
  if (elements > (view.batch < many_clusters ? 1 : 2) * most_elements_of_cluster ||
      elements * bytes > most_bytes_of_cluster ||
      view.batch > most_blocks / cluster_rectangle::blocks)
    return false;
  auto* const data = static_cast<char*>(const_cast<void*>(view.data));
  cluster_rectangle const p(data, view.batch > 1 ? view.batch_stride * bytes : 0,
                            static_cast<int>(rows), static_cast<int>(cols));
  auto const address_bits =
      static_cast<index>(reinterpret_cast<std::uintptr_t>(data)) | p.batch_step;
  auto const* const kernel =
      std::find_if(std::begin(cluster_kernels), std::end(cluster_kernels),
                   [&](auto const& k) { return k.bytes == bytes && address_bits % k.word == 0; });
  if (kernel == std::end(cluster_kernels) ||
      p.shared_bytes(bytes) > properties_of_device().shared_bytes ||
      attributes_of_kernel(kernel->transpose).capability < 90 ||
      clusters_of_device().of[cluster_rectangle::blocks - 1] <= 0)
    return false;
  if (explain_only(where, kernel->name)) return true;
  launch_with_attributes(where, cluster_rectangle::blocks, false,
                         view.batch * cluster_rectangle::blocks, rectangle_block::threads,
                         static_cast<int>(p.shared_bytes(bytes)), kernel->name, kernel->transpose,
                         p);
  return true;
}

// A block each: fewer leave multiprocessors idle that pairs of tiles keep busy. 163 of 66x66 f32
// took 0.55 of a copy in pairs of tiles (H100, 2026-11-25).
constexpr index min_copied_squares = 64;

bool is_packed(operand const& o) {
  return is_packed_row_major(o.cols, o.row_stride, o.col_stride) ||
         is_packed_col_major(o.rows, o.row_stride, o.col_stride);
}

/// Whether blocks read whole matrices before they write them, so that each may lie in the same
/// memory as its transpose.
bool can_copy_in_place(transposed_views const& v) {
  bit_copy const copy = plan_bit_copy(v.in, v.out);
  transpose_config const& config = select_transpose_kernel(copy, tuned_capability());
  return config.reads_whole_matrices && is_one_piece(copy.plan, limits_of(config));
}

}  // namespace

void cuda_run_inplace(execution const& where, inplace_request const& r) {
  operand const& view = r.view;
  bool const is_square = view.rows == view.cols;
  bool const may_copy = !is_square || (view.batch >= min_copied_squares && is_packed(view));
  if (may_copy) {
    transposed_views const v = transposed_in_place(view);
    if (can_copy_in_place(v)) return copy_bits(where, v.in, v.out);
  }
  if (is_square) swap_tiles(where, view);
  else if (!transpose_by_clusters(where, view)) transpose_through_workspace(where, view);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
