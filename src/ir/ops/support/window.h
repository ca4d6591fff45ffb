// SPDX-License-Identifier: Apache-2.0
// Sliding windows over the last one, two or three axes, as convolution and pooling share them.
#pragma once

#include <cstdint>
#include <vector>

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

using Window = std::vector<WindowAxis>;  // depth, height, width

// The attribute as one number for each of `axes` axes, all of at least `minimum`, or a sentence.
Result<std::vector<int64_t>> axes_attribute(const Node& node, const char* name, size_t axes, int64_t minimum);

// Visits every position of a box with these extents, the last axis fastest.
template <typename Visit>
void for_each_position(const std::vector<int64_t>& extents, const Visit& visit) {
  int64_t count = 1;
  for (const int64_t extent : extents) {
    count *= extent;
  }
  std::vector<int64_t> position(extents.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<const std::vector<int64_t>&>(position));
    for (size_t axis = extents.size(); axis-- > 0;) {
      if (++position[axis] < extents[axis]) {
        break;
      }
      position[axis] = 0;
    }
  }
}

}  // namespace stitch::ir
