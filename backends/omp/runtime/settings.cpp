// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/runtime/named_settings.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/core/tuning/tuning.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/error.hpp>

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// The first kilobytes of /proc/cpuinfo, which tell of the first processor: Linux takes
/// milliseconds to write what it knows of 128 of them.
std::string start_of_cpuinfo() {
  std::string text(4096, '\0');
  int const file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  ssize_t const bytes = file < 0 ? 0 : read(file, text.data(), text.size());
  if (file >= 0) close(file);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, bytes)));
  return text;
}

/// Behind "key : " in the first line that begins with the key; or nothing. Without a stream, which
/// would hide a lack of memory.
std::string value_of(std::string const& text, std::string const& key) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::size_t const value = text.find(": ", at);
    if (text.compare(at, key.size(), key) == 0 && value < end)
      return text.substr(value + 2, end - value - 2);
    at = end + 1;
  }
  return "";
}

/// "AMD EPYC 7B13 64-Core Processor"; ARM's processors have numbers for names.
std::string processor_name() {
  std::string const cpuinfo = start_of_cpuinfo();
  std::string name = value_of(cpuinfo, "model name");
  if (!name.empty()) return name;
  utsname system{};
  uname(&system);
  name = system.machine;
  for (char const* key : {"CPU implementer", "CPU part"})
    if (std::string const value = value_of(cpuinfo, key); !value.empty()) name += ' ' + value;
  return name;
}

}  // namespace

omp_settings tuned;

bool suits_one_thread(index bytes) { return bytes <= tuned.move_team_bytes; }

std::string omp_device() {
  return message(processor_name(), ", ", std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)),
                 " processors");
}

void omp_use(tuning_file const* tuning) {
  constexpr std::size_t count = std::size(named_omp_settings);
  index values[count];
  for (std::size_t n = 0; n < count; ++n)
    values[n] = (tuned.*named_omp_settings[n].setting).built_in();
  if (tuning != nullptr)
    for (tuned_setting const& s : tuning->settings) {
      auto const known =
          std::find_if(std::begin(named_omp_settings), std::end(named_omp_settings),
                       [&](named_omp_setting const& named) { return named.name == s.name; });
      if (known == std::end(named_omp_settings))
        refuse<backend_error>("omp has no setting \"", s.name, '"');
      if (s.value == s.built_in) continue;
      values[known - named_omp_settings] =
          static_cast<index>(number_of(s, known->least, known->most));
    }
  for (std::size_t n = 0; n < count; ++n) (tuned.*named_omp_settings[n].setting).set(values[n]);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
