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

struct known_peer {
  char const* name;
  bool is_device;
  bool is_script;
};

constexpr known_peer table[] = {
    {"openblas", false, false}, {"blis", false, false},        {"mkl", false, false},
    {"eigen", false, false},    {"onednn", false, false},      {"fftw", false, false},
    {"libxsmm", false, false},  {"hptt", false, false},        {"numpy", false, true},
    {"cublas", true, false},    {"cublaslt", true, false},     {"cutensor", true, false},
    {"torch", true, true},      {"torch_compile", true, true},
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

loaded_peer load_module(known_peer const& known) {
  auto const path = peers_folder() / ("xpose-peer-" + std::string(known.name) + ".so");
  if (!std::filesystem::exists(path))
    return {known.name, nullptr, "not found when xpose was configured"};
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return {known.name, nullptr, reason_of_loader()};
  auto* const make = reinterpret_cast<peer* (*)()>(dlsym(module, "xpose_bench_peer"));
  if (make == nullptr) return {known.name, nullptr, reason_of_loader()};
  return {known.name, make(), ""};
}

loaded_peer load_script(known_peer const& known) {
  auto const path = peers_folder() / (std::string(known.name) + "_peer.py");
  if (!std::filesystem::exists(path)) return {known.name, nullptr, path.string() + " is missing"};
  static std::map<std::string, std::unique_ptr<script_peer>> scripts;
  auto& script = scripts[known.name];
  if (script == nullptr) script = std::make_unique<script_peer>(path.string());
  return {known.name, script.get(), ""};
}

}  // namespace

std::vector<std::string> peer_names(bool is_device) {
  std::vector<std::string> names;
  for (auto const& known : table)
    if (known.is_device == is_device) names.emplace_back(known.name);
  return names;
}

std::vector<loaded_peer> load_peers(std::vector<std::string> const& names, bool is_device) {
  std::vector<loaded_peer> loaded;
  for (auto const& name : names) {
    auto const known = std::find_if(std::begin(table), std::end(table),
                                    [&](known_peer const& r) { return name == r.name; });
    if (known == std::end(table)) throw std::invalid_argument("unknown peer '" + name + "'");
    if (known->is_device != is_device) continue;
    loaded.push_back(known->is_script ? load_script(*known) : load_module(*known));
  }
  return loaded;
}

script_peer* as_script(peer* library) { return dynamic_cast<script_peer*>(library); }

}  // namespace xpose::bench
