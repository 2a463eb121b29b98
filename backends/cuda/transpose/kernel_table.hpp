// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned numbers of bit copies on CUDA devices, and the choice among them: the first row that
// fits. benchmarks/tune_transpose measures the tiles of a board and prints such rows.
#pragma once

#include <xpose/backends/cuda/transpose/skinny.hpp>
#include <xpose/config.hpp>

#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What a copy is like, from its plan. Words are the widest that runs, pitches and addresses allow.
struct transpose_case {
  int word;       // bytes
  index element;  // words in a run: an element, or what is contiguous on both sides
  index units;    // words in all
  index rows;     // of the matrices that are turned; 0 if none are
  index cols;
  index in_pitch;  // bytes
  index out_pitch;
  bool is_transposed;     // elements lie one behind the other along cols in, along rows out
  bool is_aligned;        // the input to 16 bytes, the output to 32 (small matrices: to 16)
  bool is_batch;          // of more than one matrix
  bool has_gaps;          // within the batch or between its matrices
  bool is_vec16_aligned;  // both addresses are multiples of 16
  bool is_in_place;       // from and to the same memory
};

/// What a row of the table asks of a case.
enum class transpose_shape {
  long_runs,   // in the same order on both sides, or one run
  in_order,    // short runs in the same order
  tiny_bytes,  // a batch without gaps of matrices that fit a stage, of extents divisible by 4
  tiny,        // a batch without gaps of matrices that fit a stage
  whole,       // the same, of matrices that fill tiles badly or are turned in place
  whole_in_place,
  scattered,      // a batch of tiny matrices with gaps
  thin_cols,      // few columns
  thin_rows,      // few rows
  thin_elements,  // few columns or rows of elements of several words, too large for those kernels
  aligned,
  turned,  // at any address and pitch
  long_elements,
  any,
};

enum class transpose_kernel {
  rows,
  direct,
  tiny_bytes,
  tiny,
  scattered,
  thin_cols,
  thin_rows,
  aligned,
  unaligned_bytes,
  unaligned,
  strided
};

struct transpose_config {
  char const* name;  // as explain() shows it
  int word;
  int element;  // words; 0: any number
  transpose_shape shape;
  index from;  // units
  index below;
  int side;        // both sides of the matrices must have that many elements
  int capability;  // 80 or 90: of the device, at least
  transpose_kernel kernel;
  // Template arguments of the kernel.
  int rows;  // of a tile
  int cols;
  int threads;
  int columns;       // of a thread
  int blocks;        // on a multiprocessor, at least: the limit on registers
  int shared_bytes;  // of the stage; 0: what the tile needs
};

/// Bytes that the kernels for tiny matrices hold.
inline constexpr int small_batched_smem_bytes = 8192;
inline constexpr int small_batched_bytes_smem_bytes = 16384;

inline constexpr index no_limit = std::numeric_limits<index>::max();
// Below, a launch costs more than the bytes, and the kernel of the shortest path wins: 256 and 512
// square 2.8-3.1 us for every word where cudaMemcpy takes 3.5.
inline constexpr index small = index{1} << 18;
inline constexpr index small_unaligned = index{1} << 20;

// Rows of capability 90: H100 80GB SXM, CUDA 13.0, 2026-11-21, share of cudaMemcpy beside them;
// those of 80 serve any other board, unmeasured, and on the H100 what is smaller than the row
// before. Blocks: registers are granted 8 a thread; unrelated edits let kernels drift from 40 to 42
// and lost 10 %, so every row pins the blocks that fit a multiprocessor. Tiles want 256 bytes along
// both sides: 128 cost 2 to 4 %.
// clang-format off
inline constexpr transpose_config transpose_configs[] = {
  // name                       W  N  shape                           from           below           side cc  kernel                       R    C    T    P  blocks shared
  {"copy_rows<1>",              1, 0, transpose_shape::long_runs,     0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"copy_direct<1>",            1, 0, transpose_shape::in_order,      0,             no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_tiny_bytes",      1, 1, transpose_shape::tiny_bytes,    0,             no_limit,        0, 80, transpose_kernel::tiny_bytes, 0,   0,   256, 0, 0, small_batched_bytes_smem_bytes},  // 0.998-1.004
  {"transpose_tiny<1>",         1, 1, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 0.95-1.00, 63x65 0.81
  {"transpose_tiny<1>",         1, 0, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 3 bytes 0.99-1.01, 5 bytes 0.70
  {"transpose_tiny<1>",         1, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},
  {"transpose_tiny<1>",         1, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<1>",         1, 3, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},  // 64x64 0.977
  {"transpose_tiny<1>",         1, 3, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<1>",         1, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 128 << 10},
  {"transpose_tiny<1>",         1, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 192 << 10},
  {"transpose_scattered<1>",    1, 0, transpose_shape::scattered,     0,             no_limit,        0, 80, transpose_kernel::scattered,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_cols<1>",    1, 1, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},       // 0.94-1.00
  {"transpose_thin_cols<1>",    1, 0, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_rows<1>",    1, 1, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},       // 0.90-0.99, 33 rows 0.85
  {"transpose_thin_rows<1>",    1, 0, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},
  {"copy_direct<1>",             1, 0, transpose_shape::thin_elements, 1 << 14,       no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_strided<1>",      1, 1, transpose_shape::aligned,       0,             small,           0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_aligned<1>",      1, 1, transpose_shape::aligned,       1 << 26,       no_limit,      256, 90, transpose_kernel::aligned,    256, 256, 512, 0, 2, 115200},  // 0.954-0.971
  {"transpose_aligned<1>",      1, 1, transpose_shape::aligned,       1 << 22,       no_limit,       64, 80, transpose_kernel::aligned,    64,  256, 256, 0, 5, 0},       // 8192 sq 0.959
  {"transpose_aligned<1>",      1, 1, transpose_shape::aligned,       0,             no_limit,        0, 80, transpose_kernel::aligned,    64,  64,  64,  0, 16, 0},
  {"transpose_strided<1>",      1, 1, transpose_shape::turned,        0,             1 << 21,         0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},       // 1023x1025 0.90, packed 0.68
  {"transpose_packed<1>",       1, 1, transpose_shape::turned,        1 << 28,       no_limit,        0, 90, transpose_kernel::unaligned_bytes,     128, 256, 640, 4, 2, 0},       // 32767x32769 0.89
  {"transpose_packed<1>",       1, 1, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned_bytes,     128, 128, 320, 4, 4, 0},       // 8191x8193 0.943
  {"transpose_skewed<1,2>",     1, 2, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  128, 2, 8, 0},
  {"transpose_skewed<1,3>",     1, 3, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  128, 2, 6, 0},       // 0.893, 4097 sq 0.855; 64x128 0.888, 0.817
  {"transpose_skewed<1,5>",     1, 5, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  128, 2, 6, 0},
  {"transpose_skewed<1,6>",     1, 6, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  128, 2, 5, 0},
  {"transpose_skewed<1,7>",     1, 7, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  128, 2, 5, 0},
  {"copy_rows<1>",              1, 0, transpose_shape::long_elements, 0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"transpose_strided<1>",      1, 0, transpose_shape::any,           0,             no_limit,        0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},

  {"copy_rows<2>",              2, 0, transpose_shape::long_runs,     0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"copy_direct<2>",            2, 0, transpose_shape::in_order,      0,             no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_tiny<2>",         2, 1, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 0.98-1.00
  {"transpose_tiny<2>",         2, 0, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 6 bytes 0.99
  {"transpose_tiny<2>",         2, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},
  {"transpose_tiny<2>",         2, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<2>",         2, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 128 << 10},
  {"transpose_tiny<2>",         2, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 192 << 10},
  {"transpose_scattered<2>",    2, 0, transpose_shape::scattered,     0,             no_limit,        0, 80, transpose_kernel::scattered,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_cols<2>",    2, 1, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},       // 0.95-1.04
  {"transpose_thin_cols<2>",    2, 0, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_rows<2>",    2, 1, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},       // 0.94-1.03
  {"transpose_thin_rows<2>",    2, 0, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},
  {"copy_direct<2>",             2, 0, transpose_shape::thin_elements, 1 << 14,       no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_strided<2>",      2, 1, transpose_shape::turned,        0,             small,           0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_aligned<2>",      2, 1, transpose_shape::aligned,       1 << 23,       no_limit,       64, 90, transpose_kernel::aligned,    128, 128, 512, 0, 3, 0},       // 0.961-0.971
  {"transpose_aligned<2>",      2, 1, transpose_shape::aligned,       0,             no_limit,        0, 80, transpose_kernel::aligned,    64,  64,  256, 0, 6, 0},
  {"transpose_skewed<2>",       2, 1, transpose_shape::turned,        1 << 23,       no_limit,      256, 90, transpose_kernel::unaligned,     128, 128, 512, 4, 2, 0},       // 0.917-0.947
  {"transpose_skewed<2>",       2, 1, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  256, 2, 6, 0},
  {"transpose_skewed<2,2>",     2, 2, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  256, 2, 5, 0},
  {"transpose_skewed<2,3>",     2, 3, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  64,  256, 2, 4, 0},       // 0.931-0.940
  {"transpose_skewed<2,5>",     2, 5, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  32,  128, 2, 8, 0},
  {"transpose_skewed<2,6>",     2, 6, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  32,  128, 2, 8, 0},
  {"transpose_skewed<2,7>",     2, 7, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     64,  32,  128, 2, 7, 0},
  {"copy_rows<2>",              2, 0, transpose_shape::long_elements, 0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"transpose_strided<2>",      2, 0, transpose_shape::any,           0,             no_limit,        0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},

  {"copy_rows<4>",              4, 0, transpose_shape::long_runs,     0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"copy_direct<4>",            4, 0, transpose_shape::in_order,      0,             no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_tiny<4>",         4, 1, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 0.99-1.016
  {"transpose_tiny<4>",         4, 0, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 12 bytes 1.00
  {"transpose_tiny<4>",         4, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},
  {"transpose_tiny<4>",         4, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<4>",         4, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 128 << 10},
  {"transpose_tiny<4>",         4, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 192 << 10},
  {"transpose_scattered<4>",    4, 0, transpose_shape::scattered,     0,             no_limit,        0, 80, transpose_kernel::scattered,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_cols<4>",    4, 1, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},       // 0.97-1.01
  {"transpose_thin_cols<4>",    4, 0, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_rows<4>",    4, 1, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},       // 0.96-1.00
  {"transpose_thin_rows<4>",    4, 0, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},
  {"copy_direct<4>",             4, 0, transpose_shape::thin_elements, 1 << 14,       no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_strided<4>",      4, 1, transpose_shape::turned,        0,             small,           0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_aligned<4>",      4, 1, transpose_shape::aligned,       1 << 23,       no_limit,       64, 90, transpose_kernel::aligned,    64,  64,  512, 0, 3, 0},       // 0.968-0.976
  {"transpose_aligned<4>",      4, 1, transpose_shape::aligned,       0,             no_limit,        0, 80, transpose_kernel::aligned,    64,  64,  256, 0, 6, 0},       // 4194304x32 0.986
  {"transpose_strided<4>",      4, 1, transpose_shape::turned,        0,             small_unaligned, 0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_skewed<4>",       4, 1, transpose_shape::turned,        1 << 23,       no_limit,      256, 90, transpose_kernel::unaligned,     64,  128, 512, 4, 2, 0},       // 0.925-0.951; 128x64 20001x10003 0.90, not 0.92
  {"transpose_skewed<4>",       4, 1, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  64,  256, 2, 6, 0},
  {"transpose_skewed<4,2>",     4, 2, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 1, 6, 0},
  {"transpose_skewed<4,3>",     4, 3, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 1, 5, 0},       // 0.931-0.950
  {"transpose_skewed<4,5>",     4, 5, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 1, 5, 0},
  {"transpose_skewed<4,7>",     4, 7, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 1, 4, 0},
  {"copy_rows<4>",              4, 0, transpose_shape::long_elements, 0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"transpose_strided<4>",      4, 0, transpose_shape::any,           0,             no_limit,        0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},

  {"copy_rows<8>",              8, 0, transpose_shape::long_runs,     0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"copy_direct<8>",            8, 0, transpose_shape::in_order,      0,             no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_tiny<8>",         8, 1, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 1.00-1.014
  {"transpose_tiny<8>",         8, 0, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},
  {"transpose_tiny<8>",         8, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},
  {"transpose_tiny<8>",         8, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<8>",         8, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 128 << 10},
  {"transpose_tiny<8>",         8, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 192 << 10},
  {"transpose_scattered<8>",    8, 0, transpose_shape::scattered,     0,             no_limit,        0, 80, transpose_kernel::scattered,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_cols<8>",    8, 1, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},       // 0.97-1.01
  {"transpose_thin_cols<8>",    8, 0, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_rows<8>",    8, 1, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},       // 0.96-1.00
  {"transpose_thin_rows<8>",    8, 0, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},
  {"copy_direct<8>",             8, 0, transpose_shape::thin_elements, 1 << 14,       no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_strided<8>",      8, 1, transpose_shape::turned,        0,             small,           0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_aligned<8>",      8, 1, transpose_shape::aligned,       1 << 23,       no_limit,       64, 90, transpose_kernel::aligned,    32,  64,  512, 0, 3, 0},       // 0.977
  {"transpose_aligned<8>",      8, 1, transpose_shape::aligned,       0,             no_limit,        0, 80, transpose_kernel::aligned,    32,  32,  256, 0, 6, 0},       // side 32: 0.961-0.971
  {"transpose_strided<8>",      8, 1, transpose_shape::turned,        0,             small_unaligned, 0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_skewed<8>",       8, 1, transpose_shape::turned,        1 << 22,       no_limit,      256, 90, transpose_kernel::unaligned,     32,  64,  512, 2, 3, 0},       // 0.932-0.943
  {"transpose_skewed<8>",       8, 1, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 2, 8, 0},
  {"transpose_skewed<8,2>",     8, 2, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 2, 5, 0},
  {"transpose_skewed<8,3>",     8, 3, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     32,  32,  256, 2, 4, 0},       // 0.944-0.958
  {"copy_rows<8>",              8, 0, transpose_shape::long_elements, 0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"transpose_strided<8>",      8, 0, transpose_shape::any,           0,             no_limit,        0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},

  {"copy_rows<16>",            16, 0, transpose_shape::long_runs,     0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"copy_direct<16>",          16, 0, transpose_shape::in_order,      0,             no_limit,        0, 80, transpose_kernel::direct,     0,   0,   0,   0, 0, 0},
  {"transpose_tiny<16>",       16, 1, transpose_shape::tiny,          0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   256, 0, 0, small_batched_smem_bytes},  // 1.00-1.015
  {"transpose_tiny<16>",        16, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   512, 0, 0, 32 << 10},
  {"transpose_tiny<16>",        16, 1, transpose_shape::whole,         0,             no_limit,        0, 80, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 64 << 10},
  {"transpose_tiny<16>",        16, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 128 << 10},
  {"transpose_tiny<16>",        16, 1, transpose_shape::whole_in_place, 0,            no_limit,        0, 90, transpose_kernel::tiny,       0,   0,   1024, 0, 0, 192 << 10},
  {"transpose_scattered<16>",  16, 0, transpose_shape::scattered,     0,             no_limit,        0, 80, transpose_kernel::scattered,  0,   0,   256, 0, 0, 0},
  {"transpose_thin_cols<16>",  16, 1, transpose_shape::thin_cols,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_cols,  0,   0,   256, 0, 0, 0},       // 0.97-1.01
  {"transpose_thin_rows<16>",  16, 1, transpose_shape::thin_rows,     1 << 14,       no_limit,        0, 80, transpose_kernel::thin_rows,  0,   0,   256, 0, 0, 0},       // 0.96-1.00
  {"transpose_strided<16>",    16, 1, transpose_shape::turned,        0,             1 << 21,         0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
  {"transpose_skewed<16>",     16, 1, transpose_shape::turned,        0,             no_limit,        0, 90, transpose_kernel::unaligned,     32,  32,  512, 1, 3, 0},       // 0.945-0.976
  {"transpose_skewed<16>",     16, 1, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     16,  16,  256, 1, 6, 0},
  {"transpose_skewed<16,2>",   16, 2, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     16,  16,  256, 1, 6, 0},       // 0.946-0.964
  {"transpose_skewed<16,3>",   16, 3, transpose_shape::turned,        0,             no_limit,        0, 80, transpose_kernel::unaligned,     16,  16,  256, 1, 5, 0},       // 0.953
  {"copy_rows<16>",            16, 0, transpose_shape::long_elements, 0,             no_limit,        0, 80, transpose_kernel::rows,       0,   0,   0,   0, 0, 0},
  {"transpose_strided<16>",    16, 0, transpose_shape::any,           0,             no_limit,        0, 80, transpose_kernel::strided,    32,  32,  256, 0, 0, 0},
};
// clang-format on

/// The number of the first row that fits.
int choose_transpose(transpose_case const& c, int capability);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
