// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "processes.hpp"

#include "../../mpi/found_library.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("mpi.found_library");

namespace {

struct functions {
  void (*absent)() = nullptr;
  std::string from;
  bool is_complete() const { return absent != nullptr; }
};

functions functions_of(void* library, std::string const& from) {
  functions f;
  xpose::detail::find(library, "xpose_has_no_such_function", f.absent);
  f.from = from;
  return f;
}

std::string why_none(std::vector<std::string> const& names) {
  functions const found = xpose::detail::look_for(functions_of, "XPOSE_NO_SUCH_LIBRARY", names);
  CHECK_FALSE(found.is_complete());
  return found.from;
}

TEST_CASE("libraries that are not there are named alone") {
  CHECK(why_none({"libnowhere.so.1", "libnowhere.so.0"}) == "libnowhere.so.1, libnowhere.so.0");
}

TEST_CASE("a library without the functions is told from one that is not there") {
  CHECK(why_none({"libnowhere.so.1", "libm.so.6"}) ==
        "libnowhere.so.1, libm.so.6 (lacks functions)");
}

TEST_CASE("a library that does not load is named with the reason") {
  std::string const path = "/tmp/xpose_no_library_" + std::to_string(::getpid()) + ".so";
  std::ofstream(path) << "no library";
  std::string const why = why_none({path});
  std::remove(path.c_str());
  CAPTURE(why);
  CHECK(why.rfind(path + " (" + path + ": ", 0) == 0);
  CHECK(why.back() == ')');
}

}  // namespace

TEST_SUITE_END();
