// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the command line asks for.
#pragma once

#include "core/rounds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xpose::bench {

struct bench_settings {
  std::string operation;  ///< "transpose", "permute", "add", "gemm", "copy", "ladder"
  std::vector<std::string> policies;
  std::vector<std::string> types;
  std::vector<std::string> casts;  ///< "f32:bf16": further types of a transpose or copy
  std::vector<std::string> shapes;
  std::string suite;
  std::uint64_t seed = 1;           ///< of a random suite
  int cases = 40;                   ///< of a random suite, for each type
  std::optional<int> one_case;      ///< of a random suite: that case alone
  std::vector<std::string> states;  ///< names of operand_state; empty: the suite's
  std::vector<std::string> peers = {"all"};
  int threads = 0;  ///< of omp and its peers; 0: all
  long long batch = 1;
  bool in_place = false;
  bool planned = false;  ///< gemm by a plan that is made before, as the code of some peers is
  round_settings rounds;
  double longest_call = 5;  ///< seconds; a slower candidate is timed once
  bool with_metrics = false;
  std::string json_file;
  bool stores = false;  ///< json_file is kept: the results must belong to a commit
  std::string csv_file;
  std::string compare_file;
};

/// Where a case's operands are when a call begins.
enum class operand_state {
  by_size,  ///< warm up to half of the last-level cache, else cold
  cold,     ///< in memory: calls rotate over sets of operands that the caches cannot hold together
  warm,     ///< where the call before left them: every call works on the same set
  written,  ///< inputs just written by other threads' loops; the time includes these and loops that
            ///< read the output, as in a program that makes, moves and uses a matrix
  sustained  ///< as by_size, each candidate alone for two seconds, of which the last counts; clock
             ///< and power are noted
};

/// In the order of operand_state; for the command line and in results.
constexpr char const* state_names[] = {"by-size", "cold", "warm", "written", "sustained"};
constexpr char const* name_of(operand_state state) { return state_names[static_cast<int>(state)]; }

/// Where a case comes from: its suite and, if that is random, what draws the case again.
struct case_origin {
  std::string suite;
  std::optional<std::uint64_t> seed;
  int number = 0;
  std::string shape_class;
};

/// One case of a run: a worker does it and sends its results.
struct job {
  std::string policy;
  std::string type;
  std::string shape;  ///< in the grammar of core/shape.hpp; ladder: the table's id
  case_origin origin;
  operand_state state = operand_state::by_size;
};

struct job_list {
  std::vector<job> jobs;
  std::vector<std::string> problems;  ///< one for each word that was refused; the rest still runs
};

struct policy_choice {
  std::string name;  ///< "seq", "omp", "cuda"
  int threads;       ///< of omp
  void* stream;      ///< of cuda, a cudaStream_t; calls return after enqueue
  bool planned;      ///< gemm is called through xpose::plan
};

}  // namespace xpose::bench
