// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices in .npy files that all processes read or write at once, each its rows, by MPI-IO.
#pragma once

#include "npy/npy_header.hpp"

#include <xpose/mpi.hpp>

#include <string>
#include <vector>

namespace xpose::tools {

/// What all processes know of an input.
struct matrix_header {
  npy_header npy;  // the shape has two extents
  index rows;      // as the bytes lie: of a file in Fortran order those of the transpose
  index cols;
};

/// Collective. Read by rank 0. Throws failure on every process, unless it is a matrix.
matrix_header read_matrix_header(xpose::mpi_context const& context, std::string const& path);

/// Collective. This process's rows, as row_slabs deals them out, of an array of rows x cols.
std::vector<char> read_rows(xpose::mpi_context const& context, std::string const& path,
                            matrix_header const& header);

/// Collective. Writes an array in C order, of which each process has its rows. The file appears
/// under its name when it is whole; before, it is `.<name>.xpose-mpi` in the same folder.
void write_rows(xpose::mpi_context const& context, std::string const& path,
                npy_header const& header, std::vector<char> const& rows);

}  // namespace xpose::tools
