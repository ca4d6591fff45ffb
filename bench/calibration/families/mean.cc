// SPDX-License-Identifier: Apache-2.0
// Mean of rows: orders of a plain sum.
#include <algorithm>
#include <numeric>

#include "calibration/arithmetic.h"
#include "calibration/families/row_family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kRows = 512;
constexpr int64_t kLanes = 32;

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  const Tensor& x = sample.tensors[0];
  const int64_t length = x.extent(1);
  std::vector<Real> result;
  for (int64_t row = 0; row < kRows; ++row) {
    const float* values = x.row(row);
    result.push_back(sums.sum(length, [&](int64_t k) { return values[k]; }) / static_cast<Real>(length));
  }
  return result;
}

using Sum = float (*)(const float* values, int64_t length);

RowKernel mean_by(Sum sum, int64_t divisor_change = 0) {
  return [=](const Sample& sample, int64_t row, std::vector<float>& result) {
    const int64_t length = sample.tensors[0].extent(1);
    result.push_back(sum(sample.tensors[0].row(row), length) / static_cast<float>(length + divisor_change));
  };
}

float sequential(const float* values, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum += values[k];
  }
  return sum;
}

float tree(const float* values, int64_t length) { return pairwise_sum({values, static_cast<size_t>(length)}); }

float warp(const float* values, int64_t length) {
  float lanes[kLanes] = {};
  for (int64_t k = 0; k < length; ++k) {
    lanes[k % kLanes] += values[k];
  }
  return pairwise_sum(lanes);
}

float atomics(const float* values, int64_t length) {
  constexpr int64_t kBlock = 64;
  constexpr int64_t kStride = 7;  // blocks finish in some other order
  const int64_t blocks = (length + kBlock - 1) / kBlock;
  const int64_t step = std::gcd(blocks, kStride) == 1 ? kStride : 1;
  float sum = 0;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t begin = i * step % blocks * kBlock;
    sum += tree(values + begin, std::min(kBlock, length - begin));
  }
  return sum;
}

float half_accumulator(const float* values, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum = round_to_half(sum + values[k]);
  }
  return sum;
}

}  // namespace

Family mean_family() {
  Family family;
  family.name = "mean";
  family.draw = [](int64_t length, int number, Random& random) {
    return Sample{
        {make_tensor({kRows, length}, [&] { return number % 2 == 0 ? random.normal() : random.uniform(0, 1); })}};
  };
  family.output_shape = [](const Sample&) { return std::vector<int64_t>{kRows}; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  family.kernels = {honest_rows("one accumulator", mean_by(sequential)),
                    honest_rows("tree", mean_by(tree)),
                    honest_rows("lanes of a warp, then shuffles", mean_by(warp)),
                    honest_rows("atomics, blocks in another order", mean_by(atomics)),
                    buggy_rows("half accumulator", mean_by(half_accumulator)),
                    buggy_rows("divides by K - 1", mean_by(warp, -1)),
                    buggy_rows("last element missing",
                               mean_by([](const float* values, int64_t length) { return warp(values, length - 1); })),
                    buggy_rows("first element twice", mean_by([](const float* values, int64_t length) {
                                 return warp(values, length) + values[0];
                               }))};
  return family;
}

}  // namespace stitch::calibration
