// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench transpose and copy.

#include "copy_contest.hpp"
#include "transpose_task.hpp"

namespace xpose::bench {
namespace {

void time_case(work_site const& site, char const* operation, shape const& s,
               transpose_case const& what, bool is_copy) {
  transpose_task const task(what, is_copy);
  copy_contest everybody(site, row_of(site, operation, s, what.type.name), task, s.offset);
  everybody.enter_all();
  everybody.run();
}

}  // namespace

void time_transpose(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  bool const in_place = site.told.settings().in_place;
  time_case(site, in_place ? "transpose_inplace" : "transpose", s,
            make_transpose_case(s, element_type_named(j.type), in_place), false);
}

void time_copy(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  time_case(site, "copy", s, make_copy_case(s, element_type_named(j.type)), true);
}

}  // namespace xpose::bench
