// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// OpenBLAS's names under either build of it. PyPI's scipy-openblas32 puts scipy_ before each; here
// they get their own names back.
#pragma once

#include <cblas.h>

#ifdef XPOSE_OPENBLAS_FROM_PYPI
namespace xpose::bench {

constexpr auto* cblas_sgemm = scipy_cblas_sgemm;
constexpr auto* cblas_dgemm = scipy_cblas_dgemm;
constexpr auto* cblas_cgemm = scipy_cblas_cgemm;
constexpr auto* cblas_zgemm = scipy_cblas_zgemm;
constexpr auto* cblas_sgemv = scipy_cblas_sgemv;
constexpr auto* cblas_dgemv = scipy_cblas_dgemv;
constexpr auto* cblas_cgemv = scipy_cblas_cgemv;
constexpr auto* cblas_zgemv = scipy_cblas_zgemv;
constexpr auto* cblas_sgemm_batch_strided = scipy_cblas_sgemm_batch_strided;
constexpr auto* cblas_dgemm_batch_strided = scipy_cblas_dgemm_batch_strided;
constexpr auto* cblas_cgemm_batch_strided = scipy_cblas_cgemm_batch_strided;
constexpr auto* cblas_zgemm_batch_strided = scipy_cblas_zgemm_batch_strided;
constexpr auto* cblas_somatcopy = scipy_cblas_somatcopy;
constexpr auto* cblas_domatcopy = scipy_cblas_domatcopy;
constexpr auto* cblas_comatcopy = scipy_cblas_comatcopy;
constexpr auto* cblas_zomatcopy = scipy_cblas_zomatcopy;
constexpr auto* cblas_simatcopy = scipy_cblas_simatcopy;
constexpr auto* cblas_dimatcopy = scipy_cblas_dimatcopy;
constexpr auto* cblas_cimatcopy = scipy_cblas_cimatcopy;
constexpr auto* cblas_zimatcopy = scipy_cblas_zimatcopy;
constexpr auto* cblas_sgeadd = scipy_cblas_sgeadd;
constexpr auto* cblas_dgeadd = scipy_cblas_dgeadd;
constexpr auto* openblas_get_config = scipy_openblas_get_config;
constexpr auto* openblas_get_corename = scipy_openblas_get_corename;
constexpr auto* openblas_set_num_threads = scipy_openblas_set_num_threads;
constexpr auto* openblas_set_threads_callback = scipy_openblas_set_threads_callback_function;

}  // namespace xpose::bench
#endif
