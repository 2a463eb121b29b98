// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr int progress_milliseconds = 250;
/// A worker without progress for longer hangs.
constexpr auto longest_silence = std::chrono::minutes(10);

std::string reason_of(int status) {
  if (WIFSIGNALED(status)) return std::string("crashed: ") + strsignal(WTERMSIG(status));
  return "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
}

class supervisor {
 public:
  supervisor(bench_settings const& settings, std::vector<job> const& jobs, worker const& work,
             run_listener& listener)
      : settings_(settings), jobs_(jobs), work_(work), listener_(listener) {
    void* const memory = mmap(nullptr, sizeof(shared_status), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    status_ = new (memory) shared_status{};
  }
  supervisor(supervisor const&) = delete;
  supervisor& operator=(supervisor const&) = delete;
  ~supervisor() { munmap(status_, sizeof(shared_status)); }

  void run() {
    int first = 0;
    while (first < static_cast<int>(jobs_.size())) {
      status_->job = first;
      status_->candidate[0] = '\0';
      std::string const reason = run_worker(first);
      if (reason.empty()) return;
      first = blame(reason);
    }
  }

 private:
  /// Empty if the worker did all its jobs; else how it ended.
  std::string run_worker(int first) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    pid_t const child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
      close(ends[0]);
      _exit(work_in_child(first, ends[1]));
    }
    close(ends[1]);
    bool const is_alive = listen(ends[0]);
    close(ends[0]);
    if (!is_alive) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (!is_alive) return "hung for 10 minutes";
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : reason_of(status);
  }

  int work_in_child(int first, int pipe_end) {
    session told(settings_, crashed_candidates_, *status_, pipe_end);
    try {
      work_(told, jobs_, first);
      return 0;
    } catch (std::exception const& error) {
      told.tell_note(error.what());
      return 1;
    }
  }

  /// Until the worker closes the pipe. False if it fell silent.
  bool listen(int pipe_end) {
    using clock = std::chrono::steady_clock;
    std::string pending;
    std::string last_seen;
    auto last_change = clock::now();
    for (;;) {
      pollfd watched{pipe_end, POLLIN, 0};
      int const ready = poll(&watched, 1, progress_milliseconds);
      std::string const candidate = status_->candidate;
      listener_.take_progress(status_->job, candidate);
      std::string const seen = std::to_string(status_->job) + candidate;
      if (ready > 0 || seen != last_seen) last_change = clock::now();
      last_seen = seen;
      if (clock::now() - last_change > longest_silence) return false;
      if (ready <= 0) continue;
      char buffer[65536];
      ssize_t const count = read(pipe_end, buffer, sizeof buffer);
      if (count <= 0) return true;
      pending.append(buffer, static_cast<std::size_t>(count));
      for (std::size_t end; (end = pending.find('\n')) != std::string::npos;) {
        hand_on(json::parse(pending.substr(0, end)));
        pending.erase(0, end + 1);
      }
    }
  }

  void hand_on(json const& message) {
    if (message.contains("result")) listener_.take_result(message["result"]);
    if (message.contains("run")) listener_.take_run(message["run"]);
    if (message.contains("note")) listener_.take_note(message["note"].get<std::string>());
  }

  /// Records the candidate that crashed the worker; returns the job to go on with.
  int blame(std::string const& reason) {
    int const at = status_->job;
    std::string const candidate = status_->candidate;
    bool is_known = false;
    for (auto const& c : crashed_candidates_)
      is_known = is_known || (c.job == at && c.candidate == candidate);
    job const& j = jobs_[static_cast<std::size_t>(at)];
    std::string const where = settings_.operation + " " + j.type + " " + j.shape;
    if (candidate.empty() || is_known) {
      listener_.take_note(where + ": given up, the timing process " + reason);
      return at + 1;
    }
    listener_.take_note(where + ": " + candidate + " " + reason + "; going on without it");
    crashed_candidates_.push_back({at, candidate, reason});
    return at;
  }

  bench_settings const& settings_;
  std::vector<job> const& jobs_;
  worker const& work_;
  run_listener& listener_;
  shared_status* status_;
  std::vector<crashed_candidate> crashed_candidates_;
};

}  // namespace

void supervise(bench_settings const& settings, std::vector<job> const& jobs, worker const& work,
               run_listener& listener) {
  supervisor(settings, jobs, work, listener).run();
}

}  // namespace xpose::bench
