// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/script_peer.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace xpose::bench {
namespace {

using nlohmann::json;

/// A file that lives as long as this object, in /dev/shm where the system has it.
class temporary_file {
 public:
  explicit temporary_file(char const* what) {
    bool const has_shared_memory = access("/dev/shm", W_OK) == 0;
    path_ = std::string(has_shared_memory ? "/dev/shm" : "/tmp") + "/xpose-bench-" +
            std::to_string(getpid()) + "-" + what;
  }
  temporary_file(temporary_file const&) = delete;
  temporary_file& operator=(temporary_file const&) = delete;
  ~temporary_file() { std::remove(path_.c_str()); }

  std::string const& path() const { return path_; }

  void write(machine& where, operand_bytes from) const {
    std::vector<char> bytes(from.bytes);
    where.copy_to_host(bytes.data(), from.data, from.bytes);
    std::ofstream stream(path_, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write " + path_);
  }
  std::vector<unsigned char> read(std::size_t count) const {
    std::vector<unsigned char> bytes(count);
    std::ifstream stream(path_, std::ios::binary);
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
    if (stream.gcount() != static_cast<std::streamsize>(count))
      throw std::runtime_error("the script wrote " + std::to_string(stream.gcount()) + " of " +
                               std::to_string(count) + " bytes");
    return bytes;
  }

 private:
  std::string path_;
};

/// OpenMP threads keep spinning for a while after their last loop, and take cores from the other
/// process: xpose measured 0.12 of peak after NumPy and 0.60 without it (gemm of 2048x16x2048, two
/// threads on two cores).
constexpr std::chrono::milliseconds spinning_ends{10};

class running_script : public script_runner {
 public:
  running_script(script_peer& script, int threads, bool is_device, std::size_t out_bytes)
      : script_(script),
        threads_(threads),
        leaves_threads_spinning_(threads > 1 && !is_device),
        out_bytes_(out_bytes),
        out_("out") {}

  /// Null if the script lacks the case.
  static std::unique_ptr<running_script> prepared(script_peer& script, json request,
                                                  machine const& where, int threads, int slots,
                                                  std::size_t out_bytes) {
    auto runner = std::make_unique<running_script>(script, threads, where.is_device(), out_bytes);
    request.update({{"slots", slots},
                    {"threads", threads},
                    {"is_device", where.is_device()},
                    {"out_file", runner->out_.path()}});
    json const answer = script.ask({{"prepare", request}}, threads);
    if (answer.contains("absent")) return nullptr;
    runner->kernel_ = answer.value("kernel", "");
    return runner;
  }

  seconds_of_calls timed_calls(int calls) override {
    let_threads_rest();
    json const answer = script_.ask({{"run", calls}}, threads_);
    let_threads_rest();
    return {answer.at("seconds").get<double>(), answer.value("enqueue_seconds", 0.0)};
  }
  std::vector<unsigned char> output() override { return out_.read(out_bytes_); }
  std::string kernel() const override { return kernel_; }

 private:
  void let_threads_rest() const {
    if (leaves_threads_spinning_) std::this_thread::sleep_for(spinning_ends);
  }

  script_peer& script_;
  int threads_;
  bool leaves_threads_spinning_;
  std::size_t out_bytes_;
  temporary_file out_;
  std::string kernel_;
};

}  // namespace

script_peer::~script_peer() { stop(); }

std::string script_peer::version() const { return version_; }

void script_peer::start(int threads) {
  int to_script[2];
  int from_script[2];
  if (pipe(to_script) != 0 || pipe(from_script) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_script[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from_script[1], 1);
  for (int const end : {to_script[0], to_script[1], from_script[0], from_script[1]})
    posix_spawn_file_actions_addclose(&actions, end);
  std::string const count = std::to_string(threads);
  setenv("OMP_NUM_THREADS", count.c_str(), 1);
  setenv("OPENBLAS_NUM_THREADS", count.c_str(), 1);
  // The first python3 on PATH may lack the library; XPOSE_BENCH_PYTHON names another. By its first
  // argument an interpreter finds the virtual environment that it is of.
  char const* const chosen = std::getenv("XPOSE_BENCH_PYTHON");
  std::string python = chosen != nullptr ? chosen : XPOSE_BENCH_PYTHON;
  std::string path = path_;
  char* arguments[] = {python.data(), path.data(), nullptr};
  int const failed = posix_spawnp(&process_, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  unsetenv("OMP_NUM_THREADS");
  unsetenv("OPENBLAS_NUM_THREADS");
  close(to_script[0]);
  close(from_script[1]);
  requests_ = to_script[1];
  answers_ = fdopen(from_script[0], "r");
  threads_ = threads;
  if (failed != 0) {
    process_ = 0;
    throw std::runtime_error("cannot start python3");
  }
}

void script_peer::stop() noexcept {
  if (requests_ >= 0) close(requests_);  // the script ends at the end of its input
  if (answers_ != nullptr) fclose(answers_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
  requests_ = -1;
  answers_ = nullptr;
  process_ = 0;
}

nlohmann::json script_peer::ask(nlohmann::json const& request, int threads) {
  if (process_ > 0 && threads != threads_) stop();
  if (process_ == 0) start(threads);
  std::string const line = request.dump() + "\n";
  char* text = nullptr;
  std::size_t capacity = 0;
  bool const is_sent =
      write(requests_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ssize_t const length = is_sent ? getline(&text, &capacity, answers_) : -1;
  std::string const answer = length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "";
  std::free(text);
  if (answer.empty()) {
    stop();
    throw std::runtime_error("the script ended without an answer");
  }
  json const parsed = json::parse(answer);
  if (parsed.contains("error")) throw std::runtime_error(parsed["error"].get<std::string>());
  if (parsed.contains("version")) version_ = parsed["version"].get<std::string>();
  return parsed;
}

std::unique_ptr<script_runner> prepare_in_script(script_peer& script, json request, machine& where,
                                                 int threads, int slots, operand_bytes in,
                                                 std::size_t out_bytes) {
  if (std::max(in.bytes, out_bytes) > largest_for_script) return nullptr;
  temporary_file in_file("in");
  in_file.write(where, in);
  request["in_file"] = in_file.path();
  return running_script::prepared(script, std::move(request), where, threads, slots, out_bytes);
}

std::unique_ptr<script_runner> prepare_in_script(script_peer& script, json request, machine& where,
                                                 int threads, int slots, operand_bytes a,
                                                 operand_bytes b, std::size_t c_bytes) {
  if (std::max({a.bytes, b.bytes, c_bytes}) > largest_for_script) return nullptr;
  temporary_file a_file("a");
  temporary_file b_file("b");
  a_file.write(where, a);
  b_file.write(where, b);
  request.update({{"a_file", a_file.path()}, {"b_file", b_file.path()}});
  return running_script::prepared(script, std::move(request), where, threads, slots, c_bytes);
}

}  // namespace xpose::bench
