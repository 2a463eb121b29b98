// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory for operands: an image on the host, and the same bytes where the backend under test wants
// them. Tests compare whole images, so a byte written outside the output's elements shows.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

enum class place { host, device };

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

 private:
  place where_;
  std::size_t bytes_;
  std::byte* data_;
};

/// Bytes that a call works on: filled on the host, sent to the place, and fetched back for
/// comparison.
class image {
 public:
  static constexpr std::size_t guard_bytes = 64;  // before and behind; keeps 16-byte alignment
  static constexpr unsigned char poison = 0xA5;

  image(place where, std::size_t bytes)
      : host_(bytes + 2 * guard_bytes), there_(where, host_.size()) {
    std::memset(host_.data(), poison, host_.size());
    send();
  }

  std::byte* host() { return host_.data() + guard_bytes; }
  std::byte* there() const { return there_.data() + guard_bytes; }
  void send() { there_.write(host_.data()); }
  /// Whether the bytes in the place are those of the host image, guards included.
  bool is_as_on_host() const {
    std::vector<std::byte> fetched(host_.size());
    there_.read(fetched.data());
    return fetched == host_;
  }
  /// Replaces the host image by the bytes of the place.
  void fetch() { there_.read(host_.data()); }

 private:
  std::vector<std::byte> host_;
  place_memory there_;
};
