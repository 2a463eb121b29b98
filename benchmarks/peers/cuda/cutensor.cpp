// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuTENSOR 2: its permutation, which takes any strides, and its elementwise sum. A plan is told the
// true alignment of each operand, and is the faster of those that its two performance models make.

#include "peers/cuda/pick_fastest.hpp"
#include "peers/peer.hpp"

#include <cutensor.h>

#include <array>
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

using tensor_description = owned<cutensorTensorDescriptor_t, cutensorDestroyTensorDescriptor>;
using operation_description =
    owned<cutensorOperationDescriptor_t, cutensorDestroyOperationDescriptor>;
using plan_preference = owned<cutensorPlanPreference_t, cutensorDestroyPlanPreference>;
using elementwise_plan = owned<cutensorPlan_t, cutensorDestroyPlan>;

/// A dimension's name, extent and stride in elements.
struct mode {
  std::int32_t name;
  index extent;
  index stride;
};

/// An operand: what cuTENSOR is told of it.
class tensor {
 public:
  tensor(cutensorHandle_t handle, std::vector<mode> const& modes, cutensor_type const& type,
         std::uint32_t alignment) {
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;
    for (auto const& m : modes) {
      if (m.extent == 1) continue;  // it moves nothing, and a plan of fewer modes is simpler
      names_.push_back(m.name);
      extents.push_back(m.extent);
      strides.push_back(m.stride);
    }
    check_cutensor(cutensorCreateTensorDescriptor(
                       handle, &description_.handle, static_cast<std::uint32_t>(names_.size()),
                       extents.data(), strides.data(), type.data, alignment),
                   "cutensorCreateTensorDescriptor");
  }

  cutensorTensorDescriptor_t description() const { return description_.handle; }
  std::int32_t const* names() const { return names_.data(); }

 private:
  tensor_description description_;
  std::vector<std::int32_t> names_;
};

/// A factor in the type that an operation has its factors in.
class factor {
 public:
  factor(cutensorHandle_t handle, cutensorOperationDescriptor_t operation, double value) {
    cutensorDataType_t type = CUTENSOR_R_32F;
    check_cutensor(
        cutensorOperationDescriptorGetAttribute(
            handle, operation, CUTENSOR_OPERATION_DESCRIPTOR_SCALAR_TYPE, &type, sizeof type),
        "scalar type");
    if (type == CUTENSOR_R_64F || type == CUTENSOR_C_64F) value_.f64[0] = value;
    else if (type == CUTENSOR_R_32F || type == CUTENSOR_C_32F)
      value_.f32[0] = static_cast<float>(value);
    else if (value == 1) value_.half = type == CUTENSOR_R_16F ? 0x3c00 : 0x3f80;
    else throw std::runtime_error("a factor other than 1 has 16 bits");
  }
  void const* get() const { return &value_; }

 private:
  union alignas(16) {
    double f64[2] = {0, 0};
    float f32[2];
    std::uint16_t half;
  } value_;
};

/// The plans of an operation, one by each performance model that makes one.
class plans {
 public:
  plans(cutensorHandle_t handle, cutensorOperationDescriptor_t operation) {
    cutensorStatus_t status = CUTENSOR_STATUS_NOT_SUPPORTED;
    for (auto const algorithm : {CUTENSOR_ALGO_DEFAULT, CUTENSOR_ALGO_DEFAULT_PATIENT}) {
      plan_preference wishes;
      auto plan = std::make_unique<elementwise_plan>();
      status =
          cutensorCreatePlanPreference(handle, &wishes.handle, algorithm, CUTENSOR_JIT_MODE_NONE);
      if (status == CUTENSOR_STATUS_SUCCESS)
        status = cutensorCreatePlan(handle, &plan->handle, operation, wishes.handle, 0);
      if (status == CUTENSOR_STATUS_SUCCESS) made_.push_back(std::move(plan));
    }
    if (made_.empty()) check_cutensor(status, "cutensorCreatePlan");
  }

  /// call(plan, set) enqueues a call on operand set number set.
  template <class Call>
  void choose(operand_sets const& sets, cudaStream_t stream, Call const& call) {
    std::vector<call_on_set> calls;
    for (auto const& plan : made_)
      calls.emplace_back([&call, plan = plan->handle](int set) { call(plan, set); });
    chosen_ = pick_fastest(calls, sets.count(), stream);
  }

  cutensorPlan_t chosen() const { return made_[chosen_]->handle; }
  std::string text() const {
    return ", plan " + std::to_string(chosen_ + 1) + " of " + std::to_string(made_.size());
  }

 private:
  std::vector<std::unique_ptr<elementwise_plan>> made_;
  std::size_t chosen_ = 0;
};

struct copy_modes {
  std::vector<mode> in;
  std::vector<mode> out;
};

copy_modes modes_of(transpose_case const& what) {
  return {
      {{'b', what.batch, what.in_batch_stride}, {'i', what.rows, what.in_ld}, {'j', what.cols, 1}},
      {{'b', what.batch, what.out_batch_stride},
       {'j', what.cols, what.out_ld},
       {'i', what.rows, 1}}};
}

/// Dimension number d of in is named d.
copy_modes modes_of(permute_case const& what) {
  copy_modes modes;
  for (std::size_t d = 0; d < what.extents.size(); ++d) {
    auto const of_out = static_cast<std::size_t>(what.permutation[d]);
    modes.in.push_back({static_cast<std::int32_t>(d), what.extents[d], 1});
    modes.out.push_back({what.permutation[d], what.extents[of_out], 1});
  }
  for (auto* const packed : {&modes.in, &modes.out})
    for (std::size_t d = packed->size() - 1; d > 0; --d)
      (*packed)[d - 1].stride = (*packed)[d].stride * (*packed)[d].extent;
  return modes;
}

/// Memory of a tensor whose first mode has the longest stride.
std::size_t bytes_of(std::vector<mode> const& modes, element_type const& type) {
  return static_cast<std::size_t>(modes.front().extent * modes.front().stride) * type.bytes;
}

class permutation_runner : public copy_runner {
 public:
  permutation_runner(cutensorHandle_t handle, copy_modes const& modes, element_type const& element,
                     cutensor_type const& type, cudaStream_t stream, void const* in, void* out)
      : handle_(handle),
        stream_(stream),
        in_(handle, modes.in, type, alignment_of(in)),
        out_(handle, modes.out, type, alignment_of(out)),
        operation_(make_operation(handle, in_, out_, type)),
        one_(handle, operation_->handle, 1),
        plans_(handle, operation_->handle) {
    operand_sets const sets({{const_cast<void*>(in), bytes_of(modes.in, element), true},
                             {out, bytes_of(modes.out, element), false}},
                            stream);
    plans_.choose(sets, stream, [&](cutensorPlan_t plan, int set) {
      permute(plan, sets.at(set, 0), sets.at(set, 1));
    });
  }

  void run(void const* in, void* out) override { permute(plans_.chosen(), in, out); }
  std::string kernel() const override { return "cutensorPermute" + plans_.text(); }

 private:
  static std::unique_ptr<operation_description> make_operation(cutensorHandle_t handle,
                                                               tensor const& in, tensor const& out,
                                                               cutensor_type const& type) {
    auto made = std::make_unique<operation_description>();
    check_cutensor(cutensorCreatePermutation(handle, &made->handle, in.description(), in.names(),
                                             CUTENSOR_OP_IDENTITY, out.description(), out.names(),
                                             type.compute),
                   "cutensorCreatePermutation");
    return made;
  }
  void permute(cutensorPlan_t plan, void const* in, void* out) {
    check_cutensor(cutensorPermute(handle_, plan, one_.get(), in, out, stream_), "cutensorPermute");
  }

  cutensorHandle_t handle_;
  cudaStream_t stream_;
  tensor in_;
  tensor out_;
  std::unique_ptr<operation_description> operation_;
  factor one_;
  plans plans_;
};

/// A term of the sum, or C.
struct sum_operand {
  void* data;
  std::vector<mode> modes;  ///< that with the longer stride first
  double factor;

  bool lies_like(sum_operand const& other) const {
    return modes[0].name == other.modes[0].name && modes[0].stride == other.modes[0].stride &&
           alignment_of(data) == alignment_of(other.data);
  }
};

sum_operand sum_operand_of(void const* data, add_case const& what, bool transposed, index ld,
                           double factor) {
  mode const rows{'i', what.rows, transposed ? 1 : ld};
  mode const cols{'j', what.cols, transposed ? ld : 1};
  return {const_cast<void*>(data),
          transposed ? std::vector<mode>{cols, rows} : std::vector<mode>{rows, cols}, factor};
}

/// cuTENSOR's binary sum has its second term where C is, or in other memory laid out like C. A case
/// with no such term is a ternary sum whose third term is C times zero.
class sum_runner : public combine_runner {
 public:
  sum_runner(cutensorHandle_t handle, add_case const& what, cutensor_type const& type,
             cudaStream_t stream, void const* a, void const* b, void* c)
      : handle_(handle), stream_(stream) {
    auto first = sum_operand_of(a, what, what.transposed_a, what.lda, add_alpha);
    auto second = sum_operand_of(b, what, what.transposed_b, what.ldb, add_beta);
    auto const sum = sum_operand_of(c, what, false, what.ldc, 0);
    is_exchanged_ = !second.lies_like(sum) && first.lies_like(sum);
    if (is_exchanged_) std::swap(first, second);
    is_binary_ = second.lies_like(sum);
    auto const describe = [&](sum_operand const& operand) {
      return std::make_unique<tensor>(handle, operand.modes, type, alignment_of(operand.data));
    };
    first_ = describe(first);
    if (!is_binary_) second_ = describe(second);
    sum_ = describe(sum);
    make_operation(type);
    alpha_.emplace(handle, operation_.handle, first.factor);
    beta_.emplace(handle, operation_.handle, second.factor);
    zero_.emplace(handle, operation_.handle, 0);
    plans_.emplace(handle, operation_.handle);
    operand_sets const sets({{first.data, bytes_of(first.modes, what.type), true},
                             {second.data, bytes_of(second.modes, what.type), true},
                             {sum.data, bytes_of(sum.modes, what.type), false}},
                            stream);
    plans_->choose(sets, stream, [&](cutensorPlan_t plan, int set) {
      add(plan, sets.at(set, 0), sets.at(set, 1), sets.at(set, 2));
    });
  }

  void run(void const* a, void const* b, void* c) override {
    add(plans_->chosen(), is_exchanged_ ? b : a, is_exchanged_ ? a : b, c);
  }
  std::string kernel() const override {
    return (is_binary_ ? "cutensorElementwiseBinary" : "cutensorElementwiseTrinary") +
           plans_->text();
  }

 private:
  void make_operation(cutensor_type const& type) {
    constexpr auto same = CUTENSOR_OP_IDENTITY;
    auto const* const c = sum_.get();
    if (is_binary_)
      check_cutensor(cutensorCreateElementwiseBinary(
                         handle_, &operation_.handle, first_->description(), first_->names(), same,
                         c->description(), c->names(), same, c->description(), c->names(),
                         CUTENSOR_OP_ADD, type.compute),
                     "cutensorCreateElementwiseBinary");
    else
      check_cutensor(
          cutensorCreateElementwiseTrinary(
              handle_, &operation_.handle, first_->description(), first_->names(), same,
              second_->description(), second_->names(), same, c->description(), c->names(), same,
              c->description(), c->names(), CUTENSOR_OP_ADD, CUTENSOR_OP_ADD, type.compute),
          "cutensorCreateElementwiseTrinary");
  }
  void add(cutensorPlan_t plan, void const* first, void const* second, void* c) {
    if (is_binary_)
      check_cutensor(cutensorElementwiseBinaryExecute(handle_, plan, alpha_->get(), first,
                                                      beta_->get(), second, c, stream_),
                     "cutensorElementwiseBinaryExecute");
    else
      check_cutensor(
          cutensorElementwiseTrinaryExecute(handle_, plan, alpha_->get(), first, beta_->get(),
                                            second, zero_->get(), c, c, stream_),
          "cutensorElementwiseTrinaryExecute");
  }

  cutensorHandle_t handle_;
  cudaStream_t stream_;
  bool is_exchanged_ = false;
  bool is_binary_ = false;
  std::unique_ptr<tensor> first_;
  std::unique_ptr<tensor> second_;
  std::unique_ptr<tensor> sum_;
  operation_description operation_;
  std::optional<factor> alpha_;
  std::optional<factor> beta_;
  std::optional<factor> zero_;
  std::optional<plans> plans_;
};

class cutensor_peer : public peer {
 public:
  std::string version() const override {
    return library_version(cutensorGetVersion(), cutensorGetVersion,
                           std::to_string(CUTENSOR_MAJOR) + "." + std::to_string(CUTENSOR_MINOR) +
                               "." + std::to_string(CUTENSOR_PATCH));
  }

  std::unique_ptr<copy_runner> prepare(transpose_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    if (what.in_place) return nullptr;
    return prepare_copy(modes_of(what), what.type, where, in, out);
  }

  std::unique_ptr<copy_runner> prepare(permute_case const& what, peer_context const& where,
                                       void const* in, void* out) override {
    return prepare_copy(modes_of(what), what.type, where, in, out);
  }

  std::unique_ptr<combine_runner> prepare(add_case const& what, peer_context const& where,
                                          void const* a, void const* b, void* c) override {
    auto const type = type_of(what.type.kind);
    if (!type) return nullptr;
    return std::make_unique<sum_runner>(handle(), what, *type,
                                        static_cast<cudaStream_t>(where.stream), a, b, c);
  }

 private:
  std::unique_ptr<copy_runner> prepare_copy(copy_modes const& modes, element_type const& element,
                                            peer_context const& where, void const* in, void* out) {
    auto const type = type_of(element.kind);
    if (!type) return nullptr;
    return std::make_unique<permutation_runner>(handle(), modes, element, *type,
                                                static_cast<cudaStream_t>(where.stream), in, out);
  }
  cutensorHandle_t handle() {
    if (handle_ == nullptr) check_cutensor(cutensorCreate(&handle_), "cutensorCreate");
    return handle_;
  }

  cutensorHandle_t handle_ = nullptr;
};

}  // namespace
}  // namespace xpose::bench

extern "C" __attribute__((visibility("default"))) xpose::bench::peer* xpose_bench_peer() {
  static xpose::bench::cutensor_peer the_peer;
  return &the_peer;
}
