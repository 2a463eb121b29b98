// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What tune() found on one device, and its text: one JSON object of strings and numbers.
//
//   {
//     "xpose_tuning": 1,
//     "version": "0.1.0",
//     "backend": "omp",
//     "device": "AMD EPYC 7B13, 2 processors",
//     "move_team_bytes": 180224,
//     "move_team_bytes.built_in": 65536,
//     "move_team_bytes.gain": 1.21
//   }
#pragma once

#include <xpose/config.hpp>

#include <string>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Values are numbers or names, as text.
struct tuned_setting {
  std::string name;
  std::string value;
  std::string built_in;
  double gain = 1;  // time with the built-in value over time with this one
};

struct tuning_file {
  static constexpr int known_format = 1;

  int format = known_format;
  std::string version;  // of xpose
  std::string backend;  // "omp" or "cuda"
  std::string device;
  std::vector<tuned_setting> settings;
};

XPOSE_EXPORT std::string text_of(tuning_file const& tuning);

/// Throws backend_error, which says what is wrong and in which line. Of another format only its
/// number is read.
XPOSE_EXPORT tuning_file parse_tuning(std::string const& text);

/// The number that a setting's text is; throws backend_error unless it is one from `least` to
/// `most`.
XPOSE_EXPORT double number_of(tuned_setting const& setting, double least, double most);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
