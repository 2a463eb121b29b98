// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/moves.hpp"

#include "files/pages.hpp"

#include <algorithm>
#include <limits>

namespace xpose::tools {
namespace {

class panel_mover {
 public:
  panel_mover(move const& m, run_target const& target, run_files const& files, run_times& times)
      : move_(m), target_(target), files_(files), times_(times) {}

  void run(detail::across_execution const& where, tensors const& operands) {
    times_.add(&run_times::files, [&] {
      for (std::size_t i = 0; i + 1 < operands.size(); ++i)
        files_.read(i, operands[i], target_.threads);
      make_pages(operands.back(), target_.threads);
    });
    if (ran_.backend[0] == '\0') ran_ = explain(move_, where, operands);
    run_call(target_, times_, [&] { move_.run(where, operands); });
  }

  detail::explanation_text const& ran() const { return ran_; }

 private:
  move const& move_;
  run_target const& target_;
  run_files const& files_;
  run_times& times_;
  detail::explanation_text ran_{};
};

/// Where memory is bounded, of shapes and options alone: a resumed run has the same panels. Without
/// a bound a device takes all at once: the library has panels of its own there, of which one is
/// loaded while another is stored.
index panel_bytes_for(run_target const& target, std::size_t operands, index memory) {
  if (memory != 0)
    return std::min(bytes_in_panel(), std::max<index>(1, memory / static_cast<index>(operands)));
  return target.is_on_device ? bytes_in_panel(std::numeric_limits<index>::max()) : bytes_in_panel();
}

/// An operand without bytes, for the checks and the report.
detail::tensor_operand without_elements(detail::tensor_operand o) {
  for (int d = 0; d < o.count; ++d) o.dimensions[d].extent = 0;
  o.bytes_per_element = std::max(1, o.bytes_per_element);
  return o;
}

}  // namespace

detail::explanation_text explain(move const& m, detail::across_execution const& where,
                                 tensors const& operands) {
  return explain(where, [&](detail::across_execution const& there) { m.run(there, operands); });
}

move copy_of(char const* name, operation op, detail::tensor_operand const& from,
             detail::tensor_operand const& to, detail::element_function function) {
  return {name,
          {from, to},
          [op, function](detail::across_execution const& where, tensors const& operands) {
            detail::run_copy(where, detail::copy_request{op, operands[0], operands[1], function});
          }};
}

move_result run_move(move const& m, run_settings const& settings, run_target const& target,
                     run_files const& files, run_times& times) {
  panel_mover mover(m, target, files, times);
  auto const bytes = static_cast<double>(bytes_of(m.operands.back()));
  if (bytes == 0) {
    tensors nothing;
    for (auto const& o : m.operands) nothing.push_back(without_elements(o));
    mover.run(target.where, nothing);
    return {mover.ran(), 0};
  }
  tile_run tiles(m.operation, files, settings.is_resumable, bytes);
  index const in_panel = panel_bytes_for(target, m.operands.size(), files.memory);
  for_each_panel(m.operands, in_panel, [&](tensors const& parts) {
    auto const bytes_of_tile = static_cast<double>(bytes_of(parts.back()));
    if (tiles.is_finished(bytes_of_tile)) return;
    mover.run(tiles.watched(target.where, bytes_of_tile), parts);
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
