// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands between files and the device: packed by the cores into pinned memory, piece by piece,
// and moved from there in one run each. (cudaMemcpy2D straight from the mapped file would gather a
// panel's short lines at a fraction of the bus's speed.)
#pragma once

#include "staging/device_memory.hpp"

#include <xpose/detail/request.hpp>

namespace xpose::tools {

class stager {
 public:
  stager();

  /// The host operand packed in device memory, which grows as needed, its dimensions in the order
  /// of the host's strides. Dimensions of stride 0 keep it. Copies the elements if asked.
  detail::tensor_operand to_device(detail::tensor_operand const& host, device_memory& memory,
                                   bool with_elements);
  detail::operand to_device(detail::operand const& host, device_memory& memory, bool with_elements);

  /// Copies the elements of such an operand back to the host.
  void to_host(detail::tensor_operand const& on_device, device_memory const& memory,
               detail::tensor_operand const& host);
  void to_host(detail::operand const& on_device, device_memory const& memory,
               detail::operand const& host);

 private:
  pinned_memory buffer_;
};

}  // namespace xpose::tools
