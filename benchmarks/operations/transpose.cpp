// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench transpose and copy.

#include "candidates/cast_task.hpp"
#include "candidates/copy.hpp"
#include "operations/operations.hpp"
#include "types/cast.hpp"

namespace xpose::bench {
namespace {

void time_task(work_site const& site, char const* operation, shape const& s,
               std::string const& type, copy_task const& task) {
  copy_comparison comparison(site, result_of(site, operation, s, type), task, s.offset);
  comparison.enter_all();
  comparison.run();
}

}  // namespace

void time_transpose(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  bool const in_place = site.told.settings().in_place;
  auto const what = make_transpose_case(s, element_type_named(type_of_in(j.type)), in_place);
  if (is_cast(j.type))
    return time_task(site, "transpose_cast", s, j.type,
                     cast_task(make_cast_case(what, j.type, false)));
  time_task(site, in_place ? "transpose_inplace" : "transpose", s, j.type,
            transpose_task(what, false));
}

void time_copy(work_site const& site, job const& j) {
  shape const s = parse_shape(j.shape, 2);
  auto const what = make_copy_case(s, element_type_named(type_of_in(j.type)));
  if (is_cast(j.type))
    return time_task(site, "copy_cast", s, j.type, cast_task(make_cast_case(what, j.type, true)));
  time_task(site, "copy", s, j.type, transpose_task(what, true));
}

}  // namespace xpose::bench
