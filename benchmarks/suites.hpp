// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The suites: which types and shapes belong together. Data only; the grammar of the shapes is in
// shape.hpp.
#pragma once

#include <string>
#include <vector>

namespace xpose::bench {

struct suite {
  char const* name;
  char const* operation;
  char const* what;
  std::vector<std::string> types;
  std::vector<std::string> shapes;
  std::vector<std::string> device_shapes;  ///< timed on a device only
  bool in_place = false;
};

inline std::vector<suite> const& suites() {
  static std::vector<suite> const all = {
      {"transpose",
       "transpose",
       "element sizes 1 to 16 bytes; squares, long and thin, odd, submatrices, batches",
       {"b1", "b2", "b3", "f32", "f64", "b12", "c128"},
       {"512x512", "1000x1000", "1024x1024", "4096x4096", "4097x4097", "8192x8192", "16384x16384",
        "32768x32768", "1111x113", "1000000x16", "16x1000000", "10000000x3", "3x10000000",
        "4095x4097:ld=4111/4103:offset=1", "1000x1003:ld=1021/1009:offset=3", "100000*8x8",
        "4096*64x64", "64*1024x1024"},
       {"33554432x3", "4194304x32", "32x4194304", "16383x16385"}},
      {"gemm",
       "gemm",
       "squares, all four layouts, odd, skinny, inner-product, vector and batched shapes",
       {"f32", "f64", "c64", "c128", "f16", "bf16", "i8", "i32", "min_plus_f32"},
       {"64x64x64",
        "128x128x128",
        "256x256x256",
        "512x512x512",
        "1000x1000x1000",
        "1024x1024x1024",
        "1024x1024x1024:NT",
        "1024x1024x1024:TN",
        "1024x1024x1024:TT",
        "2048x2048x2048",
        "4096x4096x4096",
        "4096x4096x4096:NT",
        "4096x4096x4096:TN",
        "4096x4096x4096:TT",
        "8192x8192x8192",
        "16384x16384x16384",
        "4095x4097x4093",
        "4096x16x4096",
        "16x4096x4096",
        "64x64x65536",
        "127x129x8191",
        "8192x512x8192",
        "1x4096x4096",
        "4096x1x4096",
        "1000x1000x1000:ld=1001/1003/1007:offset=1",
        "10000*16x16x16",
        "1000*64x64x64",
        "64*512x512x512"},
       {}},
      {"transpose-short",
       "transpose",
       "one shape of each kind",
       {"b1", "b2", "f32", "f64", "c128"},
       {"1000x1000", "4096x4096", "4097x4097", "1111x113", "1000000x16", "16x1000000",
        "4095x4097:ld=4111/4103:offset=1", "4096*64x64"},
       {"16384x16384", "33554432x3"}},
      {"transpose-inplace",
       "transpose",
       "in place: squares, rectangles, long and thin, batches",
       {"b1", "f32", "f64", "c128"},
       {"256x256", "512x512", "1024x1024", "2048x2048", "4096x4096", "4097x4097", "8192x8192",
        "4096x2048", "5760x3840", "3000x5000", "1111x113", "1000000x16", "16x1000000",
        "1024*128x128", "1024*96x160"},
       {},
       true},
      {"transpose-inplace-short",
       "transpose",
       "in place: one shape of each kind",
       {"f32", "f64"},
       {"1024x1024", "4097x4097", "4096x2048", "3000x5000", "1000000x16", "1024*128x128"},
       {},
       true},
      {"gemm-short",
       "gemm",
       "one shape of each kind",
       {"f32", "f64", "bf16", "i8"},
       {"128x128x128", "1024x1024x1024", "1024x1024x1024:TN", "1000x1000x1000", "2048x16x2048",
        "16x2048x2048", "64x64x16384", "1x4096x4096", "1000*16x16x16"},
       {"4096x4096x4096", "4095x4097x4093", "8192x8192x8192"}},
      // The first 26 are of HPTT's public benchmark (P. Springer, TTC's before it), in C order: 200
      // MB of f32 each; the fastest dimension stays in some. Then a transformer's heads, NCHW to
      // NHWC and back, and one whose dimensions merge to a batch of transposes.
      {"permute",
       "permute",
       "tensors of 2 to 6 dimensions: HPTT's benchmark, heads, images",
       {"f32", "f64"},
       {"7264x7264:10",
        "1216x43408:10",
        "43408x1216:10",
        "384x384x368:102",
        "384x64x2144:102",
        "355x384x384:021",
        "59x2320x384:021",
        "384x355x384:210",
        "384x59x2320:210",
        "96x75x96x80:2103",
        "96x75x16x464:2103",
        "75x96x75x96:3021",
        "75x96x12x608:3021",
        "75x96x75x96:2031",
        "75x75x96x96:1032",
        "75x12x608x96:1032",
        "96x75x75x96:3210",
        "48x28x28x48x32:13204",
        "28x48x28x28x48:40321",
        "28x28x48x28x48:13042",
        "28x28x4x48x352:20413",
        "48x28x28x28x48:43210",
        "15x15x32x15x32x16:410325",
        "15x15x32x15x5x112:140532",
        "15x15x15x32x15x32:204153",
        "32x15x15x15x15x32:543210",
        "32x1024x12x64:0213",
        "64x256x56x56:0231",
        "64x56x56x256:0312",
        "1024x1024x48:102",
        "96x96x80x80:2301"},
       {}},
      {"permute-short",
       "permute",
       "one tensor of each kind",
       {"b2", "f32", "f64"},
       {"256x256x256:210", "368x64x384:102", "64x256x28x28:0231", "64x28x28x256:0312",
        "8x1024x12x64:0213", "8x12x64x512:0132", "96x96x40x40:2301", "16x15x16x15x15x16:543210"},
       {}},
      {"copy",
       "copy",
       "the ceilings, and xpose::copy beside them, by size",
       {"f32"},
       {"64x64", "128x128", "256x256", "512x512", "1000x1000", "1024x1024", "2048x2048",
        "4096x4096", "8192x8192", "16384x16384"},
       {}},
  };
  return all;
}

}  // namespace xpose::bench
