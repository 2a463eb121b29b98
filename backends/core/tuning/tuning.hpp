// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a backend provides to be tuned, and the tuning that calls use.
#pragma once

#include <xpose/backends/core/tuning/measure.hpp>
#include <xpose/backends/core/tuning/tuning_file.hpp>

#include <atomic>
#include <optional>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What identifies the device in a file's name and content: model and size.
XPOSE_EXPORT std::string omp_device();
XPOSE_EXPORT std::string cuda_device();  // the current one

/// Measures the device's settings; until they return, calls of other threads may be slower.
std::vector<tuned_setting> omp_measure(double seconds, tuning_clock::progress const& report);
std::vector<tuned_setting> cuda_measure(double seconds, bool changes_order_of_sums,
                                        tuning_clock::progress const& report);

/// Later calls use the settings; null: the built-in ones. Throws backend_error, and changes
/// nothing, if a setting does not exist or its value is none.
XPOSE_EXPORT void omp_use(tuning_file const* tuning);

/// Counts changes of the tuning of this process. A device's own is asked for when it is first used.
inline std::atomic<unsigned> tuning_generation{1};

/// The tuning of a device, if there is one to follow. Throws backend_error as load_tuning().
std::optional<tuning_file> tuning_of(std::string const& backend, std::string const& device);

/// For a file of the standard folder that `what` keeps from being followed: a line on standard
/// error, since nobody named the file. For one that a user named: throws backend_error.
void refuse_tuning(std::string const& backend, std::string const& device, char const* what);

/// By XPOSE_TUNING, or what load_tuning() said: what the first call of a process does, and the
/// first one behind reload_environment(). Throws backend_error as load_tuning().
void read_tuning(bool is_verbose);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
