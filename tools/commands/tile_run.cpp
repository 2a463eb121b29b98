// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/tile_run.hpp"

#include "files/pages.hpp"
#include "machine/gpus.hpp"
#include "machine/processor.hpp"
#include "npy/native_array.hpp"
#include "operands/panels.hpp"
#include "terminal/failure.hpp"

#include <xpose/version.hpp>

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace xpose::tools {
namespace {

/// XPOSE_MEMORY_BYTES of the environment is for tests.
index bytes_of_machine() {
  char const* const set = std::getenv("XPOSE_MEMORY_BYTES");
  index const bytes = set != nullptr ? std::atoll(set) : 0;
  return bytes > 0 ? bytes : static_cast<index>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::string array_text(npy_header const& header) {
  return text_of("shape ", shape_text(header.shape), ", dtype ", header.descr, ", order ",
                 header.is_fortran_order ? 'F' : 'C');
}

/// Where it runs, as far as bits depend on it.
std::string machine_text(run_target const& target) {
  if (target.is_on_device) {
    std::vector<gpu_facts> const gpus = this_cuda().gpus;
    gpu_facts const gpu = gpus.empty() ? gpu_facts{"a device", "", 0} : gpus.front();
    index const given = target.where.across.device_bytes;
    return text_of("on cuda, ", gpu.name, " of ", gpu.memory_bytes, " bytes, of which ",
                   given != 0 ? text_of(given) : "xpose's choice", " may be taken");
  }
  bool const is_reference = target.where.backend == detail::backend_id::reference;
  if (is_reference) return "on reference";
  return text_of("on omp, ", target.threads != 0 ? target.threads : omp_get_max_threads(),
                 " threads, ", these_instruction_sets().in_use.xpose_isa);
}

}  // namespace

index memory_for_tiles(run_settings const& settings, std::vector<npy_input const*> const& inputs,
                       npy_header const& output) {
  if (settings.memory_bytes != 0) return static_cast<index>(settings.memory_bytes);
  index const half = bytes_of_machine() / 2;
  // In double, as the extents of an array without elements may be any.
  auto bytes = static_cast<double>(output.bytes_per_element);
  for (index const extent : output.shape) bytes *= static_cast<double>(extent);
  for (npy_input const* const in : inputs) bytes += static_cast<double>(in->file().bytes().size());
  return settings.is_resumable || bytes > static_cast<double>(half) ? half : 0;
}

void check_copy(npy_input const& in, detail::element_type type, index memory) {
  npy_header const& header = in.header();
  bool const fits = header.elements <= memory / std::max<index>(1, header.bytes_per_element);
  if (memory == 0 || fits || !needs_copy(in, type)) return;
  throw failure(
      in.path(), "its ", header.elements, " elements of dtype ", header.descr,
      " must be copied into memory to be read, as their bytes are in another order or not "
      "aligned, and do not fit the ",
      memory, " bytes for tiles; store it with NumPy as ",
      "little-endian first, or give more --memory");
}

void check_resumable(run_settings const& settings, std::vector<std::string> const& files) {
  if (settings.is_resumable && std::count(files.begin(), files.end(), "-") != 0)
    throw failure("--resume", "standard input and output cannot be resumed; name files");
}

void refuse_device_memory(run_target const& target) {
  index const given = target.where.across.device_bytes;
  throw failure(
      "cuda", "the device has not as much memory left as the call takes (",
      given != 0 ? text_of(given, " bytes at most") : "half of the device's at most",
      "), or the host cannot pin 64 MB; give less by --device-memory, or use --policy omp");
}

run_identity identity_of(run_settings const& settings, run_target const& target,
                         std::string const& work, run_files const& files, npy_header const& output,
                         std::string const& tiles) {
  if (!settings.is_resumable) return {};
  run_identity identity;
  std::vector<std::string>& lines = identity.lines;
  lines = {text_of("xpose ", XPOSE_VERSION), work, machine_text(target),
           text_of("tiles in ", files.memory, " bytes, panels of ", bytes_in_panel(), " bytes")};
  if (!tiles.empty()) lines.push_back(tiles);
  for (npy_input const* const in : files.inputs) {
    lines.push_back(
        text_of("input ", in->path(), ": ", array_text(in->header()), ", ", in->file().stamp()));
    identity.inputs.push_back(&in->file());
  }
  lines.push_back(text_of("output: ", array_text(output)));
  for (std::string& line : lines) line = printable(line);
  return identity;
}

void run_files::read(std::size_t input, detail::tensor_operand const& part, int threads) const {
  if (memory != 0) {
    inputs[input]->file().release();
    inputs[input]->file().read_no_more_than_is_used();
    request_pages(part);
  }
  read_pages(part, threads);
}

tile_run::tile_run(char const* label, run_files const& files, bool is_resumable, double amount)
    : files_(files), is_resumable_(is_resumable), whole_(amount), bar_(label) {}

bool tile_run::is_finished(double amount_of_tile) {
  if (tiles_ >= files_.output->file().tiles_before() || done_ + amount_of_tile >= whole_)
    return false;
  ++tiles_;
  done_ = before_ = done_ + amount_of_tile;
  bar_.begin_at(before_ / whole_);
  return true;
}

detail::across_execution tile_run::watched(detail::across_execution where, double amount_of_tile) {
  running_ = amount_of_tile;
  where.across.context = this;
  where.across.progress = [](void* context, index done, index total) {
    auto& run = *static_cast<tile_run*>(context);
    double const share = static_cast<double>(done) / static_cast<double>(total);
    run.bar_.show((run.done_ + share * run.running_) / run.whole_);
  };
  return where;
}

void tile_run::finish(double amount_of_tile) {
  ++tiles_;
  done_ += amount_of_tile;
  if (is_resumable_) {
    for (npy_input const* const in : files_.inputs)
      if (!in->file().is_unchanged())
        throw failure(in->path(), "it was changed while it was read; the output is not finished");
    if (done_ < whole_) files_.output->file().finish_tiles(tiles_);
  }
  if (files_.memory != 0) files_.output->file().release();
  bar_.show(done_ / whole_);
}

}  // namespace xpose::tools
