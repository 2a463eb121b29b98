// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "machine/processor.hpp"

#include <xpose/backends/omp/runtime/isa.hpp>
#include <xpose/explain.hpp>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

namespace xpose::tools {
namespace {

/// The text behind "key : " or "key=" in a file's first line that begins with the key.
std::string value_in(char const* path, std::string const& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    std::size_t const begin = line.find_first_not_of(" \t:=\"", key.size());
    if (begin == std::string::npos) return "";
    return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return "";
}

int number_in(std::string const& path) {
  std::ifstream file(path);
  int number = -1;
  return file >> number ? number : -1;
}

/// Sockets, and pairs of socket and core, of the processors that this process may use.
void count_cores(processor_facts& facts) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::set<int> sockets;
  std::set<std::pair<int, int>> cores;
  facts.threads = CPU_COUNT(&allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::string const folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    int const socket = number_in(folder + "physical_package_id");
    int const core = number_in(folder + "core_id");
    if (core < 0) continue;
    sockets.insert(socket);
    cores.insert({socket, core});
  }
  facts.sockets = static_cast<int>(sockets.size());
  facts.cores = static_cast<int>(cores.size());
}

std::int64_t bytes_of_cache(int name) { return std::max<long>(0, sysconf(name)); }

struct known_name {
  char const* highway;
  char const* name;
};

// Highway's targets, and what processors with them are said to have.
constexpr known_name known_names[] = {
    {"AVX3_SPR", "AVX-512 (Sapphire Rapids)"},
    {"AVX3_ZEN4", "AVX-512 (Zen 4)"},
    {"AVX3_DL", "AVX-512 (Ice Lake)"},
    {"AVX3", "AVX-512 (Skylake)"},
    {"AVX10_2", "AVX10.2"},
    {"SSE4", "SSE4.2"},
    {"EMU128", "portable"},
    {"SCALAR", "portable"},
};

instruction_set named(detail::isa target) {
  std::string const highway = detail::isa_name(target);
  for (known_name const& known : known_names)
    if (highway == known.highway) return {known.name, highway};
  return {highway, highway};
}

/// Asks which kernel a product of bytes would run, without memory.
bool would_use_amx() {
  auto const square = [](int bytes, detail::element_type type, std::uintptr_t at) {
    return detail::operand{
        reinterpret_cast<void*>(at), 1, 4096, 4096, 0, 4096, 1, bytes, bytes, type, false};
  };
  constexpr std::uintptr_t gigabyte = 1 << 30;
  detail::gemm_request request{};
  request.a = square(1, detail::element_type::i8, gigabyte);
  request.b = square(1, detail::element_type::i8, 2 * gigabyte);
  request.c = square(4, detail::element_type::i32, 3 * gigabyte);
  request.accumulate = detail::element_type::i32;
  request.alpha_is_one = request.beta_is_zero = true;
  auto const ran = detail::explain_gemm(detail::execution_of(omp, nullptr), request);
  return std::strstr(ran.kernel, "amx") != nullptr;
}

}  // namespace

processor_facts this_processor() {
  processor_facts facts{};
  utsname system{};
  uname(&system);
  facts.model = value_in("/proc/cpuinfo", "model name");
  if (facts.model.empty()) facts.model = system.machine;
  count_cores(facts);
  facts.l1_bytes = bytes_of_cache(_SC_LEVEL1_DCACHE_SIZE);
  facts.l2_bytes = bytes_of_cache(_SC_LEVEL2_CACHE_SIZE);
  facts.l3_bytes = bytes_of_cache(_SC_LEVEL3_CACHE_SIZE);
  facts.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  std::string const distribution = value_in("/etc/os-release", "PRETTY_NAME");
  facts.system = (distribution.empty() ? "" : distribution + ", ") + std::string(system.sysname) +
                 " " + system.release + " " + system.machine;
  return facts;
}

instruction_sets these_instruction_sets() {
  instruction_sets sets{};
  sets.in_use = named(detail::active_isa());
  for (detail::isa const target : detail::supported_isas()) sets.usable.push_back(named(target));
  for (detail::isa left = detail::compiled_isas(); left != 0; left &= left - 1)
    sets.built.push_back(named(left & -left));
  sets.uses_amx = would_use_amx();
  return sets;
}

}  // namespace xpose::tools
