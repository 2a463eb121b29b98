// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/host/eigen_shuffle.hpp"

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

#include <utility>

namespace xpose::bench {
namespace {

constexpr std::size_t least_rank = 2;
constexpr std::size_t largest_rank = 6;

template <class T, std::size_t Rank>
class shuffle_runner : public copy_runner {
 public:
  using extents = Eigen::DSizes<index, Rank>;
  template <class Element>
  using map = Eigen::TensorMap<Eigen::Tensor<Element, Rank, Eigen::RowMajor, index>>;

  shuffle_runner(permute_case const& what, int threads) : pool_(threads), device_(&pool_, threads) {
    for (std::size_t d = 0; d < Rank; ++d) {
      auto const from = static_cast<std::size_t>(what.permutation[d]);
      permutation_[d] = what.permutation[d];
      in_[d] = what.extents[d];
      out_[d] = what.extents[from];
    }
  }

  void run(void const* in, void* out) override {
    map<T const> const from(static_cast<T const*>(in), in_);
    map<T> to(static_cast<T*>(out), out_);
    to.device(device_) = from.shuffle(permutation_);
  }
  std::string kernel() const override { return "Tensor.shuffle"; }

 private:
  Eigen::ThreadPool pool_;
  Eigen::ThreadPoolDevice device_;
  Eigen::array<int, Rank> permutation_;
  extents in_;
  extents out_;
};

template <class T, std::size_t... Added>
std::unique_ptr<copy_runner> with_rank(permute_case const& what, int threads,
                                       std::index_sequence<Added...>) {
  std::unique_ptr<copy_runner> made;
  ((what.extents.size() == least_rank + Added
        ? void(made = std::make_unique<shuffle_runner<T, least_rank + Added>>(what, threads))
        : void()),
   ...);
  return made;
}

template <class T>
std::unique_ptr<copy_runner> make(permute_case const& what, int threads) {
  return with_rank<T>(what, threads, std::make_index_sequence<largest_rank - least_rank + 1>());
}

}  // namespace

std::unique_ptr<copy_runner> make_shuffle(permute_case const& what, int threads) {
  switch (what.type.bytes) {
    case 1:
      return make<std::uint8_t>(what, threads);
    case 2:
      return make<std::uint16_t>(what, threads);
    case 4:
      return make<float>(what, threads);
    case 8:
      return make<double>(what, threads);
    default:
      return nullptr;
  }
}

}  // namespace xpose::bench
