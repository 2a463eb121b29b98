// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the command line asks for.
#pragma once

#include "core/rounds.hpp"

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
  std::vector<std::string> peers = {"all"};
  int threads = 0;  ///< of omp and its peers; 0: all
  long long batch = 1;
  bool in_place = false;
  round_settings rounds;
  double longest_call = 5;  ///< seconds; a slower candidate is timed once
  bool with_metrics = false;
  std::string json_file;
  std::string csv_file;
  std::string compare_file;
};

/// One case of a run: a worker does it and sends its results.
struct job {
  std::string policy;
  std::string type;
  std::string shape;  ///< in the grammar of core/shape.hpp; ladder: the table's id
  std::string suite;
};

struct job_list {
  std::vector<job> jobs;
  std::vector<std::string> problems;  ///< one for each word that was refused; the rest still runs
};

struct policy_choice {
  std::string name;  ///< "seq", "omp", "cuda"
  int threads;       ///< of omp
  void* stream;      ///< of cuda, a cudaStream_t; calls return after enqueue
};

}  // namespace xpose::bench
