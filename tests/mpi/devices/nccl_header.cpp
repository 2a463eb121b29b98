// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose declares of NCCL is what nccl.h declares. Compiled where that is found.
#include "../../../mpi/nccl.hpp"
#include "same_abi.hpp"

#include <nccl.h>

using xpose::detail::nccl_functions;

static_assert(fits<decltype(ncclGetUniqueId)>(&nccl_functions::get_unique_id));
static_assert(fits<decltype(ncclCommInitRank)>(&nccl_functions::init_rank));
static_assert(fits<decltype(ncclCommDestroy)>(&nccl_functions::destroy));
static_assert(fits<decltype(ncclCommAbort)>(&nccl_functions::abort));
static_assert(fits<decltype(ncclCommGetAsyncError)>(&nccl_functions::async_error));
static_assert(fits<decltype(ncclGroupStart)>(&nccl_functions::group_start));
static_assert(fits<decltype(ncclGroupEnd)>(&nccl_functions::group_end));
static_assert(fits<decltype(ncclSend)>(&nccl_functions::send));
static_assert(fits<decltype(ncclRecv)>(&nccl_functions::receive));
static_assert(fits<decltype(ncclGetErrorString)>(&nccl_functions::error_string));
static_assert(sizeof(ncclUniqueId) == sizeof(xpose::detail::nccl_id));
static_assert(int{ncclSuccess} == xpose::detail::nccl_success);
static_assert(int{ncclInProgress} == xpose::detail::nccl_in_progress);
static_assert(int{ncclUint8} == xpose::detail::nccl_bytes_type);
