// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "peers/peers.hpp"

#include <nlohmann/json.hpp>

#include <sys/types.h>

namespace xpose::bench {

class script_peer : public peer {
 public:
  /// Starts nothing yet.
  explicit script_peer(std::string path) : path_(std::move(path)) {}
  ~script_peer() override;

  std::string version() const override;

  /// One request and its answer; starts the script at the first. Throws std::runtime_error if it
  /// died.
  nlohmann::json ask(nlohmann::json const& request, int threads);

 private:
  void start(int threads);
  void stop() noexcept;

  std::string path_;
  std::string version_;
  pid_t process_ = 0;
  int threads_ = 0;
  int requests_ = -1;
  FILE* answers_ = nullptr;
};

}  // namespace xpose::bench
