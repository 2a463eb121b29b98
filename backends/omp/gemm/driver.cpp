// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm/driver.hpp>

#include <xpose/backends/omp/gemm/blocking.hpp>
#include <xpose/backends/omp/gemm/gemv.hpp>
#include <xpose/backends/omp/gemm/kernel_table.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// One block of C and of k: panels of rows and columns, units along k.
struct block {
  index batch;
  range rows;
  range cols;
  range k_groups;
  bool is_first;  // along k
  bool is_last;
};

/// Bytes of a panel, or of the sums of a tile. Packing with vectors writes up to one behind a
/// panel. What holds objects is whole objects, so that all of them begin where they were
/// constructed.
index padded(gemm_kernel const& kernel, index bytes) {
  return kernel.construct != nullptr ? bytes : (bytes + 2 * 64 - 1) / 64 * 64;
}

/// While a thread multiplies: all products of a call, where a single thread multiplies them (set
/// up for each of 1000 of 32x32x32 of bfloat16 by AMX: half of their time).
class kernel_in_use {
 public:
  kernel_in_use(gemm_kernel const& kernel, bool is_used) : end_(is_used ? kernel.end : nullptr) {
    if (end_ != nullptr) kernel.begin();
  }
  kernel_in_use(kernel_in_use const&) = delete;
  kernel_in_use& operator=(kernel_in_use const&) = delete;
  ~kernel_in_use() {
    if (end_ != nullptr) end_();
  }

 private:
  void (*end_)();
};

/// Accumulators that are objects live in panels only while these are used: memory that lasts for
/// the whole call holds them for one block. Built-in types need neither constructor nor destructor.
class objects_in_use {
 public:
  objects_in_use(gemm_kernel const& kernel, char* memory, index bytes)
      : kernel_(kernel),
        memory_(memory),
        count_(kernel.construct != nullptr ? bytes / kernel.accumulator_bytes : 0) {
    if (count_ != 0) kernel.construct(memory, count_);
  }
  ~objects_in_use() {
    if (count_ != 0) kernel_.destroy(memory_, count_);
  }
  objects_in_use(objects_in_use const&) = delete;
  objects_in_use& operator=(objects_in_use const&) = delete;

 private:
  gemm_kernel const& kernel_;
  char* memory_;
  index count_;
};

class gemm_run {
 public:
  gemm_run(gemm_call const& call, gemm_blocking const& plan, int threads)
      : call_(call),
        kernel_(*call.kernel),
        plan_(plan),
        team_(plan.threads > 1 ? team_for(threads, plan.threads) : 1),
        a_panel_bytes_(padded(kernel_, kernel_.a_step * panel_k_groups())),
        b_panel_bytes_(padded(kernel_, kernel_.b_header + kernel_.b_step * panel_k_groups())),
        tile_bytes_(padded(kernel_, kernel_.rows * kernel_.cols * kernel_.accumulator_bytes)) {
    if (multiplies_in_place()) return;
    if (plan.uses_split_k) {
      memory_.shared = plan.split_k * plan.row_panels * plan.col_panels * tile_bytes_;
      memory_.own = cell_bytes({}, plan.col_panels);
    } else if (plan.keeps_b_in_l2) {
      memory_.shared = plan.k_blocks * plan.col_panels * b_panel_bytes_;
      memory_.own = own_bytes_by_rows();
    } else {
      choose_layouts();
    }
    constexpr index page = 4096;
    constexpr index cache_line = 64;
    index const unit = memory_.own < page ? cache_line : page;
    memory_.shared = (memory_.shared + cache_line - 1) & -cache_line;
    memory_.own = (memory_.own + unit - 1) & -unit;
  }

  /// What multiply() needs for a product.
  index memory_bytes() const { return memory_.shared + plan_.threads * memory_.own; }

  void multiply(index batch, char* memory) const {
    if (multiplies_in_place()) return multiply_in_place(batch);
    if (plan_.uses_split_k) return loop_over_split_k(batch, memory);
    if (plan_.keeps_b_in_l2) return loop_with_b_in_l2(batch, memory);
    for (range cols{0, 0}; cols.end < plan_.col_panels;) {
      cols = {cols.end, std::min(plan_.col_panels, cols.end + plan_.col_panels_of_nc)};
      for (range rows{0, 0}; rows.end < plan_.row_panels;) {
        rows = {rows.end, std::min(plan_.row_panels, rows.end + plan_.row_panels_of_mc)};
        loop_over_k_blocks(batch, rows, cols, memory);
      }
    }
  }

 private:
  /// How threads share the panels of a block.
  struct block_layout {
    thread_grid grid;
    bool a_is_shared;  // packed by all threads for all; otherwise each packs what it needs when it
    bool b_is_shared;  // needs it, and uses it while it is in its caches
  };
  /// And where these are, or will be.
  struct panels : block_layout {
    char* a;
    char* b;
    char* c_tiles;  // accumulators
    char* own;      // first of what threads have for themselves
  };

  bool multiplies_in_place() const {
    return plan_.a_in_place && plan_.b_in_place && plan_.accumulates_in_c && plan_.k_blocks == 1 &&
           plan_.threads == 1;
  }

  block_layout layout_of(index row_panels, index col_panels) const {
    block_layout l{};
    panel_costs const costs = costs_of_packing(kernel_, plan_, row_panels, col_panels);
    l.grid = choose_thread_grid(row_panels, col_panels, plan_.threads, costs);
    bool const a_is_used_once = l.grid.cols == 1 && col_panels <= plan_.col_panels_in_l2;
    bool const b_is_used_once = l.grid.rows == 1;
    l.a_is_shared = !plan_.a_in_place && !a_is_used_once && !costs.each_packs;
    l.b_is_shared = !plan_.b_in_place && !b_is_used_once && !costs.each_packs;
    return l;
  }

  struct shared_bytes {
    index a;
    index b;
    index c_tiles;

    index all() const { return a + b + c_tiles; }
  };
  shared_bytes shared_bytes_of(block_layout const& l, index row_panels, index col_panels) const {
    return {l.a_is_shared ? row_panels * a_panel_bytes_ : 0,
            l.b_is_shared ? col_panels * b_panel_bytes_ : 0,
            plan_.accumulates_in_workspace ? row_panels * col_panels * tile_bytes_ : 0};
  }

  /// Blocks have at most two heights and two widths: those of the first and of the last.
  void choose_layouts() {
    auto const is_last_shorter = [](index all, index at_once) {
      return at_once < all && all % at_once != 0;
    };
    bool const has_rows = is_last_shorter(plan_.row_panels, plan_.row_panels_of_mc);
    bool const has_cols = is_last_shorter(plan_.col_panels, plan_.col_panels_of_nc);
    for (int short_rows = 0; short_rows <= (has_rows ? 1 : 0); ++short_rows)
      for (int short_cols = 0; short_cols <= (has_cols ? 1 : 0); ++short_cols) {
        index const rows =
            short_rows != 0 ? plan_.row_panels % plan_.row_panels_of_mc : plan_.row_panels_of_mc;
        index const cols =
            short_cols != 0 ? plan_.col_panels % plan_.col_panels_of_nc : plan_.col_panels_of_nc;
        block_layout const l = layout_of(rows, cols);
        layouts_[short_rows][short_cols] = l;
        memory_.shared = std::max(memory_.shared, shared_bytes_of(l, rows, cols).all());
        memory_.own = std::max(memory_.own, cell_bytes(l, ceil_div(cols, l.grid.cols)));
      }
  }

  void loop_over_k_blocks(index batch, range rows, range cols, char* memory) const {
    bool const short_rows = rows.count() < plan_.row_panels_of_mc;
    bool const short_cols = cols.count() < plan_.col_panels_of_nc;
    panels p{layouts_[short_rows ? 1 : 0][short_cols ? 1 : 0], nullptr, nullptr, nullptr, nullptr};
    shared_bytes const bytes = shared_bytes_of(p, rows.count(), cols.count());
    objects_in_use const objects(kernel_, memory, bytes.all());
    p.a = memory;
    p.b = p.a + bytes.a;
    p.c_tiles = p.b + bytes.b;
    p.own = memory + memory_.shared;

    index const cells = p.grid.rows * p.grid.cols;
    auto const block_of = [&](index n) {
      range const k_groups{plan_.k_groups.begin(n), plan_.k_groups.begin(n + 1)};
      return block{batch, rows, cols, k_groups, n == 0, n + 1 == plan_.k_blocks};
    };
    auto const multiply = [&](block const& x, index cell) {
      macro_kernel(x, p, rows.part(p.grid.rows, cell / p.grid.cols),
                   cols.part(p.grid.cols, cell % p.grid.cols), p.own + cell * memory_.own);
    };
    if (!p.a_is_shared && !p.b_is_shared)  // no thread waits for another
      return for_each(cells, [&](index cell) {
        for (index n = 0; n < plan_.k_blocks; ++n) multiply(block_of(n), cell);
      });
    for (index n = 0; n < plan_.k_blocks; ++n) {
      pack_shared(block_of(n), p);
      for_each(cells, [&](index cell) { multiply(block_of(n), cell); });
    }
  }

  /// B's panels of all k, and then each row panel through all of k.
  void loop_with_b_in_l2(index batch, char* b) const {
    range const all_rows{0, plan_.row_panels};
    range const cols{0, plan_.col_panels};
    index const block_bytes = cols.count() * b_panel_bytes_;
    objects_in_use const objects_of_b(kernel_, b, plan_.k_blocks * block_bytes);
    auto const block_of = [&](index n, range rows) {
      return block{batch,  rows,
                   cols,   {plan_.k_groups.begin(n), plan_.k_groups.begin(n + 1)},
                   n == 0, n + 1 == plan_.k_blocks};
    };
    for_each(plan_.k_blocks,
             [&](index n) { pack_b(block_of(n, all_rows), cols, b + n * block_bytes); });

    for_each(plan_.threads, [&](index thread) {
      range const own = all_rows.part(plan_.threads, thread);
      panels p{};
      p.a = b + memory_.shared + thread * memory_.own;
      p.c_tiles = p.a + (plan_.a_in_place ? 0 : a_panel_bytes_);
      objects_in_use const objects(kernel_, p.a, own_bytes_by_rows());
      kernel_in_use const in_use(kernel_, plan_.threads > 1);
      for (index r = own.first; r < own.end; ++r)
        for (index n = 0; n < plan_.k_blocks; ++n) {
          block const x = block_of(n, {r, r + 1});
          if (!plan_.a_in_place) pack_a(x, {r, r + 1}, p.a);
          microkernel_args job = job_of_rows(x, r, p.a);
          if (plan_.prefetches_a && (!x.is_last || r + 1 < own.end))
            job.a_next = x.is_last ? address_of(call_.a, batch, rows_of(r + 1).first, 0)
                                   : address_of(call_.a, batch, rows_of(r).first, x.k_groups.end);
          for (index c = 0; c < cols.end; ++c, job.a_next = nullptr)
            call_microkernel(x, p, r, c,
                             b + n * block_bytes + c * b_panel_bytes_ + kernel_.b_header, job,
                             nullptr);
        }
    });
  }

  /// Ranges of parts of k at a time. The first range adds sums to those of part 0 as it goes; those
  /// of the others are added when all are there.
  void loop_over_split_k(index batch, char* memory) const {
    range const rows{0, plan_.row_panels};
    range const cols{0, plan_.col_panels};
    range const parts{0, plan_.split_k};
    split_k_grid const share = plan_.split_k_grid_of_threads;
    index const tiles = rows.count() * cols.count();
    index const cells = share.grid.rows * share.grid.cols;
    index const in_first_range = parts.part(share.ranges, 0).count();
    objects_in_use const objects(kernel_, memory, parts.count() * tiles * tile_bytes_);
    auto const sums_of = [&](index part, index tile) {
      index const place = part < in_first_range ? std::min<index>(part, 1) : part;
      return memory + (place * tiles + tile) * tile_bytes_;
    };

    for_each(share.ranges * cells, [&](index n) {
      range const own_rows = rows.part(share.grid.rows, n % cells / share.grid.cols);
      range const own_cols = cols.part(share.grid.cols, n % share.grid.cols);
      range const own_parts = parts.part(share.ranges, n / cells);
      for (index part = own_parts.first; part < own_parts.end; ++part) {
        multiply_split(batch, part, own_rows, own_cols, sums_of(part, 0),
                       memory + memory_.shared + n * memory_.own);
        if (part == 0 || part >= in_first_range) continue;
        for (index r = own_rows.first; r < own_rows.end; ++r)
          for (index c = own_cols.first; c < own_cols.end; ++c) {
            index const tile = r * cols.count() + c;
            split_k_reduce(r, c, sums_of(0, tile), sums_of(part, tile));
          }
      }
    });
    for_each(tiles, [&](index tile) {
      index const r = quotient(tile, cols.count());
      index const c = tile - r * cols.count();
      for (index part = in_first_range; part < parts.end; ++part)
        split_k_reduce(r, c, sums_of(0, tile), sums_of(part, tile));
      epilogue(batch, r, c, sums_of(0, tile), tile_pitch());
    });
    if (plan_.threads == 1) restore_kernel();
  }

  /// A cell of one part.
  void multiply_split(index batch, index part, range rows, range cols, char* accumulators,
                      char* own) const {
    panels p{};
    p.c_tiles = accumulators;
    range const blocks{plan_.k_blocks_of_split_k.begin(part),
                       plan_.k_blocks_of_split_k.begin(part + 1)};
    block x{batch, {0, plan_.row_panels}, {0, plan_.col_panels}, {}, false, false};
    for (index n = blocks.first; n < blocks.end; ++n) {
      x.k_groups = {plan_.k_groups.begin(n), plan_.k_groups.begin(n + 1)};
      x.is_first = n == blocks.first;
      macro_kernel(x, p, rows, cols, own);
    }
  }

  void split_k_reduce(index r, index c, char* accumulators, char const* partials) const {
    kernel_.split_k_reduce({accumulators, partials, tile_pitch(), rows_of(r).count(),
                            cols_of(c).count(), call_.problem});
  }

  /// Nothing to pack and nothing to keep: what the general loops do for that costs small matrices
  /// as much as the multiplication.
  void multiply_in_place(index batch) const {
    range const k_groups{0, plan_.k_group_count};
    block const all{batch, {0, plan_.row_panels}, {0, plan_.col_panels}, k_groups, true, true};
    for (index r = 0; r < plan_.row_panels; ++r) {
      microkernel_args job = job_of_rows(all, r, nullptr);
      for (index c = 0; c < plan_.col_panels; ++c)
        call_microkernel(all, {}, r, c, nullptr, job, nullptr);
    }
  }

  template <class Task>
  void for_each(index count, Task const& task) const {
    parallel_for(team_, count, task);
  }

  /// A's panels and then B's, each thread as nearly the same width of both as panels allow: in
  /// groups of eight panels, 1024x1024x1024 of f32 had 15 unequal ones for 16 threads.
  void pack_shared(block const& x, panels const& p) const {
    index const a_panels = p.a_is_shared ? x.rows.count() : 0;
    index const b_panels = p.b_is_shared ? x.cols.count() : 0;
    if (a_panels + b_panels == 0) return;
    index const a_width = a_panels * kernel_.rows;
    auto const shares = even_parts::of(a_width + b_panels * kernel_.cols, plan_.threads);
    // The first panel that begins at or after that place.
    auto const panel_at = [&](index place) {
      return place < a_width ? ceil_div(place, kernel_.rows)
                             : a_panels + ceil_div(place - a_width, kernel_.cols);
    };
    for_each(plan_.threads, [&](index n) {
      range const own{panel_at(shares.begin(n)), panel_at(shares.begin(n + 1))};
      for_each_group({own.first, std::min(own.end, a_panels)}, [&](range some) {
        pack_a(x, {x.rows.first + some.first, x.rows.first + some.end},
               p.a + some.first * a_panel_bytes_);
      });
      for_each_group({std::max<index>(0, own.first - a_panels), own.end - a_panels},
                     [&](range some) {
                       pack_b(x, {x.cols.first + some.first, x.cols.first + some.end},
                              p.b + some.first * b_panel_bytes_);
                     });
    });
  }

  /// Of panels that are packed side by side.
  template <class Pack>
  static void for_each_group(range panels, Pack const& pack) {
    index const most = gemm_tuning.panels_side_by_side;
    for (index first = panels.first; first < panels.end; first += most)
      pack(range{first, std::min(panels.end, first + most)});
  }

  index panel_k_groups() const {
    index const together = kernel_.k_groups_together;
    return ceil_div(plan_.most_k_groups, together) * together;
  }
  range rows_of(index panel) const {
    return {plan_.rows.begin(panel), std::min(call_.rows, plan_.rows.begin(panel + 1))};
  }
  range cols_of(index panel) const {
    return {panel * kernel_.cols, std::min(call_.cols, (panel + 1) * kernel_.cols)};
  }
  /// Elements along k.
  range k_range_of(range k_groups) const {
    return {k_groups.first * kernel_.unit, std::min(call_.k_extent, k_groups.end * kernel_.unit)};
  }

  /// From row to row of sums that are not in C.
  index tile_pitch() const { return kernel_.cols * kernel_.accumulator_bytes; }

  char const* address_of(gemm_operand const& o, index batch, index i, index p) const {
    return o.data + batch * o.batch_step + i * o.step + p * o.k_step;
  }
  panel_source source_of(gemm_operand const& o, index batch, range width, range k_extent) const {
    return {address_of(o, batch, width.first, k_extent.first),
            o.step,
            o.k_step,
            width.count(),
            k_extent.count(),
            o.conjugated,
            call_.problem};
  }

  /// Panels into memory one behind the other; a few steps of each at a time where it is their width
  /// that is contiguous.
  template <class Pack>
  void pack_panels(gemm_operand const& o, range some, range k_groups, Pack const& pack) const {
    bool const is_wide = std::abs(o.step) < std::abs(o.k_step) && some.count() > 1;
    index const at_once = is_wide ? gemm_tuning.k_groups_side_by_side : k_groups.count();
    for (index first = k_groups.first; first < k_groups.end; first += at_once)
      for (index panel = some.first; panel < some.end; ++panel)
        pack(panel, range{first, std::min(k_groups.end, first + at_once)});
  }

  void pack_a(block const& x, range some, char* to) const {
    pack_panels(call_.a, some, x.k_groups, [&](index panel, range k_groups) {
      kernel_.pack_a(source_of(call_.a, x.batch, rows_of(panel), k_range_of(k_groups)),
                     to + (panel - some.first) * a_panel_bytes_ +
                         (k_groups.first - x.k_groups.first) * kernel_.a_step);
    });
  }
  void pack_b(block const& x, range some, char* to) const {
    pack_panels(call_.b, some, x.k_groups, [&](index panel, range k_groups) {
      kernel_.pack_b(source_of(call_.b, x.batch, cols_of(panel), k_range_of(k_groups)),
                     to + (panel - some.first) * b_panel_bytes_ + kernel_.b_header +
                         (k_groups.first - x.k_groups.first) * kernel_.b_step);
    });
    if (kernel_.finish_b_panel != nullptr)
      for (index panel = 0; panel < some.count(); ++panel)
        kernel_.finish_b_panel(to + panel * b_panel_bytes_, x.k_groups.count());
  }

  bool packs_a(block_layout const& l) const { return !plan_.a_in_place && !l.a_is_shared; }
  bool packs_b(block_layout const& l) const { return !plan_.b_in_place && !l.b_is_shared; }

  /// What a thread has for itself in macro_kernel(): a panel of A, those of B, a tile.
  index cell_bytes(block_layout const& l, index cols) const {
    return (packs_a(l) ? a_panel_bytes_ : 0) +
           (packs_b(l) ? std::min(cols, plan_.col_panels_in_l2) * b_panel_bytes_ : 0) + tile_bytes_;
  }
  /// And in loop_with_b_in_l2(): a panel of A, a row of tiles.
  index own_bytes_by_rows() const {
    return (plan_.a_in_place ? 0 : a_panel_bytes_) + plan_.col_panels * tile_bytes_;
  }

  void macro_kernel(block const& x, panels const& p, range rows, range cols, char* own) const {
    index const cached = std::min(cols.count(), plan_.col_panels_in_l2);
    objects_in_use const objects(kernel_, own, cell_bytes(p, cols.count()));
    char* const own_a = own;
    char* const own_b = own_a + (packs_a(p) ? a_panel_bytes_ : 0);
    char* const tile = own_b + (packs_b(p) ? cached * b_panel_bytes_ : 0);
    kernel_in_use const in_use(kernel_, plan_.threads > 1);

    for (index first = cols.first; first < cols.end; first += cached) {
      range const here{first, std::min(cols.end, first + cached)};
      if (packs_b(p)) pack_b(x, here, own_b);
      for (index r = rows.first; r < rows.end; ++r) {
        if (packs_a(p)) pack_a(x, {r, r + 1}, own_a);
        microkernel_args job =
            job_of_rows(x, r, packs_a(p) ? own_a : p.a + (r - x.rows.first) * a_panel_bytes_);
        if (plan_.prefetches_a && (r + 1 < rows.end || x.k_groups.end < plan_.k_group_count))
          job.a_next =
              r + 1 < rows.end
                  ? address_of(call_.a, x.batch, rows_of(r + 1).first, x.k_groups.first)
                  : address_of(call_.a, x.batch, rows_of(rows.first).first, x.k_groups.end);
        for (index c = here.first; c < here.end; ++c, job.a_next = nullptr) {
          char const* const b_panel = packs_b(p) ? own_b + (c - first) * b_panel_bytes_
                                                 : p.b + (c - x.cols.first) * b_panel_bytes_;
          call_microkernel(x, p, r, c, b_panel + kernel_.b_header, job, tile);
        }
      }
    }
  }

  microkernel_args job_of_rows(block const& x, index panel, char const* a_panel) const {
    microkernel_args job{};
    job.k_extent = x.k_groups.count();
    job.rows = rows_of(panel).count();
    job.continues = !x.is_first;
    job.is_split_k = plan_.split_k > 1;
    job.context = call_.problem;
    if (plan_.a_in_place) {
      job.a = address_of(call_.a, x.batch, rows_of(panel).first, x.k_groups.first);
      job.a_row_step = call_.a.step;
    } else {
      job.a = a_panel;
    }
    return job;
  }

  /// With what job_of_rows left open. The job is not copied: reading it back at once, in wider
  /// pieces than it was written in, took 2 % of 256x256x256.
  void call_microkernel(block const& x, panels const& p, index r, index c, char const* b_panel,
                        microkernel_args& job, char* tile) const {
    range const rows = rows_of(r);
    range const cols = cols_of(c);
    job.cols = cols.count();
    if (plan_.b_in_place) {
      job.b = address_of(call_.b, x.batch, cols.first, x.k_groups.first);
      job.b_k_step = call_.b.k_step;
    } else {
      job.b = b_panel;
      job.b_k_step = kernel_.b_step;
    }
    if (plan_.accumulates_in_c) {
      job.accumulators = call_.c + x.batch * call_.c_batch_step + rows.first * call_.c_row_step +
                         cols.first * call_.c_col_step;
      job.accumulators_pitch = call_.c_row_step;
    } else {
      index const place = (r - x.rows.first) * x.cols.count() + (c - x.cols.first);
      job.accumulators = plan_.accumulates_in_workspace ? p.c_tiles + place * tile_bytes_ : tile;
      job.accumulators_pitch = tile_pitch();
    }
    kernel_.multiply(job);
    if (!x.is_last || (plan_.accumulates_in_c && call_.c_needs_no_epilogue)) return;
    epilogue(x.batch, r, c, job.accumulators, job.accumulators_pitch);
    restore_kernel();
  }

  /// After what a function of somebody else may have done to AMX: calling conventions keep neither
  /// its tiles, of which none is needed here, nor their shapes. Where the kernel is in use.
  void restore_kernel() const {
    if (call_.epilogue_is_user_code && kernel_.begin != nullptr) kernel_.begin();
  }

  void epilogue(index batch, index r, index c, char const* accumulators, index pitch) const {
    range const rows = rows_of(r);
    range const cols = cols_of(c);
    if (call_.is_transposed)
      call_.epilogue(call_.problem, {batch, cols.first, rows.first, cols.count(), rows.count(),
                                     accumulators, kernel_.accumulator_bytes, pitch});
    else
      call_.epilogue(call_.problem, {batch, rows.first, cols.first, rows.count(), cols.count(),
                                     accumulators, pitch, kernel_.accumulator_bytes});
  }

  gemm_call const& call_;
  gemm_kernel const& kernel_;
  gemm_blocking const& plan_;
  int team_;  // of which plan_.threads have something to do
  index a_panel_bytes_;
  index b_panel_bytes_;
  index tile_bytes_;
  block_layout layouts_[2][2];  // of blocks of full and of lesser height, and width
  struct {
    index shared = 0;  // by all threads of a product
    index own = 0;     // of each
  } memory_;
};

}  // namespace

void run_blocked_gemm(execution const& where, gemm_call const& given) {
  int const threads = where.threads;
  if (is_gemv(given)) return run_gemv(where, given);
  if (given.rows == 1 && is_gemv(transposed(given))) return run_gemv(where, transposed(given));
  bool const is_by_columns = given.c_row_step == given.c_bytes && given.c_col_step != given.c_bytes;
  gemm_call call = is_by_columns && given.kernel->commutes ? transposed(given) : given;
  call.kernel = &kernel_for_size(*call.kernel, call.rows, call.cols, call.k_extent);
  if (explain_only(where, call.kernel->name)) return;
  gemm_blocking const plan = choose_blocking(call, threads);
  gemm_run const run(call, plan, threads);
  int const products_at_once = plan.threads_share_batch ? team_for(threads, call.batch) : 1;
  workspace const memory(products_at_once * run.memory_bytes(),
                         std::max(products_at_once, plan.threads));
  if (products_at_once > 1)
    return parallel_for(products_at_once, call.batch, [&](index b, int member) {
      kernel_in_use const in_use(*call.kernel, true);
      run.multiply(b, memory.data() + member * run.memory_bytes());
    });
  kernel_in_use const in_use(*call.kernel, plan.threads == 1);
  for (index b = 0; b < call.batch; ++b) run.multiply(b, memory.data());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
