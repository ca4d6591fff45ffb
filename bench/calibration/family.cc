// SPDX-License-Identifier: Apache-2.0
#include "calibration/family.h"

#include <utility>

namespace stitch::calibration {

Tensor make_tensor(std::vector<int64_t> shape, const std::function<float()>& element) {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    count *= extent;
  }
  Tensor tensor{std::move(shape), std::vector<float>(static_cast<size_t>(count))};
  for (float& value : tensor.data) {
    value = element();
  }
  return tensor;
}

std::vector<Family> all_families() {
  return {gemm_family(),        mean_family(), softmax_family(), layer_norm_family(), running_statistics_family(),
          convolution_family(), gelu_family(), sigmoid_family()};
}

}  // namespace stitch::calibration
