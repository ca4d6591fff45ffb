// SPDX-License-Identifier: Apache-2.0
// Kernels that read one row at a time.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "calibration/family.h"

namespace stitch::calibration {

// Appends to `result` what the row gives. `row` numbers it.
using RowKernel = std::function<void(const Sample& sample, int64_t row, std::vector<float>& result)>;

inline std::function<std::vector<float>(const Sample&)> over_rows(RowKernel kernel) {
  return [kernel = std::move(kernel)](const Sample& sample) {
    std::vector<float> result;
    for (int64_t row = 0; row < sample.tensors[0].extent(0); ++row) {
      kernel(sample, row, result);
    }
    return result;
  };
}
inline Kernel honest_rows(std::string name, RowKernel kernel) {
  return {std::move(name), Expectation::kHonest, over_rows(std::move(kernel))};
}
inline Kernel buggy_rows(std::string name, RowKernel kernel, int64_t minimum_length = 0) {
  return {std::move(name), Expectation::kBug, over_rows(std::move(kernel)), minimum_length};
}

}  // namespace stitch::calibration
