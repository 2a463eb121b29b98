// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/trace/call_log.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Equal calls: the same line with the same remark.
struct logged_calls {
  std::string remark;
  index calls;
  double seconds;
};

class call_log {
 public:
  /// Takes the place of the log before; whether there is one now.
  bool open(std::string const& setting) {
    std::lock_guard const lock(mutex_);
    if (setting == setting_) return file_ != nullptr;
    end();
    close();
    setting_.clear();
    is_child_ = false;
    if (!setting.empty()) start(setting);
    setting_ = setting;
    return file_ != nullptr;
  }

  void add(std::string const& line, std::string const& remark, double seconds) {
    std::lock_guard const lock(mutex_);
    if (is_child_) follow_fork();
    if (file_ == nullptr) return;
    if (is_at_once_) return print(line, {remark, 1, seconds});
    auto& sum = calls_.try_emplace(line + remark, line, logged_calls{remark, 0, 0}).first->second;
    ++sum.second.calls;
    sum.second.seconds += seconds;
  }

  /// Writes what is not yet written; from here on every call is written at once.
  void end_with_process() {
    std::lock_guard const lock(mutex_);
    if (!is_child_) end();
    is_at_once_ = true;
  }

  // Around fork(), which must not copy the table while another thread changes it.
  void before_fork() { mutex_.lock(); }
  void in_parent() { mutex_.unlock(); }
  void in_child() {
    calls_.clear();
    is_child_ = true;
    mutex_.unlock();
  }

 private:
  void start(std::string const& setting) {
    std::string const mode = setting.substr(0, setting.find(':'));
    bool const has_path = mode.size() + 1 < setting.size();
    if (mode != "bench" && mode != "calls")
      refuse<backend_error>("XPOSE_LOG is \"", setting,
                            "\", and may be \"bench\" (equal calls as one line, when the process "
                            "ends) or \"calls\" (each call at once), with \":FILE\" behind it or "
                            "without, for standard error");
    path_ = has_path ? setting.substr(mode.size() + 1) : std::string();
    is_at_once_ = mode == "calls";
    open_file();
    if (file_ == nullptr)
      refuse<backend_error>("XPOSE_LOG is \"", setting, "\", and ", path_,
                            " cannot be written: ", std::strerror(errno));
  }

  void open_file() {
    std::string path = path_;
    for (std::size_t at; (at = path.find("%p")) != std::string::npos;)
      path.replace(at, 2, message(getpid()));
    file_ = path.empty() ? stderr : std::fopen(path.c_str(), "we");
    if (file_ == nullptr) return;
    std::fputs(message("# xpose ", XPOSE_VERSION, ", calls of ", program_invocation_short_name,
                       " (process ", getpid(), "), for `xpose-bench replay`\n")
                   .c_str(),
               file_);
    std::fflush(file_);  // so that a child of fork() has no copy of what is not yet written
  }

  void close() {
    if (file_ != nullptr && file_ != stderr) std::fclose(file_);
    file_ = nullptr;
  }

  void end() {
    std::vector<std::pair<std::string, logged_calls>> lines;
    for (auto& [key, sum] : calls_) lines.push_back(std::move(sum));
    calls_.clear();
    std::sort(lines.begin(), lines.end(), [](auto const& a, auto const& b) {
      return std::tie(b.second.seconds, a.first) < std::tie(a.second.seconds, b.first);
    });
    for (auto const& [line, sum] : lines) print(line, sum);
  }

  void print(std::string const& line, logged_calls const& sum) {
    std::string const text = message(line, "  # calls ", sum.calls, ", seconds ", sum.seconds,
                                     sum.remark.empty() ? "" : "; ", sum.remark, '\n');
    std::fputs(text.c_str(), file_);
    std::fflush(file_);
  }

  void follow_fork() {
    is_child_ = false;
    close();
    if (path_.find("%p") != std::string::npos) open_file();
  }

  std::mutex mutex_;
  std::string setting_;  // of the log that is open
  std::string path_;     // empty: standard error
  std::FILE* file_ = nullptr;
  bool is_at_once_ = false;
  bool is_child_ = false;  // of a fork() since the last call
  std::unordered_map<std::string, std::pair<std::string, logged_calls>> calls_;
};

/// Null before the first log. Never destroyed, since destructors of static objects may call xpose.
std::atomic<call_log*> current{nullptr};

call_log& the_log() {
  static call_log& log = [&]() -> call_log& {
    auto* const created = new call_log;
    current.store(created);
    static int const refused =
        pthread_atfork([] { current.load()->before_fork(); }, [] { current.load()->in_parent(); },
                       [] { current.load()->in_child(); });
    static_cast<void>(refused);  // for lack of memory: a child may then write the calls again
    return *created;
  }();
  return log;
}

/// Runs behind all destructors and functions of atexit, at exit() and at the end of main().
[[gnu::destructor]] void end_log() {
  try {
    if (call_log* const log = current.load()) log->end_with_process();
  } catch (std::bad_alloc const&) {
    std::fputs("xpose: not enough memory for the lines of XPOSE_LOG\n", stderr);
  }
}

}  // namespace

bool open_call_log(char const* setting) {
  if (setting == nullptr || *setting == 0) {
    call_log* const before = current.load();
    return before != nullptr && before->open("");
  }
  return the_log().open(setting);
}

void log_call(std::string const& line, std::string const& remark, double seconds) {
  if (call_log* const log = current.load()) log->add(line, remark, seconds);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
