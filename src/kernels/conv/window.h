// SPDX-License-Identifier: Apache-2.0
// Two-dimensional windows: attributes of one or two numbers, and the type that compiles them in.
#pragma once

#include <array>
#include <string>

#include "ir/graph/graph.h"

namespace stitch::kernels {

using Pair = std::array<int64_t, 2>;  // along y, along x

// An attribute of one number for both axes or of two.
Pair pair_of(const ir::Node& node, const char* attribute);

// "stitch::ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>": kernel, stride, padding, dilation.
std::string window_type(const std::string& type, const Pair& kernel, const Pair& stride, const Pair& padding,
                        const Pair& dilation);

}  // namespace stitch::kernels
