// SPDX-License-Identifier: Apache-2.0
// Inputs for the slow interpreter. For tests alone.
#pragma once

#include <random>
#include <vector>

#include "ir/ops.h"

namespace stitch::testing {

// Small positive floats (so that roots and logarithms are defined), and indices 0 and 1.
inline std::vector<ir::ReferenceTensor> random_inputs(const ir::Graph& graph, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(0.25, 1.75);
  std::vector<ir::ReferenceTensor> tensors;
  for (const ir::GraphInput& input : graph.inputs) {
    ir::ReferenceTensor tensor{graph.type(input.value), {}};
    for (int64_t i = 0; i < tensor.type.element_count(); ++i) {
      tensor.data.push_back(is_floating_point(tensor.type.dtype) ? uniform(generator)
                                                                 : static_cast<double>(generator() % 2));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace stitch::testing
