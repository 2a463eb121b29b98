// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A process's part of a distributed matrix in memory of its device, guards and all.
#pragma once

#include "../dist_matrix.hpp"
#include "machine.hpp"

#include <utility>

template <class T>
class device_matrix {
 public:
  device_matrix(xp::dist_layout const& layout, local_form form)
      : mirror_(layout, form), data_(static_cast<T*>(machine::allocate(bytes()))) {
    machine::to_device(data_, mirror_.memory().data(), bytes());
  }
  ~device_matrix() { machine::release(data_); }
  device_matrix(device_matrix&& other) noexcept
      : mirror_(std::move(other.mirror_)), data_(std::exchange(other.data_, nullptr)) {}
  device_matrix(device_matrix const&) = delete;
  device_matrix& operator=(device_matrix const&) = delete;

  template <class Value>
  void fill(Value const& value) {
    download();
    mirror_.fill(value);
    machine::to_device(data_, mirror_.memory().data(), bytes());
  }
  template <class Value>
  xp::index wrong_elements(Value const& value) {
    download();
    return mirror_.wrong_elements(value);
  }
  template <class Value>
  xp::index unequal_elements(Value const& value) {
    download();
    return mirror_.unequal_elements(value);
  }
  xp::index written_outside() {
    download();
    return mirror_.written_outside();
  }
  xp::dist_matrix_view<T> view() {
    T* const first = data_ + mirror_.elements_before;
    if (mirror_.form().padding == 0) return {first, mirror_.layout(), mirror_.form().order};
    return {first, mirror_.layout(), mirror_.form().order, mirror_.leading_dimension()};
  }
  T* data() { return data_ + mirror_.elements_before; }

 private:
  std::size_t bytes() { return mirror_.memory().size() * sizeof(T); }
  void download() { machine::from_device(mirror_.memory().data(), data_, bytes()); }

  dist_matrix<T> mirror_;
  T* data_;
};
