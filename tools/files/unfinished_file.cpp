// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/unfinished_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace xpose::tools {
namespace {

/// Plain memory, as a signal handler may read it.
struct {
  int folder = -1;
  int descriptor = -1;
  char name[32] = "";  // in the folder, so that a long path does not matter; empty: none
} unfinished;

// Held while `unfinished` changes: a handler, on whatever thread, never sees half a name, nor a
// moment at which the file has its name and `unfinished` does not.
std::atomic_flag is_changing = ATOMIC_FLAG_INIT;

void wait_a_millisecond() {
  poll(nullptr, 0, 1);  // may be called in a signal handler
}

class change {
 public:
  change() {
    // A handler on this thread would wait for what it has interrupted.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    while (is_changing.test_and_set()) wait_a_millisecond();
  }
  change(change const&) = delete;
  change& operator=(change const&) = delete;
  ~change() {
    is_changing.clear();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

/// Whether a signal, unhandled, ends the process and can be caught.
bool ends_process(int signal) {
  constexpr int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
                            SIGCONT, SIGCHLD, SIGURG,  SIGWINCH};
  return std::find(std::begin(others), std::end(others), signal) == std::end(others);
}

extern "C" void end_on_signal(int signal) {
  // Never given back: the process ends. Not waited for without end, as another thread may be on its
  // way out with it, or, after a fault, this one may have it.
  for (int milliseconds = 0; milliseconds < 1000; ++milliseconds) {
    if (!is_changing.test_and_set()) {
      if (unfinished.name[0] != '\0') unlinkat(unfinished.folder, unfinished.name, 0);
      break;
    }
    wait_a_millisecond();
  }
  if (signal == SIGBUS) {
    constexpr char text[] = "xpose: a mapped file shrank or could not be read while in use\n";
    [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(1);
  }
  // End of this signal, and here: behind the handler another one may be pending.
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
}

void draw_name() {
  std::uint64_t number = 0;
  [[maybe_unused]] ssize_t const drawn = getrandom(&number, sizeof number, 0);
  std::snprintf(unfinished.name, sizeof unfinished.name, ".xpose-%016llx",
                static_cast<unsigned long long>(number));
}

/// Runs make(), which makes something of that name, until the name is new.
template <class Make>
int with_new_name(Make const& make) {
  int result = -1;
  do {
    draw_name();
    result = make();
  } while (result < 0 && errno == EEXIST);
  if (result < 0) unfinished.name[0] = '\0';
  return result;
}

/// What linkat() needs to name a file that has no name.
std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

int create_without_name(int folder, mode_t mode) {
  if (std::getenv("XPOSE_TEMPORARY_NAME") != nullptr) return -1;
  int const descriptor = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor < 0 || access(path_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
  return -1;
}

/// True, or false with errno set.
bool has_name_after_all() {
  if (unfinished.name[0] != '\0') return true;
  std::string const path = path_of(unfinished.descriptor);
  return with_new_name([&] {
           return linkat(AT_FDCWD, path.c_str(), unfinished.folder, unfinished.name,
                         AT_SYMLINK_FOLLOW);
         }) == 0;
}

/// False with errno set, which may tell of what was written late.
bool close_file() {
  int const descriptor = unfinished.descriptor;
  unfinished.descriptor = -1;
  return descriptor < 0 || close(descriptor) == 0;
}

void close_folder() {
  if (unfinished.folder >= 0) close(unfinished.folder);
  unfinished.folder = -1;
}

}  // namespace

void remove_unfinished_file_at_the_end() {
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  sigfillset(&action.sa_mask);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction inherited {};
    // nohup and background jobs hand down "ignore"; a sanitizer or a profiler has its handlers.
    if (!ends_process(signal) || sigaction(signal, nullptr, &inherited) != 0 ||
        inherited.sa_handler != SIG_DFL)
      continue;
    sigaction(signal, &action, nullptr);
  }
  // A file size limit is then an error of the call, with a message.
  signal(SIGXFSZ, SIG_IGN);
  // Libraries call exit() too: libgomp does when it cannot make a thread.
  std::atexit(remove_unfinished_file);
}

int create_unfinished_file(std::string const& folder, mode_t mode) {
  change const changing;
  unfinished.folder = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (unfinished.folder < 0) return -1;
  unfinished.descriptor = create_without_name(unfinished.folder, mode);
  if (unfinished.descriptor < 0)
    unfinished.descriptor = with_new_name([&] {
      return openat(unfinished.folder, unfinished.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                    mode);
    });
  int const code = errno;
  if (unfinished.descriptor < 0) close_folder();
  errno = code;
  return unfinished.descriptor;
}

bool finish_unfinished_file(std::string const& name) {
  change const changing;
  if (!has_name_after_all() || !close_file() ||
      renameat(unfinished.folder, unfinished.name, unfinished.folder, name.c_str()) != 0)
    return false;
  unfinished.name[0] = '\0';
  close_folder();
  return true;
}

void remove_unfinished_file() noexcept {
  change const changing;
  if (unfinished.name[0] != '\0') unlinkat(unfinished.folder, unfinished.name, 0);
  unfinished.name[0] = '\0';
  close_file();
  close_folder();
}

}  // namespace xpose::tools
