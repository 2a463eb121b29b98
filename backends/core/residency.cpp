// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Asks the CUDA driver where memory resides, by the driver's own entry point and only if the
// process has loaded it. Without a driver there is no device memory, and CPU users must not get a
// context.
//
//   no driver, or pointer unknown  -> unknown_to_cuda      device lost    -> not_told
//   managed                        -> managed              type device    -> device
//                                                          anything else  -> pinned_host

#include <xpose/backends/core/availability.hpp>

#include <dlfcn.h>
#include <link.h>
#include <time.h>

#include <atomic>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// cuPointerGetAttributes and its constants as cuda.h defines them; the driver's ABI is stable. For
// an unknown pointer the plural form returns type 0, where the singular one fails: a failure would
// show in a user's compute-sanitizer for every host pointer.
using pointer_query = int (*)(unsigned count, int* attributes, void** values,
                              std::uintptr_t pointer);
constexpr int attribute_memory_type = 2;
constexpr int attribute_device_pointer = 3;
constexpr int attribute_is_managed = 8;
constexpr int attribute_device_ordinal = 9;
constexpr unsigned memory_type_unknown = 0;
constexpr unsigned memory_type_device = 2;

/// The number of objects that the dynamic loader has added to the process so far.
unsigned long long objects_loaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;  // every object tells the same number
      },
      &count);
  return count;
}

/// In ns, from one tick to the next: 4 ms at 250 Hz.
long long coarse_time() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return 1'000'000'000LL * now.tv_sec + now.tv_nsec;
}

/// Searches for the driver only if an object was loaded since the last search, and counts objects
/// once in a tick. Where no driver is loaded, a search costs 30 us for every operand of every call,
/// and the count 0.1 us and the loader's lock, for which threads wait. A program that has memory of
/// a driver loaded it ticks ago: cuInit takes 100 ms.
pointer_query find_query() {
  static std::atomic<pointer_query> found{nullptr};
  pointer_query query = found.load(std::memory_order_acquire);
  if (query != nullptr) return query;
  static std::atomic<long long> tick_of_last_count{-1};
  long long const tick = coarse_time();
  if (tick_of_last_count.load(std::memory_order_acquire) == tick) return nullptr;
  static std::atomic<unsigned long long> objects_at_last_look{0};
  unsigned long long const objects = objects_loaded();
  bool const looks = objects_at_last_look.load(std::memory_order_acquire) != objects;
  void* driver = looks ? dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (driver == nullptr) {
    objects_at_last_look.store(objects, std::memory_order_release);
    tick_of_last_count.store(tick, std::memory_order_release);
    return nullptr;
  }
  query = reinterpret_cast<pointer_query>(dlsym(driver, "cuPointerGetAttributes"));
  found.store(query, std::memory_order_release);
  return query;
}

/// One attribute of a pointer; `value` if the driver has no answer.
template <class Value>
Value ask(void const* data, int attribute, Value value) {
  void* values[] = {&value};
  find_query()(1, &attribute, values, reinterpret_cast<std::uintptr_t>(data));
  return value;
}

}  // namespace

bool has_driver() { return find_query() != nullptr; }

residency residency_of(void const* data) {
  pointer_query const query = find_query();
  if (query == nullptr) return residency::unknown_to_cuda;
  auto const pointer = reinterpret_cast<std::uintptr_t>(data);
  unsigned type = memory_type_unknown;
  unsigned is_managed = 0;
  int attributes[] = {attribute_memory_type, attribute_is_managed};
  void* values[] = {&type, &is_managed};
  int const status = query(2, attributes, values, pointer);
  if (means_device_lost(status)) return residency::not_told;
  if (status != 0 || type == memory_type_unknown) return residency::unknown_to_cuda;
  if (is_managed != 0) return residency::managed;
  return type == memory_type_device ? residency::device : residency::pinned_host;
}

int device_of(void const* data) { return ask(data, attribute_device_ordinal, 0); }

bool is_in_reach(void const* data) {
  return ask(data, attribute_device_pointer, std::uintptr_t{1}) != 0;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
