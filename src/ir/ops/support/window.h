// SPDX-License-Identifier: Apache-2.0
// Sliding windows over the last two axes, as convolution and pooling share them.
#pragma once

#include <array>
#include <cstdint>

#include "base/error/result.h"
#include "ir/graph/graph.h"

namespace stitch::ir {

// One spatial axis of a window.
struct WindowAxis {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  bool ceil_mode = false;

  // Number of window positions along an axis of `extent`; below 1 when the window does not fit.
  int64_t output_extent(int64_t extent) const;
};

using Window = std::array<WindowAxis, 2>;  // height, width

// The attribute as two numbers of at least `minimum`, or a sentence.
Result<std::array<int64_t, 2>> pair_attribute(const Node& node, const char* name, int64_t minimum);

}  // namespace stitch::ir
