// SPDX-License-Identifier: Apache-2.0
// A computation with its reference and the kernels, honest and not, that claim to do it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calibration/random.h"

namespace stitch::calibration {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> data;

  int64_t extent(size_t axis) const { return shape[axis]; }
  const float* row(int64_t i) const { return data.data() + i * shape.back(); }
};
Tensor make_tensor(std::vector<int64_t> shape, const std::function<float()>& element);

// Inputs first, which regimes transform; then parameters.
struct Sample {
  std::vector<Tensor> tensors;
};

enum class Expectation {
  kHonest,    // must be accepted in every regime
  kBug,       // must be refused in at least one draw
  kReported,  // neither: honest on some data, not on all; the table shows it
};

struct Kernel {
  std::string name;
  Expectation expectation = Expectation::kHonest;
  std::function<std::vector<float>(const Sample&)> run;
  int64_t minimum_length = 0;  // shorter sums do not show the bug
};

struct Family {
  std::string name;
  size_t inputs = 1;
  bool has_length = true;  // false: pointwise, K plays no part
  // Draw number alternates between data that is all positive and data of both signs.
  std::function<Sample(int64_t length, int draw, Random&)> draw;
  std::function<std::vector<int64_t>(const Sample&)> output_shape;
  std::function<std::vector<double>(const Sample&)> truth;
  // As PyTorch on a CPU would; with `disturbance`, every sum carries a sequential loop's error.
  std::function<std::vector<float>(const Sample&, Random* disturbance)> native;
  std::vector<Kernel> kernels;
};

Family gemm_family();
Family mean_family();
Family softmax_family();
Family layer_norm_family();
Family running_statistics_family();
Family convolution_family();
Family gelu_family();
Family sigmoid_family();
std::vector<Family> all_families();

}  // namespace stitch::calibration
