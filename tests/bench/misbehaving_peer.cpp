// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A peer of xpose-bench that crashes, exits, throws or computes nonsense, as XPOSE_TEST_PEER says.

#include "../../benchmarks/peers/peer.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace xpose::bench {
namespace {

std::string behaviour() {
  char const* const asked = std::getenv("XPOSE_TEST_PEER");
  return asked == nullptr ? "" : asked;
}

class misbehaving_runner : public copy_runner {
 public:
  explicit misbehaving_runner(transpose_case const& what) : what_(what) {}

  void run(void const* in, void* out) override {
    ++calls_;
    if (behaviour() == "crash") std::raise(SIGSEGV);
    if (behaviour() == "crash later" && calls_ > 3) std::raise(SIGSEGV);
    if (behaviour() == "exit") std::exit(1);
    if (behaviour() == "throw") throw std::runtime_error("it cannot");
    auto const bytes = static_cast<std::size_t>(what_.rows * what_.cols) * what_.type.bytes;
    if (behaviour() == "overrun") {
      transpose(in, out);
      static_cast<unsigned char*>(out)[bytes] = 0;
    } else if (behaviour() == "wrong") {
      transpose(in, out);
      static_cast<unsigned char*>(out)[bytes - 1] ^= 1;
    } else {
      std::memset(out, 0, 1);  // the rest stays unwritten
    }
  }
  std::string kernel() const override { return "misbehaves"; }

 private:
  void transpose(void const* in, void* out) const {
    auto const* const from = static_cast<unsigned char const*>(in);
    auto* const to = static_cast<unsigned char*>(out);
    std::size_t const bytes = what_.type.bytes;
    for (index i = 0; i < what_.rows; ++i)
      for (index j = 0; j < what_.cols; ++j)
        std::memcpy(to + static_cast<std::size_t>(j * what_.rows + i) * bytes,
                    from + static_cast<std::size_t>(i * what_.cols + j) * bytes, bytes);
  }

  transpose_case what_;
  int calls_ = 0;
};

class misbehaving_peer : public peer {
 public:
  std::string version() const override { return "0"; }
  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const&, void const*,
                                       void*) override {
    if (behaviour() == "absent") return nullptr;
    if (behaviour() == "crash in prepare") std::raise(SIGFPE);
    return std::make_unique<misbehaving_runner>(what);
  }
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::misbehaving_peer the_peer;
  return &the_peer;
}
