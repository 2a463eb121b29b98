// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands between files and the device: packed by the cores into pinned memory, piece by piece,
// and moved from there in one run each. (cudaMemcpy2D straight from the mapped file would gather a
// panel's short lines at a fraction of the bus's speed.)
#pragma once

#include "staging/device_memory.hpp"

#include <xpose/detail/request.hpp>

namespace xpose::tools {

/// Bytes of o's elements.
index bytes_of(detail::operand const& o);

class stager {
 public:
  stager();

  /// The host operand packed in device memory, which grows as needed. Copies the elements if asked.
  detail::operand to_device(detail::operand const& host, device_memory& memory, bool with_elements);

  /// Copies the elements of such an operand back to the host.
  void to_host(detail::operand const& on_device, device_memory const& memory,
               detail::operand const& host);

 private:
  pinned_memory buffer_;
};

}  // namespace xpose::tools
