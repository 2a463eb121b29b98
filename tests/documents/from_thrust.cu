// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// from_thrust.cpp for nvcc: the same code with Thrust's device being a GPU.
#include "from_thrust.cpp"
