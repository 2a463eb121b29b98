// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How C of a gemm is cut into tiles, each of which is one call.
#pragma once

#include "commands/gemm_calls.hpp"
#include "operands/panels.hpp"

namespace xpose::tools {

/// The extents of a tile. At most a second or so of work, for the progress bar; on a device 20.
/// Without a bound: full rows of C; on a device all of it. With one: what memory bytes hold of A, B
/// and C at once, and then of shapes, options and, on omp, threads alone, as a resumed run needs
/// it. All of a C without elements. Throws failure if the bound is not a row of A, a column of B
/// and an element of C. Reads no element: the operands' data may be null.
tile choose_tile(run_target const& target, gemm_work const& work, index memory);

}  // namespace xpose::tools
