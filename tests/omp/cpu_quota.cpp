// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The quota of processors, read from folders that look like Linux's control groups.

#include <xpose/backends/omp/runtime/cpu_quota.hpp>

#include <doctest/doctest.h>

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

TEST_SUITE_BEGIN("omp.user_code");

namespace {

namespace fs = std::filesystem;

/// Control groups of a test, in a folder that goes with it.
class groups {
 public:
  groups() {
    std::string name = (fs::temp_directory_path() / "xpose-groups-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  groups(groups const&) = delete;
  ~groups() { fs::remove_all(root_); }

  groups& file(std::string const& path, std::string const& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << '\n';
    return *this;
  }
  int quota(std::string const& membership) {
    file("membership", membership);
    return xpose::detail::cpu_quota(root_.string(), (root_ / "membership").string());
  }

 private:
  fs::path root_;
};

TEST_CASE("a quota of version 2 counts in whole processors, one at least") {
  CHECK(groups().file("cpu.max", "400000 100000").quota("0::/") == 4);
  CHECK(groups().file("job/cpu.max", "250000 100000").quota("0::/job") == 2);
  CHECK(groups().file("job/cpu.max", "50000 100000").quota("0::/job") == 1);
  CHECK(groups().file("job/cpu.max", "max 100000").quota("0::/job") == 0);
}

TEST_CASE("the smallest quota of a group and of those around it counts") {
  groups g;
  g.file("a/cpu.max", "300000 100000").file("a/b/cpu.max", "800000 100000");
  CHECK(g.quota("0::/a/b") == 3);
  CHECK(g.quota("0::/a/b/without_a_file") == 3);
  CHECK(g.quota("0::/elsewhere") == 0);
}

TEST_CASE("a quota of version 1 is in two files, and -1 is none") {
  groups g;
  g.file("cpu,cpuacct/box/cpu.cfs_quota_us", "600000")
      .file("cpu,cpuacct/box/cpu.cfs_period_us", "100000");
  CHECK(g.quota("7:memory:/box\n4:cpu,cpuacct:/box") == 6);
  CHECK(g.quota("4:cpuset:/box") == 0);
  g.file("cpu,cpuacct/box/cpu.cfs_quota_us", "-1");
  CHECK(g.quota("4:cpu,cpuacct:/box") == 0);
}

TEST_CASE("a container that sees its host's path has the quota of its own mount") {
  CHECK(groups().file("cpu.max", "200000 100000").quota("0::/kubepods/pod7/c1") == 2);
}

TEST_CASE("what cannot be read limits nothing") {
  CHECK(groups().quota("") == 0);
  CHECK(groups().quota("no colons\n0:\n::\n0::relative") == 0);
  CHECK(groups().file("cpu.max", "").quota("0::/") == 0);
  CHECK(groups().file("cpu.max", "100000 0").quota("0::/") == 0);
  CHECK(xpose::detail::cpu_quota("/nonexistent", "/nonexistent") == 0);
}

}  // namespace

TEST_SUITE_END();
