// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/window.h"

#include <fmt/format.h>

namespace stitch::kernels {

Pair pair_of(const ir::Node& node, const char* attribute) {
  const std::vector<int64_t>& values = ir::ints_attribute(node, attribute);
  return {values.front(), values.back()};
}

std::string window_type(const std::string& type, const Pair& kernel, const Pair& stride, const Pair& padding,
                        const Pair& dilation) {
  return fmt::format("{}<{}, {}, {}, {}, {}, {}, {}, {}>", type, kernel[0], kernel[1], stride[0], stride[1], padding[0],
                     padding[1], dilation[0], dilation[1]);
}

}  // namespace stitch::kernels
