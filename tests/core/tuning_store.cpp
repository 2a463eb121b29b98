// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where tuning files are, and that they are written whole or not at all.

#include "support/environment_variable.hpp"
#include "support/refusal.hpp"
#include "support/tuning_folder.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/error.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("tuning");

namespace {

namespace fs = std::filesystem;
using xpose::detail::text_of;
using xpose::detail::tuning_location;
using xpose::detail::tuning_location_of;
using xpose::detail::tuning_path;
using xpose::detail::write_tuning_file;
using kind = tuning_location::kind;

/// The status of a child that runs work().
template <class Work>
int status_of_child(Work const& work) {
  pid_t const child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("XPOSE_TUNING names nothing, a file, a folder, or none at all") {
  tuning_folder const here;
  environment_variable const cache("XDG_CACHE_HOME", "/caches");
  CHECK(tuning_location_of(nullptr).path == "/caches/xpose");
  CHECK(tuning_location_of("").is == kind::standard);
  CHECK(tuning_location_of("off").is == kind::off);
  CHECK(tuning_location_of("Off").is == kind::off);
  CHECK(tuning_location_of("/no/such.json").is == kind::file);
  CHECK(tuning_location_of("/no/such/").is == kind::folder);
  CHECK(tuning_location_of("/no/such//").path == "/no/such");
  CHECK(tuning_location_of(here.path("").c_str()).is == kind::folder);
  environment_variable const home("HOME", "/home/me");
  for (char const* const not_absolute : {"", "caches"}) {
    environment_variable const other("XDG_CACHE_HOME", not_absolute);
    CHECK(tuning_location_of(nullptr).path == "/home/me/.cache/xpose");
    environment_variable const nowhere("HOME", "");
    CHECK(tuning_location_of(nullptr).path.empty());
  }
}

TEST_CASE("a device's file is named after it, whatever characters that has") {
  auto const name = [](std::string const& device) {
    return tuning_path({kind::folder, "/f"}, "cuda", device);
  };
  CHECK(name("NVIDIA H100 80GB HBM3, 132 multiprocessors") ==
        "/f/cuda-nvidia-h100-80gb-hbm3-132-multiprocessors.json");
  CHECK(name("../../etc/\xff passwd (TM)") == "/f/cuda-etc-passwd-tm.json");
  CHECK(name(std::string(1000, 'a')).size() < 120);
  CHECK(tuning_path({kind::file, "/f.json"}, "cuda", "X") == "/f.json");
}

TEST_CASE("a tuning file is written whole, into a folder that is made for it") {
  tuning_folder const here;
  std::string const path = here.path("deep/er/t.json");
  write_tuning_file(path, tuning_of_here());
  CHECK(here.text("deep/er/t.json") == text_of(tuning_of_here()));
  write_tuning_file(path, tuning_of_here("262144"));
  CHECK(here.text("deep/er/t.json") == text_of(tuning_of_here("262144")));
  CHECK(fs::exists(here.path("deep/er")));
  CHECK(std::distance(fs::directory_iterator(here.path("deep/er")), fs::directory_iterator()) == 1);
}

TEST_CASE("a tuning file that cannot be written leaves the one before, and says why") {
  tuning_folder const here;
  std::string const path = here.write("t.json", "before");
  auto const says = [](std::string const& p) {
    return refusal<xpose::backend_error>([&] { write_tuning_file(p, tuning_of_here()); });
  };
  CHECK(says(path + "/below/t.json") ==
        "tune: " + path + "/below/t.json cannot be written: Not a directory");
  CHECK(contains(says("/dev/full"), "tune: /dev/full cannot be written: it is there, and no"));
  CHECK(contains(says("/proc/xpose/t.json"), "/proc/xpose/t.json cannot be written: "));
  CHECK(contains(says(""), "neither XDG_CACHE_HOME nor HOME"));

  // A disk that is full after 100 bytes: the system then says that the file is too large.
  int const status = status_of_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    rlimit const limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string const said = says(path);
    if (said != "tune: " + path + " cannot be written: File too large") _exit(1);
  });
  CHECK(status == 0);
  CHECK(here.text("t.json") == "before");
  CHECK(here.files() == 1);
}

TEST_CASE("a process that is ended while it writes leaves the file before") {
  tuning_folder const here;
  std::string const path = here.path("t.json");
  write_tuning_file(path, tuning_of_here());
  // The system ends it by a signal within the write.
  int const status = status_of_child([&] {
    rlimit const none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    rlimit const limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    write_tuning_file(path, tuning_of_here("262144"));
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGXFSZ);
  CHECK(here.text("t.json") == text_of(tuning_of_here()));
  write_tuning_file(path, tuning_of_here("262144"));
  CHECK(here.text("t.json") == text_of(tuning_of_here("262144")));
}

TEST_CASE("two processes write one file at once, and whoever reads finds one of both") {
  tuning_folder const here;
  std::string const path = here.path("t.json");
  std::string const texts[] = {text_of(tuning_of_here("131072")),
                               text_of(tuning_of_here("262144"))};
  write_tuning_file(path, tuning_of_here());
  std::vector<pid_t> children;
  for (char const* const bytes : {"131072", "262144"}) {
    pid_t const child = fork();
    if (child == 0) {
      for (int n = 0; n < 50; ++n) write_tuning_file(path, tuning_of_here(bytes));
      _exit(0);
    }
    children.push_back(child);
  }
  for (int n = 0; n < 500; ++n) {
    std::string const read = here.text("t.json");
    CHECK((read == texts[0] || read == texts[1]));
  }
  for (pid_t const child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(here.files() == 1);
}

TEST_SUITE_END();
