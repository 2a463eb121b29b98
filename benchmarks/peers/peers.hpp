// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The peers of a run: modules and scripts beside the program, loaded when they are asked for.
#pragma once

#include "core/machine.hpp"
#include "peers/peer.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace xpose::bench {

/// A peer that could be loaded, or the reason why not.
struct loaded_peer {
  std::string name;
  peer* library = nullptr;  ///< null: absent
  std::string absent;       ///< why
  bool is_xpose = false;    ///< called another way
};

/// The names of all peers for devices, or of all for the host; absent ones too. Groups are "all"
/// and "python": NumPy, PyTorch, CuPy and xpose's own package, what is called from Python.
std::vector<std::string> peer_names(bool is_device);
std::vector<std::string> peer_groups();

/// Loads those of the names and groups that run there. An unknown name throws
/// std::invalid_argument.
std::vector<loaded_peer> load_peers(std::vector<std::string> const& names, bool is_device);

/// A peer in another process: a Python script that speaks one JSON object a line (the protocol is
/// in peers/protocol.py). It has operands of its own and times itself.
class script_peer;

/// Null if the peer is a module.
script_peer* as_script(peer* library);

class script_runner {
 public:
  virtual ~script_runner() = default;
  /// That many calls, by the script's own clock.
  virtual seconds_of_calls timed_calls(int calls) = 0;
  /// The output that the script computed from the bench's operands, as bytes.
  virtual std::vector<unsigned char> output() = 0;
  virtual std::string kernel() const = 0;
};

/// Larger operands are not handed to a script: they travel through files.
constexpr std::size_t largest_for_script = std::size_t{256} << 20;

/// Operands of a case as the bench holds them.
struct operand_bytes {
  void const* data;
  std::size_t bytes;
};

/// request: the case as the protocol has it. Null if the script lacks the case, or an operand is
/// larger than largest_for_script.
std::unique_ptr<script_runner> prepare_in_script(script_peer& script, nlohmann::json request,
                                                 machine& where, int threads, int slots,
                                                 operand_bytes in, std::size_t out_bytes);
std::unique_ptr<script_runner> prepare_in_script(script_peer& script, nlohmann::json request,
                                                 machine& where, int threads, int slots,
                                                 operand_bytes a, operand_bytes b,
                                                 std::size_t c_bytes);

}  // namespace xpose::bench
