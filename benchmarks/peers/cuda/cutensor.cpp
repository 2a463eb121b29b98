// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuTENSOR 2: its permutation, which takes any strides.

#include "peers/peer.hpp"

#include <cutensor.h>

#include <cuda_runtime_api.h>

#include <optional>
#include <stdexcept>

namespace xpose::bench {
namespace {

void check_cutensor(cutensorStatus_t status, char const* what) {
  if (status != CUTENSOR_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cutensorGetErrorString(status));
}

struct cutensor_type {
  cutensorDataType_t data;
  cutensorComputeDescriptor_t compute;
};

std::optional<cutensor_type> type_of(element_kind kind) {
  switch (kind) {
    case element_kind::f16:
      return {{CUTENSOR_R_16F, CUTENSOR_COMPUTE_DESC_16F}};
    case element_kind::bf16:
      return {{CUTENSOR_R_16BF, CUTENSOR_COMPUTE_DESC_16BF}};
    case element_kind::f32:
      return {{CUTENSOR_R_32F, CUTENSOR_COMPUTE_DESC_32F}};
    case element_kind::f64:
      return {{CUTENSOR_R_64F, CUTENSOR_COMPUTE_DESC_64F}};
    case element_kind::c64:
      return {{CUTENSOR_C_32F, CUTENSOR_COMPUTE_DESC_32F}};
    case element_kind::c128:
      return {{CUTENSOR_C_64F, CUTENSOR_COMPUTE_DESC_64F}};
    default:
      return std::nullopt;
  }
}

class permutation_runner : public copy_runner {
 public:
  permutation_runner(cutensorHandle_t handle, transpose_case const& what, cutensor_type const& type,
                     cudaStream_t stream)
      : handle_(handle), stream_(stream) {
    std::int32_t const modes[] = {'b', 'i', 'j'};
    std::int64_t const extents[] = {what.batch, what.rows, what.cols};
    std::int64_t const in_strides[] = {what.in_batch_stride, what.in_ld, 1};
    std::int64_t const out_strides[] = {what.out_batch_stride, 1, what.out_ld};
    auto const alignment = static_cast<std::uint32_t>(what.type.bytes);
    check_cutensor(
        cutensorCreateTensorDescriptor(handle, &in_, 3, extents, in_strides, type.data, alignment),
        "cutensorCreateTensorDescriptor");
    check_cutensor(cutensorCreateTensorDescriptor(handle, &out_, 3, extents, out_strides, type.data,
                                                  alignment),
                   "cutensorCreateTensorDescriptor");
    check_cutensor(cutensorCreatePermutation(handle, &operation_, in_, modes, CUTENSOR_OP_IDENTITY,
                                             out_, modes, type.compute),
                   "cutensorCreatePermutation");
    cutensorPlanPreference_t preference = nullptr;
    check_cutensor(cutensorCreatePlanPreference(handle, &preference, CUTENSOR_ALGO_DEFAULT,
                                                CUTENSOR_JIT_MODE_NONE),
                   "cutensorCreatePlanPreference");
    cutensorStatus_t const planned = cutensorCreatePlan(handle, &plan_, operation_, preference, 0);
    cutensorDestroyPlanPreference(preference);
    check_cutensor(planned, "cutensorCreatePlan");
    one_[0] = 1;
    if (type.data == CUTENSOR_R_64F || type.data == CUTENSOR_C_64F) scale_ = one_;
    if (type.data == CUTENSOR_R_16F || type.data == CUTENSOR_R_16BF)
      scale_ = one_half_of(type.data);
  }
  permutation_runner(permutation_runner const&) = delete;
  permutation_runner& operator=(permutation_runner const&) = delete;
  ~permutation_runner() override {
    cutensorDestroyPlan(plan_);
    cutensorDestroyOperationDescriptor(operation_);
    cutensorDestroyTensorDescriptor(in_);
    cutensorDestroyTensorDescriptor(out_);
  }

  void run(void const* in, void* out) override {
    check_cutensor(cutensorPermute(handle_, plan_, scale_, in, out, stream_), "cutensorPermute");
  }
  std::string kernel() const override { return "cutensorPermute"; }

 private:
  /// alpha has the type of the compute descriptor.
  void const* one_half_of(cutensorDataType_t type) {
    half_ = type == CUTENSOR_R_16F ? 0x3c00 : 0x3f80;
    return &half_;
  }

  cutensorHandle_t handle_;
  cudaStream_t stream_;
  cutensorTensorDescriptor_t in_ = nullptr;
  cutensorTensorDescriptor_t out_ = nullptr;
  cutensorOperationDescriptor_t operation_ = nullptr;
  cutensorPlan_t plan_ = nullptr;
  double one_[2] = {0, 0};
  float one_f32_[2] = {1, 0};
  std::uint16_t half_ = 0;
  void const* scale_ = one_f32_;
};

class cutensor_peer : public peer {
 public:
  std::string version() const override {
    std::size_t const version = cutensorGetVersion();
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const*, void*) override {
    auto const type = type_of(what.type.kind);
    if (!type || what.in_place) return nullptr;
    if (handle_ == nullptr) check_cutensor(cutensorCreate(&handle_), "cutensorCreate");
    return std::make_unique<permutation_runner>(handle_, what, *type,
                                                static_cast<cudaStream_t>(where.stream));
  }

 private:
  cutensorHandle_t handle_ = nullptr;
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::cutensor_peer the_peer;
  return &the_peer;
}
