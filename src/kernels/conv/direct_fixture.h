// SPDX-License-Identifier: Apache-2.0
// What tests of direct convolutions on the tensor cores ask of their kernels.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {

// A convolution of `images` (batch, channels, extents) by a window without padding.
inline std::string direct_program(const std::string& images, const std::string& weight,
                                  const std::string& groups = "1") {
  const bool is_spatial = std::count(images.begin(), images.end(), ',') > 3;
  const std::string ones = is_spatial ? "[1,1,1]" : "[1,1]";
  const std::string none = is_spatial ? "[0,0,0]" : "[0,0]";
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight + "] = parameter \"w\"\ny = conv" +
         (is_spatial ? "3d" : "2d") + "(x, w, none; stride=" + ones + ", padding=" + none + ", dilation=" + ones +
         ", groups=" + groups + ")\nreturn output \"0\" = y\n";
}

}  // namespace stitch::kernels
