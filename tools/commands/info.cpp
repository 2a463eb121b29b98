// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose info: what a report of a bug or of a speed has to say: version, machine, backends, build,
// and the variables of the environment that count.

#include "commands/commands.hpp"
#include "machine/gpus.hpp"
#include "machine/processor.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/explain.hpp>

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace xpose::tools {
namespace {

std::string compiler() {
#if defined(__clang__)
  return text_of("Clang ", __clang_major__, ".", __clang_minor__, ".", __clang_patchlevel__);
#elif defined(__GNUC__)
  return text_of("GCC ", __GNUC__, ".", __GNUC_MINOR__, ".", __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

/// OpenMP tells its version as the month of the specification.
std::string openmp_version() {
  struct version {
    int month;
    char const* number;
  };
  constexpr version versions[] = {{202411, "6.0"}, {202111, "5.2"}, {202011, "5.1"},
                                  {201811, "5.0"}, {201511, "4.5"}, {201307, "4.0"}};
  for (version const& v : versions)
    if (_OPENMP >= v.month) return v.number;
  return std::to_string(_OPENMP);
}

/// "NAME=value" of the variables that steer xpose, OpenMP and CUDA.
std::vector<std::string> variables() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (char const* prefix : {"XPOSE_", "OMP_", "GOMP_", "KMP_", "CUDA_VISIBLE_DEVICES="})
      if (std::strncmp(*variable, prefix, std::strlen(prefix)) == 0) found.push_back(*variable);
  std::sort(found.begin(), found.end());
  return found;
}

std::string text_of_bytes(std::int64_t bytes) {
  if (bytes == 0) return "unknown";
  constexpr char const* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1024 && unit < 4; ++unit) size /= 1024;
  char text[32];
  std::snprintf(text, sizeof text,
                size < 10 && size != static_cast<int>(size) ? "%.1f %s" : "%.0f %s", size,
                units[unit]);
  return text;
}

std::string counted(int count, char const* one) {
  return text_of(count, " ", one, count == 1 ? "" : "s");
}

struct all_facts {
  processor_facts processor = this_processor();
  instruction_sets isas = these_instruction_sets();
  cuda_facts cuda = this_cuda();
  int omp_threads = omp_get_max_threads();
  bool has_cuda;
  std::string reason;  // why not, or the device

  all_facts() {
    char text[256];
    has_cuda = detail::cuda_is_available(text, sizeof text);
    reason = text;
  }
};

json_object json_of(instruction_set const& isa) {
  return json_object().add_text("name", isa.name).add_text("xpose_isa", isa.xpose_isa);
}

std::vector<json_object> json_of(std::vector<instruction_set> const& isas) {
  std::vector<json_object> objects;
  for (auto const& isa : isas) objects.push_back(json_of(isa));
  return objects;
}

json_object json_of_machine(all_facts const& facts) {
  processor_facts const& p = facts.processor;
  std::vector<json_object> gpus;
  for (gpu_facts const& gpu : facts.cuda.gpus)
    gpus.push_back(json_object()
                       .add_text("name", gpu.name)
                       .add_text("capability", gpu.capability)
                       .add_integer("memory_bytes", gpu.memory_bytes));
  return json_object()
      .add_text("system", p.system)
      .add_text("processor", p.model)
      .add_integer("sockets", p.sockets)
      .add_integer("cores", p.cores)
      .add_integer("threads", p.threads)
      .add_integer("l1_bytes", p.l1_bytes)
      .add_integer("l2_bytes", p.l2_bytes)
      .add_integer("l3_bytes", p.l3_bytes)
      .add_integer("memory_bytes", p.memory_bytes)
      .add_object("isa", json_of(facts.isas.in_use))
      .add_objects("usable_isas", json_of(facts.isas.usable))
      .add_bool("amx", facts.isas.uses_amx)
      .add_text("cuda_driver", facts.cuda.driver)
      .add_objects("gpus", gpus);
}

void print_as_json(all_facts const& facts) {
  json_object reference, omp, cuda, backends, built, info;
  reference.add_bool("available", true);
  omp.add_bool("available", true).add_integer("threads", facts.omp_threads);
  cuda.add_bool("available", facts.has_cuda)
      .add_text(facts.has_cuda ? "device" : "reason", facts.reason);
  backends.add_object("reference", reference).add_object("omp", omp).add_object("cuda", cuda);
  built.add_bool("cuda", facts.cuda.is_built)
      .add_text("cuda_toolkit", facts.cuda.toolkit)
      .add_text("cuda_architectures", facts.cuda.architectures)
      .add_text("compiler", compiler())
      .add_text("openmp", openmp_version())
      .add_objects("isas", json_of(facts.isas.built));
  print_json(info.add_text("version", XPOSE_VERSION)
                 .add_object("machine", json_of_machine(facts))
                 .add_object("backends", backends)
                 .add_object("built", built)
                 .add_texts("variables", variables()));
}

void print_item(char const* name, std::string const& text) {
  std::string label = text_of("  ", name);
  label.resize(std::max<std::size_t>(16, label.size() + 1), ' ');
  print_line(stdout, label + text);
}

std::string names_of(std::vector<instruction_set> const& isas) {
  std::string names;
  for (auto const& isa : isas) names += (names.empty() ? "" : ", ") + isa.name;
  return names;
}

void print_machine(all_facts const& facts) {
  processor_facts const& p = facts.processor;
  print_line(stdout, "machine");
  print_item("system", p.system);
  print_item("processor", p.model);
  print_item("cores", (p.sockets > 0 ? counted(p.sockets, "socket") + ", " : "") +
                          (p.cores > 0 ? counted(p.cores, "core") + ", " : "") +
                          counted(p.threads, "thread"));
  print_item("caches", text_of("L1 ", text_of_bytes(p.l1_bytes), ", L2 ", text_of_bytes(p.l2_bytes),
                               ", L3 ", text_of_bytes(p.l3_bytes)));
  print_item("memory", text_of_bytes(p.memory_bytes));
  print_item("instructions",
             text_of(facts.isas.in_use.name, ", XPOSE_ISA=", facts.isas.in_use.xpose_isa,
                     facts.isas.uses_amx ? ", AMX" : ""));
  print_item("CUDA driver", facts.cuda.driver.empty() ? facts.cuda.is_built ? "none" : "not asked"
                                                      : "CUDA " + facts.cuda.driver);
  for (gpu_facts const& gpu : facts.cuda.gpus)
    print_item("GPU", text_of(gpu.name, ", capability ", gpu.capability, ", ",
                              text_of_bytes(gpu.memory_bytes)));
}

void print_as_text(all_facts const& facts) {
  print_line(stdout, text_of("xpose ", XPOSE_VERSION));
  print_machine(facts);
  print_line(stdout, "backends");
  print_item("reference", "yes, 1 thread");
  print_item("omp", text_of("yes, ", counted(facts.omp_threads, "thread")));
  print_item("cuda", facts.has_cuda ? "yes, " + facts.reason
                                    : "no: " + facts.reason + "; --policy cuda runs on omp");
  print_line(stdout, "built");
  print_item("compiler", compiler());
  print_item("OpenMP", openmp_version());
  print_item("instructions", names_of(facts.isas.built));
  print_item("CUDA", facts.cuda.is_built ? text_of("toolkit ", facts.cuda.toolkit, ", kernels for ",
                                                   facts.cuda.architectures)
                                         : "no");
  print_line(stdout, "variables");
  auto const set = variables();
  for (std::string const& variable : set) print_line(stdout, "  " + variable);
  if (set.empty()) print_line(stdout, "  none of XPOSE_*, OMP_*, CUDA_VISIBLE_DEVICES is set");
}

}  // namespace

int run_info(bool is_json) {
  all_facts const facts;
  if (is_json) print_as_json(facts);
  else print_as_text(facts);
  return 0;
}

}  // namespace xpose::tools
