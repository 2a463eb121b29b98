// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace xpose::bench {

void session::about(std::string const& candidate) {
  std::size_t const length = std::min(candidate.size(), sizeof status_.candidate - 1);
  std::memcpy(status_.candidate, candidate.c_str(), length);
  status_.candidate[length] = '\0';
}

std::string const* session::crash_reason_of(std::string const& candidate) const {
  for (auto const& c : crashed_candidates_)
    if (c.job == status_.job && c.candidate == candidate) return &c.reason;
  return nullptr;
}

void session::tell(bench_result const& result) { send({{"result", result.to_json()}}); }

void session::send(json const& message) {
  std::string const line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    ssize_t const count = write(pipe_, line.data() + sent, line.size() - sent);
    if (count < 0) _exit(1);  // the supervisor is gone
    sent += static_cast<std::size_t>(count);
  }
}

}  // namespace xpose::bench
