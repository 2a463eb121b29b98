// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory for operands: an image on the host, and the same bytes where the backend under test wants
// them. Tests compare whole images, so a byte written outside the output's elements shows.
#pragma once

#include "guarded_memory.hpp"

#include <cstddef>
#include <cstring>
#include <memory>

/// With a guard, host memory begins right behind or ends right before a page that kills who touches
/// it.
enum class place { host, host_guard_before, host_guard_behind, device };

/// Raw memory in one place. Device memory comes from cudaMalloc; asking for it in a build without
/// CUDA throws.
class place_memory {
 public:
  place_memory(place where, std::size_t bytes);
  ~place_memory();
  place_memory(place_memory const&) = delete;
  place_memory& operator=(place_memory const&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void write(void const* from);  // all bytes
  void read(void* to) const;
  bool holds(void const* expected) const;

 private:
  place where_;
  std::size_t bytes_;
  std::unique_ptr<guarded_memory> block_;  // null without a guard
  std::byte* data_;
};

/// Bytes that a call works on: filled on the host, sent to the place, and fetched back for
/// comparison. Poison surrounds them, but where the place has a guard.
class image {
 public:
  static constexpr std::size_t margin_bytes = 64;  // keeps the alignment of every element
  static constexpr unsigned char poison = 0xA5;

  image(place where, std::size_t bytes)
      : before_(where == place::host_guard_before ? 0 : margin_bytes),
        host_(place::host,
              before_ + bytes + (where == place::host_guard_behind ? 0 : margin_bytes)),
        there_(where, host_.bytes()) {
    std::memset(host_.data(), poison, host_.bytes());
    send();
  }

  std::byte* host() const { return host_.data() + before_; }
  std::byte* there() const { return there_.data() + before_; }
  void send() { there_.write(host_.data()); }
  /// Whether the bytes in the place are those of the host image, poison included.
  bool is_as_on_host() const { return there_.holds(host_.data()); }
  /// Replaces the host image by the bytes of the place.
  void fetch() { there_.read(host_.data()); }

 private:
  std::size_t before_;
  place_memory host_;
  place_memory there_;
};
