// SPDX-License-Identifier: Apache-2.0
// A convolution node in the terms of its skeletons: extents, window, and the GEMM it amounts to.
#pragma once

#include "kernels/conv/window.h"
#include "kernels/group/group.h"

namespace stitch::kernels {

struct ConvolutionProblem {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  std::vector<int64_t> in;  // spatial extents
  std::vector<int64_t> out;
  WindowNumbers window;
  bool transposed = false;

  // As kernels/conv/gemm_view.cuh and transposed.cuh have it: one matrix a group (and phase), rows are output channels.
  int64_t matrices() const;
  int64_t rows() const { return out_channels / groups; }
  int64_t columns() const;
  int64_t depth() const;

  bool is_depthwise() const { return groups == in_channels; }
  int64_t outputs() const;
};

bool is_convolution(const ir::Node& node);
ConvolutionProblem convolution_problem(const Group& group);

// The same convolution over one axis less, where the window is one element along the last axis: that axis is laid out
// along the one before, whose dilation and padding grow by its extent. Tiles of pixels along a short last axis are
// mostly empty; along both together they are full. `problem` itself where the last axis fills them, where the window
// moves along it, and where the joined window would be wide.
ConvolutionProblem with_last_axis_joined(const ConvolutionProblem& problem);

}  // namespace stitch::kernels
