// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/transpose/block_cycles.hpp>

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/omp/runtime/team.hpp>

#include <algorithm>
#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Part of the work of one thread.
/// Of a long cycle (`next` is the part that begins in slot `end`, and whose first block was saved):
///   first <- source of first <- source of that <- .. <- end
/// Or all short cycles whose first slots are in [first, end).
struct cycle_part {
  static constexpr index none = -1;

  index first;
  index end;
  index next;  // none: short cycles
};

/// About so many parts a thread, so that threads have equal work.
constexpr index parts_of_member = 8;

/// Cycles of up to so many blocks are short.
index steps_of_part(index slots, int team) {
  return team == 1 ? slots : std::max<index>(1, slots / (parts_of_member * team));
}
/// Parts of short cycles have as many blocks, and so have parts of long cycles but the last of
/// each.
index most_parts(index slots, int team) {
  return 3 * ceil_div(slots, steps_of_part(slots, team)) + 2;
}

class bits {
 public:
  explicit bits(std::uint64_t* words) : words_(words) {}
  static index words_for(index count) { return ceil_div(count, index{64}); }
  bool operator[](index i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(index i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  /// The next bit from i on that is `value`; `end` if there is none below it.
  index next(index i, index end, bool value) const {
    while (i < end) {
      std::uint64_t const word = (value ? words_[i / 64] : ~words_[i / 64]) >> (i % 64);
      if (word != 0) return std::min(end, i + __builtin_ctzll(word));
      i = (i / 64 + 1) * 64;
    }
    return end;
  }

 private:
  std::uint64_t* words_;
};

index aligned(index bytes) { return ceil_div(bytes, index{64}) * 64; }

struct layout {
  index words;
  index parts;
  index block_pitch;
  int team;

  layout(block_slots const& slots, int given_team)
      : words(bits::words_for(slots.count())),
        parts(most_parts(slots.count(), given_team)),
        block_pitch(aligned(slots.block_bytes)),
        team(given_team) {}
  index part_bytes() const { return aligned(parts * index{sizeof(cycle_part)}); }
  index bit_bytes() const { return aligned(words * 8); }
  // The first of each part, and one for each thread.
  index block_bytes() const { return (parts + team) * block_pitch; }
};

/// Finds all cycles and their parts; the first slots of short cycles become set in `leaders`.
class cycle_finder {
 public:
  cycle_finder(block_permutation const& p, int team, bits visited, bits leaders, cycle_part* parts)
      : p_(p),
        most_steps_(steps_of_part(p.slots.count(), team)),
        visited_(visited),
        leaders_(leaders),
        parts_(parts) {}

  /// Returns how many parts there are.
  index find() {
    index const count = p_.slots.count();
    for (index s = 0; (s = visited_.next(s, count, false)) < count; ++s) {
      take_cycle(s);
      if (short_steps_ >= most_steps_) end_short_cycles(s + 1);
    }
    if (short_steps_ > 0) end_short_cycles(count);
    return count_;
  }

 private:
  void take_cycle(index first) {
    index const before = count_;
    index begin = first;
    index steps = 0;
    index at = first;
    do {
      if (steps == most_steps_) {
        parts_[count_] = {begin, at, count_ + 1};
        ++count_;
        begin = at;
        steps = 0;
      }
      visited_.set(at);
      at = p_.source_of(at);
      ++steps;
    } while (at != first);
    if (count_ > before) {
      parts_[count_++] = {begin, first, before};
    } else if (steps > 1) {
      leaders_.set(first);
      short_steps_ += steps;
    }
  }

  void end_short_cycles(index end) {
    parts_[count_++] = {first_short_, end, cycle_part::none};
    first_short_ = end;
    short_steps_ = 0;
  }

  block_permutation const& p_;
  index most_steps_;
  bits visited_;
  bits leaders_;
  cycle_part* parts_;
  index count_ = 0;
  index first_short_ = 0;  // slot from which on short cycles belong to no part
  index short_steps_ = 0;  // of these
};

/// Asks for a block that is read and then written, a few steps ahead of both.
void prefetch_block(char const* block, index bytes) {
  constexpr index most_bytes = 2048;  // the hardware foresees the rest
  index const some = std::min(bytes, most_bytes);
  for (index b = 0; b < some; b += 64) __builtin_prefetch(block + b, 1, 2);
  __builtin_prefetch(block + some - 1, 1, 2);
}

/// Slot `first` takes the block of its source, which takes that of its own, and so on; the slot
/// whose source is `end` takes `last_block`.
void move_chain(block_permutation const& p, index first, index end, char const* last_block) {
  // 4097x4096 of 4 bytes in slots of 256 bytes, ms with 1, 2, 4, 8 and 16 KB on their
  // way: 9.9, 7.3, 5.6, 4.6, 4.8 (Zen 5).
  constexpr index bytes_ahead = 8192;
  constexpr index most_ahead = 64;
  index const bytes = p.slots.block_bytes;
  index const ahead = std::clamp<index>(bytes_ahead / bytes, 2, most_ahead);
  auto const size = static_cast<std::size_t>(bytes);
  char* sources[most_ahead];
  index at = p.source_of(first);
  index found = 0;
  auto const find = [&] {
    if (at == end) return;
    char* const source = p.slots.at(at);
    prefetch_block(source, bytes);
    sources[found++ % most_ahead] = source;
    at = p.source_of(at);
  };
  for (index k = 0; k < ahead; ++k) find();
  char* to = p.slots.at(first);
  for (index i = 0; i < found; ++i) {
    char* const from = sources[i % most_ahead];
    std::memcpy(to, from, size);
    to = from;
    find();
  }
  std::memcpy(to, last_block, size);
}

}  // namespace

char* block_slots::at(index slot) const {
  if (row_bytes == in_row * block_bytes) return data + slot * block_bytes;
  index const row = quotient(slot, in_row);
  return data + row * row_bytes + (slot - row * in_row) * block_bytes;
}

index block_permutation::source_of(index slot) const {
  index const by = gathers ? slots.rows : slots.in_row;
  index const other = gathers ? slots.in_row : slots.rows;
  index const whole = quotient(slot, by);
  return (slot - whole * by) * other + whole;
}

index permute_blocks_bytes(block_slots const& slots, int team) {
  layout const l(slots, team);
  return l.part_bytes() + 2 * l.bit_bytes() + l.block_bytes();
}

void permute_blocks(block_permutation const& p, int team, char* memory) {
  layout const l(p.slots, team);
  auto* const parts = reinterpret_cast<cycle_part*>(memory);
  char* const words = memory + l.part_bytes();
  char* const saved = words + 2 * l.bit_bytes();
  std::memset(words, 0, static_cast<std::size_t>(2 * l.bit_bytes()));
  bits const visited(reinterpret_cast<std::uint64_t*>(words));
  bits const leaders(reinterpret_cast<std::uint64_t*>(words + l.bit_bytes()));
  index const count = cycle_finder(p, team, visited, leaders, parts).find();

  auto const block_of = [&](index part) { return saved + part * l.block_pitch; };
  auto const size = static_cast<std::size_t>(p.slots.block_bytes);
  // A part's first slot is overwritten while the part before still needs its block.
  for (index k = 0; k < count; ++k)
    if (parts[k].next != cycle_part::none)
      std::memcpy(block_of(k), p.slots.at(parts[k].first), size);
  parallel_for(team, count, [&](index k, int member) {
    cycle_part const& part = parts[k];
    if (part.next != cycle_part::none)
      return move_chain(p, part.first, part.end, block_of(part.next));
    char* const own = block_of(l.parts + member);
    for (index s = part.first; (s = leaders.next(s, part.end, true)) < part.end; ++s) {
      std::memcpy(own, p.slots.at(s), size);
      move_chain(p, s, s, own);
    }
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
