// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether a candidate's result is right. Every check reads the outputs themselves, which held NaNs
// (bytes 0xff) before the call.
#pragma once

#include "core/case.hpp"
#include "core/machine.hpp"
#include "types/gemm_type.hpp"

#include <string>

namespace xpose::bench {

struct verdict {
  std::string wrong;  ///< empty: right. Else the first difference: "out(3, 5) differs ..."
  std::string by;     ///< how it was checked
};

/// out against the reference backend's transpose (or copy) of in, tile by tile, and the memory
/// between and behind out's rows against the poison. in and out are memory of the machine. Up to 64
/// MiB are compared on the host; more is compared on the device.
verdict verify_transpose(machine& where, transpose_case const& what, bool is_copy, void const* in,
                         void const* out);

/// The same for a cast, and for a permutation, on the host wherever the operands are.
verdict verify_cast(machine& where, cast_case const& what, void const* in, void const* out);
verdict verify_permute(machine& where, permute_case const& what, void const* in, void const* out);

/// C against op(A) op(B). Up to 2^24 products every element against the definition in wider
/// arithmetic, within the rounding error of the accumulate and the stored type. Above: 1024
/// elements the same way, and Freivalds' probabilistic check (R. Freivalds 1977: C x = A (B x) for
/// random signs x), which sees every element.
verdict verify_gemm(machine& where, gemm_case const& what, gemm_type const& type, void const* a,
                    void const* b, void const* c);

/// C against the definition in wider arithmetic, within two roundings, and the memory behind its
/// rows against the poison.
verdict verify_add(machine& where, add_case const& what, void const* a, void const* b,
                   void const* c);

/// Bytes that every output is followed by, poisoned before a candidate runs and looked at after.
constexpr std::size_t guard_bytes = 64;

namespace device {
/// Elements of out that differ from the definition, counted by a kernel with one thread an element.
index count_mismatches(transpose_case const& what, bool is_copy, void const* in, void const* out,
                       void* stream);
}  // namespace device

}  // namespace xpose::bench
