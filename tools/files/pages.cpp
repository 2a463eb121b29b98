// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "files/pages.hpp"

#include <omp.h>

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

/// Adds the pages of o. Where the slowest dimension leaves out pages, step by step.
void add_pages(std::vector<char*>& pages, tensor_operand const& o) {
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
      add_pages(pages, one);
    }
    return;
  }
  auto const page_of = [](char* at) {
    return reinterpret_cast<std::uintptr_t>(at) / bytes_in_page;
  };
  char* const end = first + span_of(o);
  for (char* at = first; at < end; at = reinterpret_cast<char*>((page_of(at) + 1) * bytes_in_page))
    if (pages.empty() || page_of(pages.back()) != page_of(at)) pages.push_back(at);
}

template <class Visit>
void for_each_page(tensor_operand const& o, int threads, Visit const& visit) {
  if (detail::is_empty(o) || o.bytes_per_element == 0) return;
  std::vector<char*> pages;
  add_pages(pages, o);
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

void make_pages(tensor_operand const& o, int threads) {
  for_each_page(o, threads, [](char* at) {
    char volatile& byte = *at;
    byte = static_cast<char>(byte);
  });
}

}  // namespace xpose::tools
