// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which DLPack tensors can be read as a view, the messages for those that cannot, and the DLPack
// device of a pointer.

#include <xpose/dlpack.hpp>

#include <xpose/backends/core/availability.hpp>
#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// "float32", "bool8", "complex64 in 2 lanes", "float8_e5m2 of 8 bits"; "type 18 of 8 bits" for
/// what has no name here.
std::string name_of(dlpack_type type) {
  // Numbered as in dlpack.h: kinds, and formats whose names include their bits; the tensor's bits
  // are added, since padding may increase them.
  constexpr char const* kinds[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  constexpr char const* formats[] = {"float8_e3m4",     "float8_e4m3",     "float8_e4m3b11fnuz",
                                     "float8_e4m3fn",   "float8_e4m3fnuz", "float8_e5m2",
                                     "float8_e5m2fnuz", "float8_e8m0fnu",  "float6_e2m3fn",
                                     "float6_e3m2fn",   "float4_e2m1fn"};
  constexpr int first_format = std::size(kinds);
  constexpr int last_format = first_format + std::size(formats) - 1;
  std::string name;
  if (type.code >= 0 && type.code < first_format) name = message(kinds[type.code], type.bits);
  else if (type.code >= first_format && type.code <= last_format)
    name = message(formats[type.code - first_format], " of ", type.bits, " bits");
  else name = message("type ", type.code, " of ", type.bits, " bits");
  return type.lanes == 1 ? name : message(name, " in ", type.lanes, " lanes");
}

}  // namespace

void check_dlpack(dlpack_facts const& given, dlpack_type wanted, int dimensions, bool is_const) {
  if (given.major_version != dlpack_major_version)
    refuse<layout_error>("DLPack: the tensor is of version ", given.major_version,
                         ", and xpose knows version ", dlpack_major_version);
  constexpr dlpack_place reachable[] = {dlpack_place::host, dlpack_place::cuda,
                                        dlpack_place::cuda_host, dlpack_place::cuda_managed};
  if (std::find(std::begin(reachable), std::end(reachable),
                static_cast<dlpack_place>(given.device_type)) == std::end(reachable))
    refuse<residency_error>("DLPack: the tensor is on a device of type ", given.device_type,
                            "; xpose takes 1 (the processor), 2 (CUDA), 3 (CUDA's pinned "
                            "memory) and 13 (CUDA's managed memory)");
  dlpack_type const& type = given.type;
  if (type.code != wanted.code || type.bits != wanted.bits || type.lanes != wanted.lanes)
    refuse<layout_error>("DLPack: elements of the tensor are ", name_of(type), ", not ",
                         name_of(wanted));
  if (given.dimensions != dimensions)
    refuse<shape_error>("DLPack: the tensor has ", given.dimensions, " dimensions, expected ",
                        dimensions);
  if (given.is_read_only && !is_const)
    throw layout_error("DLPack: the tensor is read-only; ask for const elements");
}

dlpack_device dlpack_device_of(void const* data) {
  // Pinned and managed memory has device number 0; the driver does not know other memory.
  residency const kind = data == nullptr ? residency::unknown_to_cuda : residency_of(data);
  if (kind == residency::device) return {dlpack_place::cuda, device_of(data)};
  if (kind == residency::managed) return {dlpack_place::cuda_managed, 0};
  if (kind == residency::pinned_host) return {dlpack_place::cuda_host, 0};
  return {dlpack_place::host, 0};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
