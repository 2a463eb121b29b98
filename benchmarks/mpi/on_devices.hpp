// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/mpi.hpp>

/// Transposes of slabs and a product in memory of devices, by every engine that the machine has,
/// and cudaMemcpyPeer of the bytes that a process sends. A build without CUDA says so.
void measure_on_devices(xpose::mpi_context const& context, xpose::index rows, xpose::index cols,
                        int rounds);
