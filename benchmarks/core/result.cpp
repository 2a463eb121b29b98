// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/result.hpp"

namespace xpose::bench {
namespace {

char const* name_of(role part) {
  switch (part) {
    case role::xpose:
      return "xpose";
    case role::alternative:
      return "alternative";
    case role::peer:
      return "peer";
    case role::ceiling:
      return "ceiling";
    case role::rung:
      return "rung";
  }
  return "";
}

/// Zero stands for "not measured" in a result, and null in its JSON.
json number_or_null(double value) { return value > 0 ? json(value) : json(nullptr); }

}  // namespace

double bench_result::rate() const {
  if (time.median <= 0) return 0;
  return work / time.median * (is_arithmetic ? 1e-12 : 1e-9);
}

json bench_result::to_json() const {
  json object = {{"operation", operation},
                 {"policy", policy},
                 {"device", device},
                 {"threads", threads},
                 {"type", type},
                 {"shape", shape},
                 {"layout", layout},
                 {"implementation", implementation},
                 {"role", name_of(part)},
                 {"kernel", kernel},
                 {"suite", suite},
                 {"median_s", number_or_null(time.median)},
                 {"min_s", number_or_null(time.min)},
                 {"mean_s", number_or_null(time.mean)},
                 {"stddev_s", time.repeats > 1 ? json(time.stddev) : json(nullptr)},
                 {"repeats", time.repeats},
                 {"calls", time.calls}};
  if (time.host_median > 0) object["host_s"] = time.host_median;
  if (time.enqueue_median > 0) object["enqueue_s"] = time.enqueue_median;
  object[is_arithmetic ? "tflops" : "gbps"] = number_or_null(rate());
  object["ceiling"] = number_or_null(ceiling);
  object["ceiling_name"] = ceiling_name;
  object["ratio_to_ceiling"] = number_or_null(ceiling > 0 ? rate() / ceiling : 0);
  if (part == role::xpose) {
    object["best_peer"] = best_peer.empty() ? json(nullptr) : json(best_peer);
    object["ratio_to_best_peer"] = number_or_null(ratio_to_best_peer);
  }
  object["verified"] = verified;
  object["verified_by"] = verified_by;
  object["cache"] = cache;
  object["drift"] = time.drift;
  if (!note.empty()) object["note"] = note;
  object.update(extra);
  return object;
}

}  // namespace xpose::bench
