// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm whose operands lie in any memory: tiles of C with all of k, whose panels of A and B stay on
// the device as long as the cost model of gemm_tiles.hpp lets them.

#include <xpose/backends/across/call.hpp>
#include <xpose/backends/across/drivers.hpp>
#include <xpose/backends/across/gemm_tiles.hpp>
#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/layer_epilogue.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

enum operand_number : int { of_a, of_b, of_c, of_scale, of_bias };
constexpr int most_operands = tile_engine::most_operands;
constexpr char const* names[most_operands] = {"A", "B", "C", "scale", "bias"};

struct product {
  int count;  // of operands
  operand operands[most_operands];
  bus_way ways[most_operands];
};

/// A call with alpha == 0 reads neither A nor B: one without k.
gemm_request without_unread(gemm_request r) {
  if (r.alpha_is_zero) r.a.cols = r.b.rows = 0;
  return r;
}

product product_of(gemm_request const& r) {
  product p{3, {r.a, r.b, r.c}, {}};
  if (r.layer != nullptr) {
    p.count = 5;
    p.operands[of_scale] = r.layer->scale;
    p.operands[of_bias] = r.layer->bias;
  }
  for (int n = 0; n < p.count; ++n) {
    operand const& o = p.operands[n];
    bool const has_memory = o.data != nullptr && !is_empty(o);
    p.ways[n] = has_memory ? reach_of("gemm", names[n], as_tensor(o)) : bus_way::in_reach;
  }
  return p;
}

bool is_in_reach(product const& p) {
  return std::all_of(p.ways, p.ways + p.count, [](bus_way r) { return r == bus_way::in_reach; });
}

gemm_traffic traffic_of(gemm_request const& r, product const& p) {
  auto const bytes = [&p](int n) {
    return index{p.ways[n] == bus_way::in_reach ? 0 : p.operands[n].bytes_per_element};
  };
  gemm_traffic t{r.c.batch,   r.c.rows,    r.c.cols,    r.a.cols,
                 bytes(of_a), bytes(of_b), bytes(of_c), !r.beta_is_zero,
                 0,           0,           0,           r.a.bytes_per_element};
  for (int n = of_scale; n < p.count; ++n) {
    operand const& o = p.operands[n];
    (o.rows == 1 ? t.bytes_of_col : o.cols == 1 ? t.bytes_of_row : t.layer_bytes) += bytes(n);
  }
  t.workspace =
      workspace_of(r, bytes(of_a) != 0, bytes(of_b) != 0, properties_of_device().multiprocessors);
  return t;
}

/// The part of an operand that a tile of C needs; one row or one column serves all.
operand part_of(product const& p, int n, gemm_tile const& tile) {
  operand o = p.operands[n];
  if (o.data == nullptr) return o;
  index first_row = tile.first_row;
  index first_col = tile.first_col;
  index rows = tile.rows;
  index cols = tile.cols;
  if (n == of_a) {
    first_col = 0;
    cols = o.cols;
  } else if (n == of_b) {
    first_row = 0;
    rows = o.rows;
  } else if (n >= of_scale) {
    if (o.rows == 1) first_row = 0, rows = 1;
    if (o.cols == 1) first_col = 0, cols = 1;
  }
  index const first_matrix = n >= of_scale ? 0 : tile.first_matrix;
  index offset = 0;
  if (first_matrix != 0) offset += first_matrix * o.batch_stride;
  if (first_row != 0) offset += first_row * o.row_stride;
  if (first_col != 0) offset += first_col * o.col_stride;
  o.data = static_cast<char const*>(o.data) + offset * o.bytes_per_element;
  if (n < of_scale) o.batch = tile.matrices;
  o.rows = rows;
  o.cols = cols;
  return o;
}

std::vector<streamed_operand> streamed(product const& p, gemm_request const& r,
                                       gemm_traffic const& t, gemm_tiles const& tiles) {
  std::vector<streamed_operand> all;
  gemm_tile const first = tile_at(t, tiles, 0);
  for (int n = 0; n < p.count; ++n) {
    bool const is_read = n != of_c || !r.beta_is_zero;
    int const buffers = n == of_a ? tiles.a_buffers : n == of_b ? tiles.b_buffers : tiles.c_buffers;
    all.push_back(
        {p.ways[n], is_read, n == of_c, packed_bytes(as_tensor(part_of(p, n, first))), buffers});
  }
  return all;
}

/// The request of a tile on the device.
void run_tile(execution const& where, gemm_request const& r, tile_engine::parts const& parts) {
  gemm_request piece = r;
  piece.a = matrix_of(parts[of_a]);
  piece.b = matrix_of(parts[of_b]);
  piece.c = matrix_of(parts[of_c]);
  if (r.layer == nullptr) return cuda_run_gemm(where, piece);
  layer_request layer = *r.layer;
  layer.scale = matrix_of(parts[of_scale]);
  layer.bias = matrix_of(parts[of_bias]);
  piece.layer = &layer;
  cuda_run_gemm(where, piece);
}

gemm_tiles tiles_of(gemm_traffic const& t, index device_bytes, index limit) {
  index const most = limit != 0 ? limit : device_bytes / 2;
  gemm_tiles const tiles = choose_gemm_tiles(t, most);
  if (!tiles.is_found())
    refuse<backend_error>("gemm: device_bytes is ", most, ", and panels of one row of A and one ",
                          "column of B with all of k (", t.k, ") do not fit");
  return tiles;
}

void run_part(call_part const& call, gemm_request const& r) {
  if (is_empty(r.c)) return;
  product const p = product_of(r);
  prefetch_managed(call.where, {as_tensor(r.a), as_tensor(r.b), as_tensor(r.c)});
  lanes streams;
  if (is_in_reach(p))
    return run_in_reach(call, bytes_of(as_tensor(r.c)),
                        [&](execution const& where) { cuda_run_gemm(where, r); });
  gemm_traffic const t = traffic_of(r, p);
  gemm_tiles const tiles = tiles_of(t, streams->device_bytes, call.device_bytes);
  tile_engine engine(call, streams, streamed(p, r, t, tiles));
  engine.run({count_of(t, tiles),
              [&](index number, tile_engine::parts& parts) {
                gemm_tile const tile = tile_at(t, tiles, number);
                for (int n = 0; n < p.count; ++n) parts[n] = as_tensor(part_of(p, n, tile));
              },
              [&](execution const& where, tile_engine::parts const& parts) {
                run_tile(where, r, parts);
              }});
}

/// The number-th part of a gemm by devices: matrices, rows or columns of C.
void run_on_device(call_part const& call, gemm_request const& r, int number, int count) {
  tensor_operand const c = as_tensor(r.c);
  box const b = part_of_device(c, number, count);
  gemm_tile const tile{b.first[0], b.extent[0], b.first[1], b.extent[1], b.first[2], b.extent[2]};
  product const p{r.layer == nullptr ? 3 : 5,
                  {r.a, r.b, r.c, r.layer == nullptr ? operand{} : r.layer->scale,
                   r.layer == nullptr ? operand{} : r.layer->bias},
                  {}};
  gemm_request piece = r;
  piece.a = part_of(p, of_a, tile);
  piece.b = part_of(p, of_b, tile);
  piece.c = part_of(p, of_c, tile);
  layer_request layer{};
  if (r.layer != nullptr) {
    layer = *r.layer;
    layer.scale = part_of(p, of_scale, tile);
    layer.bias = part_of(p, of_bias, tile);
    piece.layer = &layer;
  }
  run_part(call, piece);
}

}  // namespace

void run_across(execution const& where, across_terms const& terms, gemm_request const& given,
                user_code const& code) {
  gemm_request const r = without_unread(given);
  bool const has_devices = terms.device_count != 0;
  product const p = product_of(r);
  index const output_bytes = bytes_of(as_tensor(r.c));
  if (!has_devices && is_in_reach(p)) {
    prefetch_managed(where, {as_tensor(r.a), as_tensor(r.b), as_tensor(r.c)});
    return run_in_reach("gemm", where, terms, output_bytes, code,
                        [&](execution const& there) { cuda_run_gemm(there, given); });
  }
  require_movable("gemm", where, code);
  if (explain_only(where, has_devices ? "across_devices" : "across_gemm")) return;
  progress_meter progress(terms, output_bytes);
  if (!has_devices) return run_part(whole_call(where, terms, progress), r);
  on_devices("gemm", where, terms, progress, [&](call_part const& call, int number) {
    run_on_device(call, r, number, terms.device_count);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
