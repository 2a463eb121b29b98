// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/runtime/workspace.hpp>

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct block {
  char* data;
  index bytes;
};

/// Blocks that no call uses. Without a destructor, so that it can be asked while thread_local and
/// static objects are destroyed.
struct kept_blocks {
  block blocks[2];
  bool are_freed_at_the_end;
  bool is_over;  // the thread ends, or the process: nothing is kept
};
// Not of the initial-exec model, which would save 50 instructions a call: programs that load the
// library late (Python's ctypes) have no room for its variables then.
thread_local kept_blocks kept;

struct frees_kept_blocks {
  ~frees_kept_blocks() {
    for (block& b : kept.blocks) std::free(std::exchange(b, {}).data);
    kept.is_over = true;
  }
};

/// The smallest kept block of so many bytes, which is kept no longer; none: {}.
block take_kept(index bytes) {
  block* best = nullptr;
  for (block& b : kept.blocks)
    if (b.bytes >= bytes && (best == nullptr || b.bytes < best->bytes)) best = &b;
  return best == nullptr ? block{} : std::exchange(*best, {});
}

/// Keeps the larger ones.
void keep(block given) {
  for (block& b : kept.blocks)
    if (b.bytes < given.bytes) std::swap(b, given);
  std::free(given.data);
}

/// Large blocks ask for large pages: fresh memory is then cleared by the system 2 MB at a time in
/// place of one page fault for every 4 KB (transpose_inplace of 4096x2048 elements of 4 bytes: 18
/// in place of 39 ms), and one entry of a TLB reaches as far.
block allocate(index bytes) {
  constexpr std::size_t large_page = std::size_t{2} << 20;
  auto const wanted = static_cast<std::size_t>(bytes);
  bool const is_large = wanted >= 2 * large_page;
  std::size_t const alignment = is_large ? large_page : 64;
  std::size_t const size = (wanted + alignment - 1) / alignment * alignment;
  auto* const data = static_cast<char*>(std::aligned_alloc(alignment, size));
  if (data == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (is_large) madvise(data, size, MADV_HUGEPAGE);  // advice: no matter if refused
#endif
  return {data, static_cast<index>(size)};
}

}  // namespace

workspace::workspace(index bytes, int team) : most_kept_((team + 1) * kept_bytes_of_member) {
  if (bytes == 0) return;
  // Here and not when it is kept: it can fail, before anything is written.
  if (!kept.are_freed_at_the_end) {
    thread_local frees_kept_blocks const at_the_end;
    static_cast<void>(at_the_end);
    kept.are_freed_at_the_end = true;
  }
  block taken = take_kept(bytes);
  if (taken.data == nullptr) taken = allocate(bytes);
  data_ = taken.data;
  bytes_ = taken.bytes;
}

workspace::~workspace() {
  if (data_ == nullptr) return;
  if (bytes_ <= most_kept_ && !kept.is_over) keep({data_, bytes_});
  else std::free(data_);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
