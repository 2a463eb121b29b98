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

enum class side { host, device };
enum class kind { module, script };
/// Which groups name it.
enum class group { all, python, both };

struct known_peer {
  char const* name;
  side where;
  kind made_as;
  group in;

  bool runs_on(bool is_device) const { return (where == side::device) == is_device; }
  bool is_named(std::string const& asked) const {
    if (asked == "all") return in != group::python;
    if (asked == "python") return in != group::all;
    return asked == name;
  }
};

// `all` holds what results are compared with; `python` is for the cost of a call. torch_compile,
// which compiles for seconds a case, is in `all` alone.
constexpr known_peer table[] = {
    {"openblas", side::host, kind::module, group::all},
    {"blis", side::host, kind::module, group::all},
    {"mkl", side::host, kind::module, group::all},
    {"eigen", side::host, kind::module, group::all},
    {"onednn", side::host, kind::module, group::all},
    {"fftw", side::host, kind::module, group::all},
    {"libxsmm", side::host, kind::module, group::all},
    {"hptt", side::host, kind::module, group::all},
    {"xpose_python", side::host, kind::script, group::python},
    {"numpy", side::host, kind::script, group::both},
    {"torch", side::host, kind::script, group::python},
    {"cublas", side::device, kind::module, group::all},
    {"cublaslt", side::device, kind::module, group::all},
    {"cutensor", side::device, kind::module, group::all},
    {"xpose_python", side::device, kind::script, group::python},
    {"torch", side::device, kind::script, group::both},
    {"torch_compile", side::device, kind::script, group::all},
    {"cupy", side::device, kind::script, group::python},
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
  return {known.name, script.get(), "", known.name == std::string("xpose_python")};
}

}  // namespace

std::vector<std::string> peer_names(bool is_device) {
  std::vector<std::string> names;
  for (auto const& known : table)
    if (known.runs_on(is_device)) names.emplace_back(known.name);
  return names;
}

std::vector<std::string> peer_groups() { return {"all", "python"}; }

std::vector<loaded_peer> load_peers(std::vector<std::string> const& names, bool is_device) {
  std::vector<loaded_peer> loaded;
  for (auto const& name : names) {
    bool is_known = false;
    for (auto const& known : table) {
      if (!known.is_named(name)) continue;
      is_known = true;
      bool const is_loaded = std::any_of(
          loaded.begin(), loaded.end(), [&](loaded_peer const& l) { return l.name == known.name; });
      if (known.runs_on(is_device) && !is_loaded)
        loaded.push_back(known.made_as == kind::script ? load_script(known) : load_module(known));
    }
    if (!is_known) throw std::invalid_argument("unknown peer '" + name + "'");
  }
  return loaded;
}

script_peer* as_script(peer* library) { return dynamic_cast<script_peer*>(library); }

}  // namespace xpose::bench
