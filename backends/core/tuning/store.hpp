// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where the files of tune() are, and how they are read and written.
#pragma once

#include <xpose/backends/core/tuning/tuning_file.hpp>

#include <optional>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What XPOSE_TUNING, or load_tuning(), names.
struct tuning_location {
  enum class kind { off, standard, folder, file };

  kind is = kind::standard;
  std::string path = {};  // empty: there is none

  /// Named by the user: what cannot be read there is an error.
  bool is_named() const { return is == kind::folder || is == kind::file; }
};

/// "off", a file, or a folder, which exists or ends in '/'. Null or empty: the standard folder,
/// $XDG_CACHE_HOME/xpose or ~/.cache/xpose.
XPOSE_EXPORT tuning_location tuning_location_of(char const* setting);

/// The file of a device there, named after the device.
XPOSE_EXPORT std::string tuning_path(tuning_location const& location, std::string const& backend,
                                     std::string const& device);

/// The file's content. Nothing if there is no such file, nor a path. Throws backend_error, a
/// sentence that names the file, if it cannot be read or is broken.
XPOSE_EXPORT std::optional<tuning_file> read_tuning_file(std::string const& path);

/// Why a file is not for this version of xpose and this device; empty: it is.
XPOSE_EXPORT std::string why_foreign(tuning_file const& tuning, std::string const& backend,
                                     std::string const& device);

/// The sentence for a file that cannot be followed.
XPOSE_EXPORT std::string broken_sentence(std::string const& path, std::string const& what);

/// Replaces the file before by a rename, when all of it is on the disk: who reads meanwhile, and
/// whoever ends this process, finds one or the other. Makes the folder. Throws backend_error, which
/// says what the system says; the file before is then as it was.
XPOSE_EXPORT void write_tuning_file(std::string const& path, tuning_file const& tuning);

/// Throws what write_tuning_file() would throw for a folder or file that it cannot write, before
/// minutes are spent on measuring.
XPOSE_EXPORT void check_tuning_path(std::string const& path);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
