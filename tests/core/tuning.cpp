// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which tuning files calls follow, and what tune() writes.

#include "support/refusal.hpp"
#include "support/tuning_folder.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/omp/runtime/named_settings.hpp>
#include <xpose/tuning.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("tuning");

namespace {

namespace fs = std::filesystem;
using xpose::detail::text_of;
using xpose::detail::tuned;
using xpose::detail::tuning_file;
using xpose::detail::tuning_path;
using xpose::detail::write_tuning_file;
using kind = xpose::detail::tuning_location::kind;

constexpr xpose::index built_in = 65536;

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

}  // namespace

TEST_CASE("calls follow the file that load_tuning() or XPOSE_TUNING names, and off follows none") {
  tuning_folder const here;
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
  tuning_folder const here;
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
  tuning_folder const here;
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
  tuning_folder const here;
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
  tuning_folder const here;
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
  tuning_folder const here;
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
  tuning_folder const here;
  std::string const pipe = here.path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (std::string const& path : {pipe, std::string("/dev/zero")}) {
    std::string const said =
        refusal<xpose::backend_error>([&] { xpose::load_tuning(path.c_str()); });
    CHECK(contains(said, path + " cannot be used: it is not a regular file"));
  }
}

TEST_CASE("a file that load_tuning() refuses leaves the tuning as it was") {
  tuning_folder const here;
  write_tuning_file(here.path("t.json"), tuning_of_here());
  xpose::load_tuning(here.path("t.json").c_str());
  std::string const broken = here.write("broken.json", text_of(tuning_of_here("0")));
  CHECK_THROWS_AS(xpose::load_tuning(broken.c_str()), xpose::backend_error);
  CHECK(tuned.move_team_bytes == 131072);
  call();
  CHECK(tuned.move_team_bytes == 131072);
}

TEST_CASE("tune() measures, writes what it found and follows it") {
  tuning_folder const here;
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
  tuning_folder const here;
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
