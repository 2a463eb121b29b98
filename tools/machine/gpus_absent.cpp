// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "machine/gpus.hpp"

namespace xpose::tools {

cuda_facts this_cuda() { return {}; }

}  // namespace xpose::tools
