// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// DLPack tensors as xpose views, and xpose views as DLPack tensors. The structures are yours: any
// with the members of dlpack.h, which this header does not include.
//
//   auto A = xpose::view<float const>(*managed);     // DLTensor, DLManagedTensor, ..Versioned
//   auto exported = xpose::to_dlpack<DLTensor>(A);   // exported.tensor() is a DLTensor*
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Numbers of dlpack.h, which its versions keep.
enum class dlpack_code : int {
  integer = 0,
  unsigned_integer = 1,
  real = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6,
  float8_e4m3fn = 10,
  float8_e5m2 = 12
};
enum class dlpack_place : int { host = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct dlpack_type {
  int code;
  int bits;
  int lanes;
};

template <class T>
constexpr dlpack_type dlpack_type_of() {
  using K = canonical_type_t<T>;
  constexpr element_type type = element_type_of<T>();
  constexpr bool is_bool = std::is_same_v<K, bool>;
  static_assert(
      is_bool || type != element_type::other,
      "xpose: DLPack has no name for this element type; it has bool, integers, float8_e4m3, "
      "float8_e5m2, float16, bfloat16, float, double and complex numbers");
  constexpr dlpack_code code =
      is_bool                      ? dlpack_code::boolean
      : type == element_type::bf16 ? dlpack_code::bfloat
      : type == element_type::e4m3 ? dlpack_code::float8_e4m3fn
      : type == element_type::e5m2 ? dlpack_code::float8_e5m2
      : type == element_type::complex_f32 || type == element_type::complex_f64
          ? dlpack_code::complex
      : !std::is_integral_v<K> ? dlpack_code::real
      : std::is_signed_v<K>    ? dlpack_code::integer
                               : dlpack_code::unsigned_integer;
  return {static_cast<int>(code), 8 * static_cast<int>(sizeof(T)), 1};
}

/// What decides whether a tensor can be read as asked.
struct dlpack_facts {
  std::uint32_t major_version;
  int device_type;
  dlpack_type type;
  int dimensions;
  bool is_read_only;
};

/// Throws layout_error (version, type, read-only), residency_error (device), shape_error
/// (dimensions).
XPOSE_EXPORT void check_dlpack(dlpack_facts const& given, dlpack_type wanted, int dimensions,
                               bool is_const);

struct dlpack_device {
  dlpack_place type;
  int id;
};

/// The device of a pointer; asks the driver, if the process has loaded it.
XPOSE_EXPORT dlpack_device dlpack_device_of(void const* data);

template <class Tensor, class = void>
struct is_dlpack_plain : std::false_type {};
template <class Tensor>
struct is_dlpack_plain<Tensor,
                       std::void_t<decltype(std::declval<Tensor const&>().dtype.lanes),
                                   decltype(std::declval<Tensor const&>().device.device_type),
                                   decltype(std::declval<Tensor const&>().byte_offset)>>
    : std::true_type {};

template <class Tensor, class = void>
struct is_dlpack : is_dlpack_plain<Tensor> {};
template <class Tensor>
struct is_dlpack<Tensor, std::void_t<decltype(std::declval<Tensor const&>().dl_tensor)>>
    : is_dlpack_plain<std::decay_t<decltype(std::declval<Tensor const&>().dl_tensor)>> {};

template <class Tensor, class = void>
struct is_dlpack_versioned : std::false_type {};
template <class Tensor>
struct is_dlpack_versioned<Tensor, std::void_t<decltype(std::declval<Tensor const&>().flags),
                                               decltype(std::declval<Tensor const&>().version)>>
    : std::true_type {};

constexpr std::uint32_t dlpack_major_version = 1;
constexpr std::uint64_t dlpack_read_only = 1;  // of DLManagedTensorVersioned's flags

template <class T, std::size_t N, class Tensor>
tensor_view<T, N> read_dlpack(Tensor const& t, std::uint32_t major_version, bool is_read_only) {
  // Of another version only the version may be read.
  bool const is_readable = major_version == dlpack_major_version;
  check_dlpack(is_readable ? dlpack_facts{major_version,
                                          static_cast<int>(t.device.device_type),
                                          {t.dtype.code, t.dtype.bits, t.dtype.lanes},
                                          static_cast<int>(t.ndim),
                                          is_read_only}
                           : dlpack_facts{major_version, 0, {}, 0, false},
               dlpack_type_of<std::remove_cv_t<T>>(), static_cast<int>(N), std::is_const_v<T>);
  std::array<index, N> extents{};
  std::array<index, N> strides{};
  for (std::size_t d = 0; d < N; ++d) extents[d] = t.shape[d];
  // Null stays null behind an offset, so that the view refuses it.
  T* const data = t.data == nullptr
                      ? nullptr
                      : reinterpret_cast<T*>(static_cast<char*>(t.data) + t.byte_offset);
  if (t.strides == nullptr) return {data, extents};
  for (std::size_t d = 0; d < N; ++d) strides[d] = t.strides[d];
  return {data, extents, strides};
}

}  // namespace detail

/// The elements of a DLPack tensor of N dimensions, which the caller names with their type T: bool,
/// an integer, float8_e4m3 (DLPack's float8_e4m3fn), float8_e5m2, float16, bfloat16, float, double,
/// std::complex. Takes a DLTensor, DLManagedTensor or
/// DLManagedTensorVersioned; does not call its deleter. strides may be null (packed), byte_offset
/// counts. Throws residency_error unless the device is the processor, CUDA, CUDA's pinned or
/// managed memory; shape_error if it has not N dimensions; layout_error if its elements are others
/// (or several to a lane), if it is read-only and T is not const, or if its version is not 1; else
/// as tensor_view does. An operation checks alignment and where the memory lies.
template <class T, std::size_t N, class Tensor,
          std::enable_if_t<detail::is_dlpack<Tensor>::value, int> = 0>
tensor_view<T, N> tensor(Tensor const& t) {
  if constexpr (detail::is_dlpack_versioned<Tensor>::value)
    return detail::read_dlpack<T, N>(t.dl_tensor, t.version.major,
                                     (t.flags & detail::dlpack_read_only) != 0);
  else if constexpr (detail::is_dlpack_plain<Tensor>::value)
    return detail::read_dlpack<T, N>(t, detail::dlpack_major_version, false);
  else return detail::read_dlpack<T, N>(t.dl_tensor, detail::dlpack_major_version, false);
}

/// A DLPack tensor of two dimensions as a matrix.
template <class T, class Tensor, std::enable_if_t<detail::is_dlpack<Tensor>::value, int> = 0>
matrix_view<T> view(Tensor const& t) {
  return v0::view(v0::tensor<T, 2>(t));
}

/// A DLPack tensor of three dimensions as a batch; dimension 0 counts the matrices.
template <class T, class Tensor, std::enable_if_t<detail::is_dlpack<Tensor>::value, int> = 0>
batch_view<T> batch(Tensor const& t) {
  return v0::view(v0::tensor<T, 3>(t));
}

/// A DLTensor and the arrays that it points to. Must live as long as the tensor is used; so must
/// the memory of the view.
template <class Tensor, std::size_t N>
class dlpack_tensor {
 public:
  using device_type = std::decay_t<decltype(Tensor::device)>;

  template <class T>
  dlpack_tensor(T* data, detail::dimension const (&dimensions)[N], device_type device)
      : dlpack_tensor(data, dimensions) {
    tensor_.device = device;
  }
  template <class T>
  dlpack_tensor(T* data, detail::dimension const (&dimensions)[N]) {
    bool is_empty = false;
    for (std::size_t d = 0; d < N; ++d) {
      shape_[d] = dimensions[d].extent;
      strides_[d] = dimensions[d].stride;
      is_empty = is_empty || shape_[d] == 0;
    }
    constexpr detail::dlpack_type type = detail::dlpack_type_of<std::remove_cv_t<T>>();
    tensor_.data = is_empty ? nullptr : const_cast<std::remove_cv_t<T>*>(data);
    tensor_.ndim = static_cast<decltype(tensor_.ndim)>(N);
    tensor_.dtype.code = static_cast<decltype(tensor_.dtype.code)>(type.code);
    tensor_.dtype.bits = static_cast<decltype(tensor_.dtype.bits)>(type.bits);
    tensor_.dtype.lanes = 1;
    tensor_.shape = shape_;
    tensor_.strides = strides_;
    tensor_.byte_offset = 0;
    auto const device = detail::dlpack_device_of(tensor_.data);
    tensor_.device.device_type = static_cast<decltype(tensor_.device.device_type)>(device.type);
    tensor_.device.device_id = device.id;
  }
  dlpack_tensor(dlpack_tensor const&) = delete;
  dlpack_tensor& operator=(dlpack_tensor const&) = delete;

  /// A copy of *tensor() points to the same arrays.
  Tensor* tensor() noexcept { return &tensor_; }

 private:
  Tensor tensor_{};
  std::int64_t shape_[N];
  std::int64_t strides_[N];
};

/// A view as a DLTensor, of two dimensions for a matrix, of three for a batch, of N for a tensor.
/// The last argument is a DLDevice; without it the driver is asked where the memory lies (the
/// processor, for a view without elements). A DLTensor cannot say that its elements are const, so
/// whoever takes it must know.
template <class Tensor, class T, class... Device>
dlpack_tensor<Tensor, 2> to_dlpack(matrix_view<T> v, Device... device) {
  return {v.data(), {{v.rows(), v.row_stride()}, {v.cols(), v.col_stride()}}, device...};
}
template <class Tensor, class T, class... Device>
dlpack_tensor<Tensor, 3> to_dlpack(batch_view<T> v, Device... device) {
  matrix_view<T> const first = v.first();
  return {first.data(),
          {{v.count(), v.batch_stride()},
           {v.rows(), first.row_stride()},
           {v.cols(), first.col_stride()}},
          device...};
}
template <class Tensor, class T, std::size_t N, class... Device>
dlpack_tensor<Tensor, N> to_dlpack(tensor_view<T, N> const& v, Device... device) {
  detail::dimension dimensions[N] = {};
  for (std::size_t d = 0; d < N; ++d) dimensions[d] = {v.extent(d), v.stride(d)};
  return {v.data(), dimensions, device...};
}

}  // namespace v0
}  // namespace xpose
