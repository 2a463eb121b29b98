// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/pages.hpp"

#include <omp.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace xpose::tools {
namespace {

using detail::tensor_operand;

constexpr std::uintptr_t bytes_in_page = 4096;

/// Bytes from the first element's begin to the last one's end.
index span_of(tensor_operand const& o) {
  index span = o.bytes_per_element;
  for (int d = 0; d < o.count; ++d)
    span += (o.dimensions[d].extent - 1) * o.dimensions[d].stride * o.bytes_per_element;
  return span;
}

/// Calls visit(begin, end) for the runs of bytes that o lies in. Where the slowest dimension leaves
/// out pages, step by step.
template <class Visit>
void for_each_run(tensor_operand const& o, Visit const& visit) {
  int slowest = 0;
  for (int d = 1; d < o.count; ++d)
    if (o.dimensions[d].stride * (o.dimensions[d].extent > 1 ? 1 : 0) >
        o.dimensions[slowest].stride * (o.dimensions[slowest].extent > 1 ? 1 : 0))
      slowest = d;
  index const extent = o.dimensions[slowest].extent;
  index const stride = o.dimensions[slowest].stride * o.bytes_per_element;
  tensor_operand one = o;
  one.dimensions[slowest].extent = 1;
  auto* const first = static_cast<char*>(const_cast<void*>(o.data));
  if (extent > 1 && stride > span_of(one) + static_cast<index>(bytes_in_page)) {
    for (index i = 0; i < extent; ++i) {
      one.data = first + i * stride;
      for_each_run(one, visit);
    }
    return;
  }
  visit(first, first + span_of(o));
}

std::uintptr_t page_of(char* at) { return reinterpret_cast<std::uintptr_t>(at) / bytes_in_page; }

char* begin_of_page(std::uintptr_t page) { return reinterpret_cast<char*>(page * bytes_in_page); }

template <class Visit>
void for_each_page(tensor_operand const& o, int threads, Visit const& visit) {
  if (detail::is_empty(o) || o.bytes_per_element == 0) return;
  std::vector<char*> pages;
  for_each_run(o, [&pages](char* begin, char* end) {
    for (char* at = begin; at < end; at = begin_of_page(page_of(at) + 1))
      if (pages.empty() || page_of(pages.back()) != page_of(at)) pages.push_back(at);
  });
  auto const count = static_cast<index>(pages.size());
  // A thread for a handful of pages would cost more than they do.
  int const team = count < 256 ? 1 : threads == 0 ? omp_get_max_threads() : threads;
#pragma omp parallel for schedule(static) num_threads(team)
  for (index i = 0; i < count; ++i) visit(pages[static_cast<std::size_t>(i)]);
}

}  // namespace

void read_pages(tensor_operand const& o, int threads) {
  for_each_page(o, threads, [](char* at) {
    [[maybe_unused]] char const read = *static_cast<char volatile*>(at);
  });
}

void request_pages(tensor_operand const& o) {
  if (detail::is_empty(o) || o.bytes_per_element == 0) return;
  static constexpr index bytes_in_request = 131072;  // longer ones may be cut short
  for_each_run(o, [](char* begin, char* end) {
    for (char* at = begin_of_page(page_of(begin)); at < end; at += bytes_in_request)
      madvise(at, static_cast<std::size_t>(std::min<index>(bytes_in_request, end - at)),
              MADV_WILLNEED);
  });
}

void make_pages(tensor_operand const& o, int threads) {
  for_each_page(o, threads, [](char* at) {
    char volatile& byte = *at;
    byte = static_cast<char>(byte);
  });
}

}  // namespace xpose::tools
