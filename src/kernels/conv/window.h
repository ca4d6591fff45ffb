// SPDX-License-Identifier: Apache-2.0
// Windows of two or three axes: the type that compiles them in.
#pragma once

#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::kernels {

// One number for each axis, the outermost first.
struct WindowNumbers {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;

  size_t axes() const { return kernel.size(); }
  int64_t taps() const;
};

// "stitch::ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>": kernel, stride, padding, dilation.
std::string window_type(const std::string& type, const WindowNumbers& numbers);

// The names of `axes` spatial coordinates with a prefix: "out_z", "out_y", "out_x".
std::vector<std::string> axis_names(size_t axes, const std::string& prefix = {});
// The same for extents: "out_depth", "out_height", "out_width".
std::vector<std::string> extent_names(size_t axes, const std::string& prefix = {});

}  // namespace stitch::kernels
