// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose_inplace on a CUDA device: squares tile against tile; other matrices through a workspace
// that is taken from the stream's memory pool and given back to it.

#include <xpose/backends/cuda/transpose_inplace.cuh>

#include <xpose/backends/backend.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// An element as words, for copies of elements of N words.
template <int W, int N>
struct words_of_element {
  typename word_of<W>::type words[N];
};

template <int W, int Side, int Threads, int MinBlocks>
void launch_aligned(execution const& where, square_problem const& p) {
  launch_blocks(where, p.pairs.value * p.places, Threads,
                2 * aligned_tile<W, Side, Side, Threads>::shared_bytes, "swap_aligned",
                swap_aligned<W, Side, Threads, MinBlocks>, p);
}

template <class T>
void launch_strided_swap(execution const& where, square_problem const& p) {
  launch_blocks(where, p.pairs.value * p.places, swap_tile<T>::threads, 0, "swap_strided",
                swap_strided<T>, p);
}

struct swap_row {
  char const* name;  // as explain() shows it
  int word;          // bytes
  index element;     // words; 0: any number, one word at a time
  bool is_aligned;   // rows are contiguous, at multiples of 16 bytes
  int side;          // of a tile
  void (*launch)(execution const& where, square_problem const& p);
};

template <class T>
constexpr int side_of = swap_tile<T>::side;

// The first row that fits. Tiles have rows of 128 to 256 bytes.
constexpr swap_row table[] = {
    {"swap_aligned<1>", 1, 1, true, 128, launch_aligned<1, 128, 256, 3>},
    {"swap_aligned<2>", 2, 1, true, 64, launch_aligned<2, 64, 256, 4>},
    {"swap_aligned<4>", 4, 1, true, 64, launch_aligned<4, 64, 512, 3>},
    {"swap_aligned<8>", 8, 1, true, 32, launch_aligned<8, 32, 256, 6>},
    {"swap_aligned<16>", 16, 1, true, 16, launch_aligned<16, 16, 256, 6>},
    {"swap_strided<1,3>", 1, 3, false, side_of<words_of_element<1, 3>>,
     launch_strided_swap<words_of_element<1, 3>>},
    {"swap_strided<2,2>", 2, 2, false, side_of<words_of_element<2, 2>>,
     launch_strided_swap<words_of_element<2, 2>>},
    {"swap_strided<2,3>", 2, 3, false, side_of<words_of_element<2, 3>>,
     launch_strided_swap<words_of_element<2, 3>>},
    {"swap_strided<4,2>", 4, 2, false, side_of<words_of_element<4, 2>>,
     launch_strided_swap<words_of_element<4, 2>>},
    {"swap_strided<4,3>", 4, 3, false, side_of<words_of_element<4, 3>>,
     launch_strided_swap<words_of_element<4, 3>>},
    {"swap_strided<8,2>", 8, 2, false, side_of<words_of_element<8, 2>>,
     launch_strided_swap<words_of_element<8, 2>>},
    {"swap_strided<8,3>", 8, 3, false, side_of<words_of_element<8, 3>>,
     launch_strided_swap<words_of_element<8, 3>>},
    {"swap_strided<16,2>", 16, 2, false, side_of<words_of_element<16, 2>>,
     launch_strided_swap<words_of_element<16, 2>>},
    {"swap_strided<1>", 1, 0, false, side_of<word_of<1>::type>,
     launch_strided_swap<word_of<1>::type>},
    {"swap_strided<2>", 2, 0, false, side_of<word_of<2>::type>,
     launch_strided_swap<word_of<2>::type>},
    {"swap_strided<4>", 4, 0, false, side_of<word_of<4>::type>,
     launch_strided_swap<word_of<4>::type>},
    {"swap_strided<8>", 8, 0, false, side_of<word_of<8>::type>,
     launch_strided_swap<word_of<8>::type>},
    {"swap_strided<16>", 16, 0, false, side_of<word_of<16>::type>,
     launch_strided_swap<word_of<16>::type>},
};

/// Steps in bytes; a column may be called a row, since a square's transpose swaps both alike.
struct square {
  char* data;
  index batch_step, row_step, col_step;
  int word;
  index element;
  bool is_aligned;
};

square square_of(operand const& o) {
  index const bytes = o.bytes_per_element;
  square s{static_cast<char*>(const_cast<void*>(o.data)),
           o.batch > 1 ? o.batch_stride * bytes : 0,
           o.row_stride * bytes,
           o.col_stride * bytes,
           chunk_bytes,
           0,
           false};
  if (std::abs(s.row_step) < std::abs(s.col_step)) std::swap(s.row_step, s.col_step);
  if (s.col_step < 0) {  // both axes turned round: the same pairs
    s.data += (o.rows - 1) * (s.row_step + s.col_step);
    s.row_step = -s.row_step;
    s.col_step = -s.col_step;
  }
  index const places =
      static_cast<index>(reinterpret_cast<std::uintptr_t>(s.data)) | s.batch_step | s.row_step;
  while ((places | s.col_step | bytes) % s.word != 0) s.word /= 2;
  s.element = bytes / s.word;
  s.is_aligned = s.col_step == bytes && places % chunk_bytes == 0;
  return s;
}

swap_row const& row_for(square const& s) {
  auto const fits = [&s](swap_row const& row) {
    return row.word == s.word && (row.element == 0 || row.element == s.element) &&
           (!row.is_aligned || s.is_aligned);
  };
  return *std::find_if(std::begin(table), std::end(table), fits);
}

void swap_tiles(execution const& where, operand const& o) {
  square const s = square_of(o);
  swap_row const& row = row_for(s);
  index const tiles = (o.rows + row.side - 1) / row.side;
  square_problem p{s.data,
                   s.row_step,
                   s.col_step,
                   static_cast<int>(o.rows),
                   static_cast<int>(tiles),
                   fast_divisor(tiles + 1),
                   fast_divisor((tiles + 1) / 2 * (tiles + 1)),
                   1,
                   {}};
  if (row.element == 0 && s.element > 1) {
    p.outer.add({s.element, s.word, s.word});
    p.places = s.element;
  }
  // As many matrices at once as block numbers of 31 bits take.
  index const most_matrices =
      std::min<index>(index{1} << 30, most_blocks / (p.pairs.value * p.places));
  outer_dimensions const words = p.outer;
  index const words_in_element = p.places;
  for (index first = 0; first < o.batch; first += most_matrices) {
    index const matrices = std::min(most_matrices, o.batch - first);
    p.data = s.data + first * s.batch_step;
    p.outer = words;
    p.places = words_in_element * matrices;
    if (matrices > 1) p.outer.add({matrices, s.batch_step, s.batch_step});
    row.launch(where, p);
  }
}

/// Memory of the device in the order of a stream, from the device's default pool.
class stream_memory {
 public:
  stream_memory(execution const& where, index bytes) : stream_(stream_of(where)) {
    cudaError_t const status = cudaMallocAsync(&data_, static_cast<std::size_t>(bytes), stream_);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    check_cuda(status, "cudaMallocAsync");
  }
  ~stream_memory() { cudaFreeAsync(data_, stream_); }
  stream_memory(stream_memory const&) = delete;
  stream_memory& operator=(stream_memory const&) = delete;

  void* data() const { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

void copy_bits(execution const& where, operand const& in, operand const& out) {
  cuda_run_copy(where,
                {operation::copy, as_tensor(in), as_tensor(out), element_function::copy_bits});
}

/// Turned into the workspace, and back as they lie there: one matrix at a time, or as many as 64 MB
/// hold.
void turn_through_workspace(execution const& where, operand const& view) {
  constexpr index bytes_in_workspace = index{64} << 20;
  index const elements = view.rows * view.cols;
  index const bytes = elements * view.bytes_per_element;
  index const in_workspace = std::min(view.batch, std::max<index>(1, bytes_in_workspace / bytes));
  stream_memory const workspace(where, in_workspace * bytes);
  execution on_stream = where;
  on_stream.nosync = true;

  operand part = view;
  operand turned = view;  // the transpose in the view's own memory
  std::swap(turned.rows, turned.cols);
  if (is_packed_row_major(view.cols, view.row_stride, view.col_stride))
    turned.row_stride = view.rows;
  else turned.col_stride = view.cols;
  operand saved = turned;
  saved.data = workspace.data();
  saved.batch_stride = elements;
  for (index first = 0; first < view.batch; first += in_workspace) {
    part.batch = turned.batch = saved.batch = std::min(in_workspace, view.batch - first);
    part.data = turned.data =
        static_cast<char const*>(view.data) + first * view.batch_stride * view.bytes_per_element;
    operand part_turned = part;
    std::swap(part_turned.rows, part_turned.cols);
    std::swap(part_turned.row_stride, part_turned.col_stride);
    copy_bits(on_stream, part_turned, saved);
    copy_bits(on_stream, saved, turned);
  }
}

}  // namespace

char const* cuda_inplace_kernel(inplace_request const& r) {
  return r.view.rows == r.view.cols ? row_for(square_of(r.view)).name : "turn_through_workspace";
}

void cuda_run_inplace(execution const& where, inplace_request const& r) {
  if (r.view.rows == r.view.cols) swap_tiles(where, r.view);
  else turn_through_workspace(where, r.view);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
