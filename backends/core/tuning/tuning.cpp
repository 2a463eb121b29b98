// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// tune() and load_tuning(), and the tuning that calls of this process use.

#include <xpose/backends/core/tuning/tuning.hpp>

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/trace/watchers.hpp>
#include <xpose/backends/core/tuning/store.hpp>
#include <xpose/error.hpp>
#include <xpose/tuning.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// What calls use. `said` is what load_tuning() was called with.
struct tuning_state {
  std::mutex mutex;
  std::optional<std::string> said;
  tuning_location location;
  bool is_verbose = false;
};

tuning_state& state() {
  // Never destroyed: calls from destructors of static objects read it.
  static tuning_state& one = *new tuning_state;
  return one;
}

void print(std::string const& sentence) {
  std::fputs(message("xpose: ", sentence, '\n').c_str(), stderr);
}

tuning_location location_said_by(std::optional<std::string> const& said) {
  return tuning_location_of(said ? said->c_str() : std::getenv("XPOSE_TUNING"));
}

/// A file that exists and is not followed: an error where the user named it.
void refuse_in(tuning_location const& location, std::string const& sentence) {
  if (location.is_named()) throw backend_error(sentence.c_str());
  print(sentence);
}

/// The tuning to follow there.
std::optional<tuning_file> find_in(tuning_location const& location, std::string const& backend,
                                   std::string const& device, bool is_verbose) {
  std::string const path = tuning_path(location, backend, device);
  std::optional<tuning_file> found;
  try {
    found = read_tuning_file(path);
  } catch (backend_error const& e) {
    refuse_in(location, e.what());
  }
  if (!found) return std::nullopt;
  bool const is_of_other_backend = !found->backend.empty() && found->backend != backend;
  if (location.is == tuning_location::kind::file && is_of_other_backend) return std::nullopt;
  std::string const why = why_foreign(*found, backend, device);
  if (why.empty()) return found;
  if (is_verbose) print(message("the tuning file ", path, " is not used: ", why));
  return std::nullopt;
}

/// Whether there may be files; for those that a user named there must be.
bool has_files(tuning_location const& location) {
  if (location.is == tuning_location::kind::off || location.path.empty()) return false;
  if (access(location.path.c_str(), F_OK) == 0) return true;
  if (location.is_named())
    refuse<backend_error>("there is no tuning file or folder ", location.path,
                          ", which XPOSE_TUNING or load_tuning() names; `xpose tune` writes one");
  return false;
}

/// Changes nothing if it throws.
void use(tuning_state& s, std::optional<std::string> const& said, bool is_verbose) {
  tuning_location const location = location_said_by(said);
  std::optional<tuning_file> of_omp;
  if (has_files(location)) of_omp = find_in(location, "omp", omp_device(), is_verbose);
  try {
    omp_use(of_omp ? &*of_omp : nullptr);
  } catch (backend_error const& e) {
    refuse_in(location, broken_sentence(tuning_path(location, "omp", of_omp->device), e.what()));
    omp_use(nullptr);
  }
  s.said = said;
  s.location = location;
  s.is_verbose = is_verbose;
  ++tuning_generation;
}

/// A device that tune() measures.
struct tuned_device {
  char const* backend;
  std::string device;
  std::string path;
};

std::vector<tuned_device> devices_for(tune_options const& options,
                                      tuning_location const& location) {
  std::vector<tuned_device> devices;
  if (options.omp) devices.push_back({"omp", omp_device(), {}});
  if (options.cuda && cuda_availability(-1).is_available)
    devices.push_back({"cuda", cuda_device(), {}});
  if (devices.empty())
    refuse<backend_error>("tune: there is nothing to measure: ",
                          options.cuda ? "xpose::cuda cannot run: " + cuda_availability(-1).reason
                                       : "neither omp nor cuda is asked for");
  if (location.is == tuning_location::kind::file && devices.size() > 1)
    refuse<backend_error>("tune: ", location.path,
                          " is one file, and there are two devices to measure; name a folder, or "
                          "one of omp and cuda");
  for (tuned_device& d : devices) {
    d.path = tuning_path(location, d.backend, d.device);
    check_tuning_path(d.path);
  }
  return devices;
}

void measure(tuned_device const& d, tune_options const& options, double seconds,
             tuning_clock::progress const& report) {
  tuning_file tuning;
  tuning.version = XPOSE_VERSION;
  tuning.backend = d.backend;
  tuning.device = d.device;
  tuning.settings = tuning.backend == "omp" ? omp_measure(seconds, report)
                                            : cuda_measure(seconds, options.gemm_order, report);
  write_tuning_file(d.path, tuning);
}

}  // namespace

std::optional<tuning_file> tuning_of(std::string const& backend, std::string const& device) {
  tuning_state& s = state();
  std::lock_guard const lock(s.mutex);
  if (!has_files(s.location)) return std::nullopt;
  return find_in(s.location, backend, device, s.is_verbose);
}

void refuse_tuning(std::string const& backend, std::string const& device, char const* what) {
  tuning_state& s = state();
  std::lock_guard const lock(s.mutex);
  refuse_in(s.location, broken_sentence(tuning_path(s.location, backend, device), what));
}

void read_tuning(bool is_verbose) {
  tuning_state& s = state();
  std::lock_guard const lock(s.mutex);
  use(s, s.said, is_verbose);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose

void xpose::load_tuning(char const* path) {
  using namespace detail;
  tuning_state& s = state();
  std::lock_guard const lock(s.mutex);
  use(s, path == nullptr ? std::nullopt : std::optional<std::string>(path), is_verbose());
}

void xpose::tune(tune_options const& options) {
  using namespace detail;
  static std::mutex one_at_a_time;
  std::lock_guard const lock(one_at_a_time);
  try {
    watchers.value();  // reads the tuning now: not another thread's first call while this measures
  } catch (backend_error const&) {
    // It may name the file that is to be written.
  }
  tuning_state& s = state();
  auto const said = [&s] {
    std::lock_guard const reading(s.mutex);
    return s.said;
  }();
  tuning_location location =
      options.path != nullptr ? tuning_location_of(options.path) : location_said_by(said);
  if (location.is == tuning_location::kind::off) location = tuning_location_of(nullptr);
  auto const devices = devices_for(options, location);
  auto const count = static_cast<double>(devices.size());
  for (std::size_t n = 0; n < devices.size(); ++n)
    measure(devices[n], options, options.seconds / count,
            [&](double done, std::string const& what) {
              if (options.progress != nullptr)
                options.progress(options.context, what.c_str(),
                                 (static_cast<double>(n) + done) / count);
            });
  if (options.path != nullptr) load_tuning(options.path);
  else read_tuning(is_verbose());
}
