// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/moves.hpp"

#include "files/pages.hpp"
#include "staging/staging.hpp"
#include "terminal/failure.hpp"

#include <algorithm>
#include <optional>

namespace xpose::tools {
namespace {

class panel_mover {
 public:
  panel_mover(move const& m, run_target const& target, run_files const& files, run_times& times)
      : move_(m), target_(target), files_(files), times_(times), memory_(m.operands.size()) {}

  void run(tensors const& in_files) {
    times_.add(&run_times::files, [&] {
      for (std::size_t i = 0; i < last(); ++i) files_.read(i, in_files[i], target_.threads);
      make_pages(in_files.back(), target_.threads);
    });
    tensors operands = in_files;
    if (target_.is_on_device) times_.add(&run_times::transfers, [&] { bring(operands); });
    if (ran_.backend[0] == '\0') ran_ = move_.explain(target_.where, operands);
    times_.add(&run_times::call, [&] { move_.run(target_.where, operands); });
    if (target_.is_on_device)
      times_.add(&run_times::transfers,
                 [&] { stager_->to_host(operands.back(), memory_.back(), in_files.back()); });
  }

  detail::explanation_text const& ran() const { return ran_; }

 private:
  std::size_t last() const { return memory_.size() - 1; }

  void bring(tensors& operands) {
    if (!stager_) stager_.emplace();
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = stager_->to_device(operands[i], memory_[i], i != last());
  }

  move const& move_;
  run_target const& target_;
  run_files const& files_;
  run_times& times_;
  detail::explanation_text ran_{};
  std::optional<stager> stager_;
  std::vector<device_memory> memory_;
};

/// Where memory is bounded, of shapes and options alone: a resumed run has the same panels.
index panel_bytes_for(run_target const& target, std::size_t operands, index memory) {
  if (memory != 0)
    return std::min(bytes_in_panel(), std::max<index>(1, memory / static_cast<index>(operands)));
  if (!target.is_on_device) return bytes_in_panel();
  index const room = free_device_bytes();
  if (room < 262144)
    throw failure("cuda", "the device has less than 256 KB of free memory; use --policy omp");
  // The panels, and as much again for what others on the device may take meanwhile.
  return std::min(bytes_in_panel(), room / static_cast<index>(2 * operands));
}

/// An operand without bytes, for the checks and the report.
detail::tensor_operand without_elements(detail::tensor_operand o) {
  for (int d = 0; d < o.count; ++d) o.dimensions[d].extent = 0;
  o.bytes_per_element = std::max(1, o.bytes_per_element);
  return o;
}

}  // namespace

move copy_of(char const* name, operation op, detail::tensor_operand const& from,
             detail::tensor_operand const& to, detail::element_function function) {
  auto const request = [op, function](tensors const& operands) {
    return detail::copy_request{op, operands[0], operands[1], function};
  };
  return {name,
          {from, to},
          [request](detail::execution const& where, tensors const& operands) {
            return detail::explain_copy(where, request(operands));
          },
          [request](detail::execution const& where, tensors const& operands) {
            detail::run_copy(where, request(operands));
          }};
}

move_result run_move(move const& m, run_settings const& settings, run_target const& target,
                     run_files const& files, run_times& times) {
  panel_mover mover(m, target, files, times);
  auto const bytes = static_cast<double>(bytes_of(m.operands.back()));
  if (bytes == 0) {
    tensors nothing;
    for (auto const& o : m.operands) nothing.push_back(without_elements(o));
    mover.run(nothing);
    return {mover.ran(), 0};
  }
  tile_run tiles(m.operation, files, settings.is_resumable, bytes);
  index const in_panel = panel_bytes_for(target, m.operands.size(), files.memory);
  for_each_panel(m.operands, in_panel, [&](tensors const& parts) {
    auto const bytes_of_tile = static_cast<double>(bytes_of(parts.back()));
    if (tiles.is_finished(bytes_of_tile)) return;
    mover.run(parts);
    times.add(&run_times::files, [&] { tiles.finish(bytes_of_tile); });
  });
  return {mover.ran(), tiles.done_before()};
}

work_done work_of(move const& m) {
  double bytes = 0;
  for (detail::tensor_operand o : m.operands) {
    for (int d = 0; d < o.count; ++d)
      if (o.dimensions[d].stride == 0 && o.dimensions[d].extent > 1) o.dimensions[d].extent = 1;
    bytes += static_cast<double>(bytes_of(o));
  }
  return {bytes, "B"};
}

}  // namespace xpose::tools
