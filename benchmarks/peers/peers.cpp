// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/peers.hpp"

#include "peers/script_peer.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace xpose::bench {
namespace {

struct peer_row {
  char const* name;
  bool is_device;
  bool is_script;
};

constexpr peer_row table[] = {
    {"openblas", false, false}, {"blis", false, false},    {"mkl", false, false},
    {"eigen", false, false},    {"onednn", false, false},  {"fftw", false, false},
    {"libxsmm", false, false},  {"hptt", false, false},    {"numpy", false, true},
    {"cublas", true, false},    {"cublaslt", true, false}, {"cutensor", true, false},
    {"torch", true, true},
};

/// Beside the program, or where XPOSE_BENCH_PEERS says (tests put modules that misbehave there).
std::filesystem::path peers_folder() {
  if (char const* const given = std::getenv("XPOSE_BENCH_PEERS")) return given;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peers";
}

std::string reason_of_loader() {
  char const* const text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

loaded_peer load_module(peer_row const& row) {
  auto const path = peers_folder() / ("xpose-peer-" + std::string(row.name) + ".so");
  if (!std::filesystem::exists(path))
    return {row.name, nullptr, "not found when xpose was configured"};
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return {row.name, nullptr, reason_of_loader()};
  auto* const make = reinterpret_cast<peer* (*)()>(dlsym(module, "xpose_bench_peer"));
  if (make == nullptr) return {row.name, nullptr, reason_of_loader()};
  return {row.name, make(), ""};
}

loaded_peer load_script(peer_row const& row) {
  auto const path = peers_folder() / (std::string(row.name) + "_peer.py");
  if (!std::filesystem::exists(path)) return {row.name, nullptr, path.string() + " is missing"};
  static std::map<std::string, std::unique_ptr<script_peer>> scripts;
  auto& script = scripts[row.name];
  if (script == nullptr) script = std::make_unique<script_peer>(path.string());
  return {row.name, script.get(), ""};
}

}  // namespace

std::vector<std::string> peer_names(bool is_device) {
  std::vector<std::string> names;
  for (auto const& row : table)
    if (row.is_device == is_device) names.emplace_back(row.name);
  return names;
}

std::vector<loaded_peer> load_peers(std::vector<std::string> const& names, bool is_device) {
  std::vector<loaded_peer> loaded;
  for (auto const& name : names) {
    auto const row = std::find_if(std::begin(table), std::end(table),
                                  [&](peer_row const& r) { return name == r.name; });
    if (row == std::end(table)) throw std::invalid_argument("unknown peer '" + name + "'");
    if (row->is_device != is_device) continue;
    loaded.push_back(row->is_script ? load_script(*row) : load_module(*row));
  }
  return loaded;
}

script_peer* as_script(peer* library) {
  return dynamic_cast<script_peer*>(library);
}

}  // namespace xpose::bench
