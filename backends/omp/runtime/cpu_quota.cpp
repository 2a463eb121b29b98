// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/runtime/cpu_quota.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

/// Processors of a group of version 2: "250000 100000" are 2.5, "max 100000" is no quota.
double quota_of_version_2(std::string const& group) {
  double quota = 0;
  double period = 0;
  std::ifstream file(group + "/cpu.max");
  return file >> quota >> period && period > 0 ? quota / period : no_quota;
}

/// Of version 1, in two files; a quota of -1 is none.
double quota_of_version_1(std::string const& group) {
  double quota = 0;
  double period = 0;
  std::ifstream quota_file(group + "/cpu.cfs_quota_us");
  std::ifstream period_file(group + "/cpu.cfs_period_us");
  bool const is_read = quota_file >> quota && period_file >> period;
  return is_read && quota > 0 && period > 0 ? quota / period : no_quota;
}

/// The least of a group and of those around it. A container may see its path of the host, which its
/// own mount does not have: only the outermost is there then.
double least_quota(double (*quota_of)(std::string const&), std::string const& mount,
                   std::string path) {
  double least = quota_of(mount);
  for (; path.size() > 1; path.resize(path.rfind('/')))
    least = std::min(least, quota_of(mount + path));
  return least;
}

}  // namespace

int cpu_quota(std::string const& groups, std::string const& membership) {
  double least = no_quota;
  std::ifstream file(membership);
  // "0::/path" of version 2, "4:cpu,cpuacct:/path" of version 1.
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    std::string const path = line.substr(second + 1);
    if (path.empty() || path[0] != '/') continue;
    if (controllers.empty()) least = std::min(least, least_quota(quota_of_version_2, groups, path));
    else if ((',' + controllers + ',').find(",cpu,") != std::string::npos)
      least = std::min(least, least_quota(quota_of_version_1, groups + '/' + controllers, path));
  }
  constexpr double most = 1 << 20;
  return least > most ? 0 : std::max(1, static_cast<int>(least));
}

int cpu_quota() {
  static int const known = cpu_quota("/sys/fs/cgroup", "/proc/self/cgroup");
  return known;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
