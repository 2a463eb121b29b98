// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "unfinished_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xpose::tools {
namespace {

// A signal handler may read only memory that is always in order: a plain array, changed while the
// signals are blocked.
char unfinished[PATH_MAX + 8];

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGBUS};

class signals_blocked {
 public:
  signals_blocked() {
    sigset_t set;
    sigemptyset(&set);
    for (int const signal : ending_signals) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  signals_blocked(signals_blocked const&) = delete;
  signals_blocked& operator=(signals_blocked const&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

extern "C" void end_on_signal(int signal) {
  if (unfinished[0] != '\0') unlink(unfinished);
  if (signal == SIGBUS) {
    constexpr char text[] = "xpose: a mapped file shrank or could not be read while in use\n";
    [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
  }
  // SA_RESETHAND has put the default action back; it runs when this returns.
  raise(signal);
}

}  // namespace

void remove_unfinished_file_on_signals() {
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int const signal : ending_signals) {
    struct sigaction inherited {};
    // nohup and background jobs hand down "ignore"; that stays.
    if (sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
  // A file size limit is then an error of the call, with a message.
  signal(SIGXFSZ, SIG_IGN);
}

int create_unfinished_file(std::string& pattern) {
  if (pattern.size() >= sizeof unfinished) {
    errno = ENAMETOOLONG;
    return -1;
  }
  signals_blocked const blocked;
  int const descriptor = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor >= 0) std::memcpy(unfinished, pattern.c_str(), pattern.size() + 1);
  return descriptor;
}

bool finish_unfinished_file(std::string const& target) {
  signals_blocked const blocked;
  if (std::rename(unfinished, target.c_str()) != 0) return false;
  unfinished[0] = '\0';
  return true;
}

void remove_unfinished_file() noexcept {
  signals_blocked const blocked;
  if (unfinished[0] != '\0') unlink(unfinished);
  unfinished[0] = '\0';
}

}  // namespace xpose::tools
