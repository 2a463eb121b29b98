// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "agreement.hpp"

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// A refusal as it travels.
struct sentence {
  int kind;
  int code;
  char text[1016];
};

[[noreturn]] void throw_refusal(error_kind kind, int code, char const* text) {
  switch (kind) {
    case error_kind::shape:
      throw shape_error(text);
    case error_kind::layout:
      throw layout_error(text);
    case error_kind::alias:
      throw alias_error(text);
    case error_kind::overflow:
      throw overflow_error(text);
    case error_kind::residency:
      throw residency_error(text);
    case error_kind::memory:
      throw std::bad_alloc();
    case error_kind::cuda:
      throw cuda_error(code, text);
    case error_kind::none:
    case error_kind::backend:
      break;
  }
  throw backend_error(text);
}

/// what() without the text of the code, which a cuda_error appends.
std::string call_of(cuda_error const& e) {
  std::string const text = e.what();
  std::size_t const end = text.rfind(": " + e.code().message());
  return end == std::string::npos ? text : text.substr(0, end);
}

}  // namespace

refusal refusal_in_flight() {
  try {
    throw;
  } catch (shape_error const& e) {
    return {error_kind::shape, e.what()};
  } catch (layout_error const& e) {
    return {error_kind::layout, e.what()};
  } catch (alias_error const& e) {
    return {error_kind::alias, e.what()};
  } catch (overflow_error const& e) {
    return {error_kind::overflow, e.what()};
  } catch (residency_error const& e) {
    return {error_kind::residency, e.what()};
  } catch (std::bad_alloc const& e) {
    return {error_kind::memory, e.what()};
  } catch (cuda_error const& e) {
    return {error_kind::cuda, call_of(e), e.code().value()};
  } catch (std::exception const& e) {
    return {error_kind::backend, e.what()};
  } catch (...) {
    return {error_kind::backend, "an exception without a text, of a pool of the local policy"};
  }
}

agreement::agreement(dist_execution const& where, dist_operation op)
    : op_(op), state_(*where.state), patience_(where, op) {
  append({nullptr, nullptr, error_kind::none, false}, state_.size);  // the lowest refusing rank
  same("the call", "operation", static_cast<index>(op));
  same("the policy", "engine()", where.engine);
  same("the policy", "piece_bytes()", where.piece_bytes);
  same("the call", "explain", where.explained != nullptr);
}

int agreement::append(entry const& e, index value) {
  assert(used_ < capacity);
  entries_[used_] = e;
  values_[used_] = value;
  values_[capacity + used_] = ~value;  // not -value, which the least index has not
  return used_++;
}

void agreement::same(char const* operand, char const* what, index value, error_kind kind) {
  append({operand, what, kind, true}, value);
}

void agreement::same_layout(char const* operand, dist_layout const& l) {
  same(operand, "layout().rows", l.rows, error_kind::shape);
  same(operand, "layout().cols", l.cols, error_kind::shape);
  same(operand, "layout().block_rows", l.block_rows);
  same(operand, "layout().block_cols", l.block_cols);
  same(operand, "layout().grid.rows", l.grid.rows);
  same(operand, "layout().grid.cols", l.grid.cols);
  same(operand, "layout().grid.ranks", static_cast<index>(l.grid.ranks));
  same(operand, "layout().first_row", l.first_row);
  same(operand, "layout().first_col", l.first_col);
}

int agreement::largest(index value) {
  return append({nullptr, nullptr, error_kind::none, false}, value);
}

void agreement::reduce_minimum(index const* in, index* out, int count) {
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(
      MPI_Iallreduce(in, out, count, MPI_INT64_T, MPI_MIN, state_.communicator, &request),
      "MPI_Iallreduce");
  patience_.wait(request, "MPI_Iallreduce");
}

void agreement::share_refusal(int from, refusal const& own) {
  sentence shared{};
  if (state_.rank == from) {
    shared.kind = static_cast<int>(own.kind);
    shared.code = own.code;
    // Without memory of its own, of which there may be none on this process.
    std::snprintf(shared.text, sizeof(shared.text), "rank %d: %s", from, own.text.c_str());
  }
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(
      MPI_Ibcast(&shared, sizeof(shared), MPI_BYTE, from, state_.communicator, &request),
      "MPI_Ibcast");
  patience_.wait(request, "MPI_Ibcast");
  throw_refusal(static_cast<error_kind>(shared.kind), shared.code, shared.text);
}

refusal agreement::difference_from(index const* first) const {
  for (int number = 0; number < capacity; ++number) {
    entry const& e = entries_[number];
    if (number >= used_ || !e.must_be_same || values_[number] == first[number]) continue;
    if (number == 1)
      return {error_kind::layout,
              message("this process calls ", name_of(op_), ", rank 0 calls ",
                      name_of(static_cast<dist_operation>(first[number])),
                      "; all processes of a context make the same calls in the same order")};
    return {e.kind,
            message(name_of(op_), ": ", e.operand, " has ", e.what, " = ", values_[number],
                    ", on rank 0 it is ", first[number], "; it must be the same on all processes")};
  }
  return {};
}

void agreement::settle(refusal const& own) {
  int const refusing = own.kind == error_kind::none ? state_.size : state_.rank;
  values_[0] = refusing;
  values_[capacity] = ~index{refusing};
  reduce_minimum(values_, results_, 2 * capacity);
  if (results_[0] < state_.size) share_refusal(static_cast<int>(results_[0]), own);

  // The slots of the largest values differ, which is no fault.
  bool is_same = true;
  for (int number = 0; number < capacity; ++number)
    is_same = is_same &&
              (!entries_[number].must_be_same || results_[number] == ~results_[capacity + number]);
  if (is_same) return;

  index first[capacity];
  std::copy_n(values_, capacity, first);
  MPI_Request request = MPI_REQUEST_NULL;
  require_success(MPI_Ibcast(first, capacity, MPI_INT64_T, 0, state_.communicator, &request),
                  "MPI_Ibcast");
  patience_.wait(request, "MPI_Ibcast");
  refusal const difference = difference_from(first);
  index const mine = difference.kind == error_kind::none ? state_.size : state_.rank;
  index lowest = 0;
  reduce_minimum(&mine, &lowest, 1);
  share_refusal(static_cast<int>(lowest), difference);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
