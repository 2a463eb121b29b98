// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where tuning files are, how they are written, and which of them calls follow.

#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/omp/runtime/named_settings.hpp>
#include <xpose/tuning.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("tuning");

namespace {

namespace fs = std::filesystem;
using xpose::detail::text_of;
using xpose::detail::tuned;
using xpose::detail::tuning_file;
using xpose::detail::tuning_path;
using xpose::detail::tuning_place;
using xpose::detail::tuning_place_of;
using xpose::detail::write_tuning_file;
using kind = tuning_place::kind;

constexpr xpose::index built_in = 65536;

/// A folder that goes with the test, and calls that follow no file behind it.
class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "xpose-tuning-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() {
    xpose::load_tuning("off");
    fs::remove_all(path_);
  }

  std::string path(std::string const& name) const { return (path_ / name).string(); }
  std::string text(std::string const& name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string write(std::string const& name, std::string const& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

/// Of this machine, with another number of bytes up to which one thread moves.
tuning_file tuning_of_here(std::string const& bytes = "131072") {
  return {1,
          XPOSE_VERSION,
          "omp",
          xpose::detail::omp_device(),
          {{"move_team_bytes", bytes, "65536", 1.1}}};
}

std::string name_of_here() {
  return fs::path(tuning_path({kind::folder, "/"}, "omp", xpose::detail::omp_device())).filename();
}

void call() {
  float const in[] = {1, 2};
  float out[2];
  xpose::transpose(xpose::seq, xpose::matrix_view<float const>(in, 1, 2),
                   xpose::matrix_view<float>(out, 2, 1));
}

/// What a call prints that is not its own line.
std::string remarks() {
  std::string const lines = verbose_lines(call);
  std::size_t const own = lines.find("xpose: transpose to");
  return lines.substr(0, own) + lines.substr(lines.find('\n', own) + 1);
}

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
  folder const here;
  environment_variable const cache("XDG_CACHE_HOME", "/caches");
  CHECK(tuning_place_of(nullptr).path == "/caches/xpose");
  CHECK(tuning_place_of("").is == kind::standard);
  CHECK(tuning_place_of("off").is == kind::off);
  CHECK(tuning_place_of("Off").is == kind::off);
  CHECK(tuning_place_of("/no/such.json").is == kind::file);
  CHECK(tuning_place_of("/no/such/").is == kind::folder);
  CHECK(tuning_place_of("/no/such//").path == "/no/such");
  CHECK(tuning_place_of(here.path("").c_str()).is == kind::folder);
  environment_variable const home("HOME", "/home/me");
  for (char const* const not_absolute : {"", "caches"}) {
    environment_variable const other("XDG_CACHE_HOME", not_absolute);
    CHECK(tuning_place_of(nullptr).path == "/home/me/.cache/xpose");
    environment_variable const nowhere("HOME", "");
    CHECK(tuning_place_of(nullptr).path.empty());
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
  folder const here;
  std::string const path = here.path("deep/er/t.json");
  write_tuning_file(path, tuning_of_here());
  CHECK(here.text("deep/er/t.json") == text_of(tuning_of_here()));
  write_tuning_file(path, tuning_of_here("262144"));
  CHECK(here.text("deep/er/t.json") == text_of(tuning_of_here("262144")));
  CHECK(fs::exists(here.path("deep/er")));
  CHECK(std::distance(fs::directory_iterator(here.path("deep/er")), fs::directory_iterator()) == 1);
}

TEST_CASE("a tuning file that cannot be written leaves the one before, and says why") {
  folder const here;
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
  folder const here;
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
  folder const here;
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

TEST_CASE("calls follow the file that load_tuning() or XPOSE_TUNING names, and off follows none") {
  folder const here;
  std::string const path = here.path("t.json");
  write_tuning_file(path, tuning_of_here());
  xpose::load_tuning(path.c_str());
  CHECK(tuned.move_team_bytes == 131072);
  CHECK(tuned.gemm_team_products == tuned.gemm_team_products.built_in());
  xpose::load_tuning("off");
  CHECK(tuned.move_team_bytes == built_in);

  write_tuning_file(here.path(name_of_here()), tuning_of_here("262144"));
  xpose::load_tuning(here.path("").c_str());
  CHECK(tuned.move_team_bytes == 262144);

  environment_variable const named("XPOSE_TUNING", path.c_str());
  call();
  CHECK(tuned.move_team_bytes == 262144);  // as load_tuning() said
  xpose::load_tuning(nullptr);
  CHECK(tuned.move_team_bytes == 131072);
  environment_variable const off("XPOSE_TUNING", "off");
  call();
  CHECK(tuned.move_team_bytes == built_in);
}

TEST_CASE("the first call behind reload_environment() reads the files anew") {
  folder const here;
  std::string const path = here.path("t.json");
  write_tuning_file(path, tuning_of_here());
  environment_variable const named("XPOSE_TUNING", path.c_str());
  xpose::load_tuning(nullptr);
  write_tuning_file(path, tuning_of_here("262144"));
  call();
  CHECK(tuned.move_team_bytes == 262144);
  write_tuning_file(path, tuning_of_here("524288"));
  call();
  CHECK(tuned.move_team_bytes == 262144);
  xpose::reload_environment();
  call();
  CHECK(tuned.move_team_bytes == 524288);
}

TEST_CASE("the standard folder need not exist, nor hold a file") {
  folder const here;
  environment_variable const unset("XPOSE_TUNING", "");
  environment_variable const cache("XDG_CACHE_HOME", here.path("caches").c_str());
  xpose::load_tuning(nullptr);
  CHECK(remarks().empty());
  fs::create_directories(here.path("caches/xpose"));
  CHECK(remarks().empty());
  CHECK(tuned.move_team_bytes == built_in);
  write_tuning_file(here.path("caches/xpose/" + name_of_here()), tuning_of_here());
  CHECK(remarks().empty());
  CHECK(tuned.move_team_bytes == 131072);
}

TEST_CASE("a file or folder that is named must exist") {
  folder const here;
  for (std::string const& path : {here.path("no.json"), here.path("no/")}) {
    CAPTURE(path);
    std::string const said =
        refusal<xpose::backend_error>([&] { xpose::load_tuning(path.c_str()); });
    CHECK(contains(said, "there is no tuning file or folder " + here.path("no")));
    xpose::load_tuning(nullptr);
    environment_variable const named("XPOSE_TUNING", path.c_str());
    CHECK(contains(refusal<xpose::backend_error>(call), "which XPOSE_TUNING or load_tuning()"));
    CHECK(contains(refusal<xpose::backend_error>(call), "`xpose tune` writes one"));
  }
  call();
}

TEST_CASE("a file of another version, device, backend or format is not followed") {
  folder const here;
  auto const with = [&](auto const& change) {
    tuning_file changed = tuning_of_here();
    change(changed);
    return changed;
  };
  struct {
    tuning_file tuning;
    std::string why;
  } const foreign[] = {
      {with([](tuning_file& t) { t.version = "0.0.9"; }), "it is of xpose 0.0.9, and this is "},
      {with([](tuning_file& t) { t.device = "Z80, 1 processors"; }),
       "it is of omp on Z80, 1 processors, and this is omp on "},
      {with([](tuning_file& t) { t.format = 7; }),
       "it is of format 7, and this xpose reads format 1"},
  };
  for (auto const& f : foreign) {
    CAPTURE(f.why);
    std::string const path = here.write("t.json", text_of(f.tuning));
    environment_variable const named("XPOSE_TUNING", path.c_str());
    xpose::load_tuning(nullptr);
    std::string const said = remarks();
    CHECK(contains(said, "xpose: the tuning file " + path + " is not used: " + f.why));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    CHECK(tuned.move_team_bytes == built_in);
  }
  tuning_file const other = with([](tuning_file& t) { t.backend = "cuda"; });
  environment_variable const named("XPOSE_TUNING", here.write("c.json", text_of(other)).c_str());
  xpose::load_tuning(nullptr);
  CHECK(remarks().empty());  // it may well be of this machine's GPU
  CHECK(tuned.move_team_bytes == built_in);
}

TEST_CASE("a broken file is an error where it is named, else a line, and is never followed") {
  folder const here;
  std::string const broken[] = {
      "",
      "{",
      std::string(100000, ' '),
      text_of(tuning_of_here()).substr(0, 150),
      text_of(tuning_of_here("0")),
      text_of(tuning_of_here("lots")),
      text_of({1, XPOSE_VERSION, "omp", xpose::detail::omp_device(), {{"speed", "2", "1", 1}}})};
  for (std::string const& text : broken) {
    CAPTURE(text.substr(0, 400));
    std::string const path = here.write("xpose/" + name_of_here(), text);
    std::string const says = "xpose: the tuning file " + path + " cannot be used: ";
    environment_variable const unset("XPOSE_TUNING", "");
    environment_variable const cache("XDG_CACHE_HOME",
                                     fs::path(path).parent_path().parent_path().c_str());
    xpose::load_tuning(nullptr);
    CHECK(contains(remarks(), says));
    CHECK(contains(remarks(), "; delete it, or write it anew by `xpose tune`\n"));
    CHECK(tuned.move_team_bytes == built_in);
    environment_variable const named("XPOSE_TUNING", path.c_str());
    std::string const said = refusal<xpose::backend_error>(call);
    CHECK(contains(said, "the tuning file " + path + " cannot be used: "));
    CHECK(tuned.move_team_bytes == built_in);
  }
}

TEST_CASE("what is no file is refused, and nobody waits for it") {
  folder const here;
  std::string const pipe = here.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (std::string const& path : {pipe, std::string("/dev/zero")}) {
    std::string const said =
        refusal<xpose::backend_error>([&] { xpose::load_tuning(path.c_str()); });
    CHECK(contains(said, path + " cannot be used: it is not a regular file"));
  }
}

TEST_CASE("a file that load_tuning() refuses leaves the tuning as it was") {
  folder const here;
  write_tuning_file(here.path("t.json"), tuning_of_here());
  xpose::load_tuning(here.path("t.json").c_str());
  std::string const broken = here.write("broken.json", text_of(tuning_of_here("0")));
  CHECK_THROWS_AS(xpose::load_tuning(broken.c_str()), xpose::backend_error);
  CHECK(tuned.move_team_bytes == 131072);
  call();
  CHECK(tuned.move_team_bytes == 131072);
}

TEST_CASE("tune() measures, writes what it found and follows it") {
  folder const here;
  std::string const path = here.path("t.json");
  std::vector<double> told;
  xpose::tune_options options;
  options.seconds = 0.1;
  options.cuda = false;
  options.path = path.c_str();
  options.context = &told;
  options.progress = [](void* context, char const* what, double done) {
    CHECK(*what != '\0');
    static_cast<std::vector<double>*>(context)->push_back(done);
  };
  xpose::tune(options);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.size() > 3);
  auto const found = xpose::detail::read_tuning_file(path);
  REQUIRE(found);
  CHECK(why_foreign(*found, "omp", xpose::detail::omp_device()).empty());
  CHECK(found->settings.size() >= 3);
  for (auto const& named : xpose::detail::named_omp_settings)
    for (auto const& s : found->settings)
      if (s.name == named.name && s.value != s.built_in)
        CHECK(static_cast<double>(tuned.*named.setting) == number_of(s, named.least, named.most));
}

TEST_CASE("tune() refuses what it cannot do before it measures") {
  folder const here;
  auto const says = [](bool omp, bool cuda, std::string const& path) {
    xpose::tune_options options;
    options.seconds = 1e6;
    options.omp = omp;
    options.cuda = cuda;
    options.path = path.c_str();
    return refusal<xpose::backend_error>([&] { xpose::tune(options); });
  };
  CHECK(contains(says(false, false, here.path("t.json")), "neither omp nor cuda is asked for"));
  CHECK(contains(says(true, false, "/dev/full"), "/dev/full cannot be written"));
  std::string const file = here.write("t.json", "");
  CHECK(contains(says(true, false, file + "/t.json"), "cannot be written: Not a directory"));
}

TEST_SUITE_END();
