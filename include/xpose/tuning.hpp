// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// tune(): measures this machine and keeps what it finds, for later calls and processes.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {

/// What tune() measures, and where it writes.
struct tune_options {
  double seconds = 180;  ///< about so many at most; a few are enough for a first answer
  bool omp = true;       ///< the processor
  bool cuda = true;      ///< the current CUDA device, where xpose::cuda can run
  /// Of cuda also what gemm chooses kernels by. Its sums may then be added in another order.
  bool gemm_order = false;
  /// A file for one device, or a folder; null: as XPOSE_TUNING says, else the standard folder.
  char const* path = nullptr;
  /// Called now and then with what is measured, and the share that is done.
  void (*progress)(void* context, char const* what, double done) = nullptr;
  void* context = nullptr;
};

/// Measures the settings of this machine's devices and writes a file for each; later calls of this
/// process use them, unless XPOSE_TUNING or load_tuning() said "off", and so do processes that find
/// the files. The progress callback must not call tune(). A setting differs from the built-in
/// one only if it is 3 % faster, twice in a row. Results of calls stay the same to the bit, unless
/// gemm_order is set.
/// Calls of other threads may run meanwhile; they are slower, and disturb what is measured.
/// Throws backend_error: nothing can be measured or a file cannot be written, std::bad_alloc, and
/// what CUDA throws. The device's file is then as it was.
XPOSE_EXPORT void tune(tune_options const& options = {});

/// Later calls use the files of `path`, a file of tune() or a folder of them, instead of those that
/// XPOSE_TUNING names. "off": the built-in settings; null: what XPOSE_TUNING says.
/// Throws backend_error if there is no such file or folder, or a file is broken; nothing changes
/// then. A file of another version or device is not used, which XPOSE_VERBOSE=1 tells.
XPOSE_EXPORT void load_tuning(char const* path);

}  // namespace v0
}  // namespace xpose
