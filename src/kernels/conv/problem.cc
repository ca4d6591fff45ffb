// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/problem.h"

#include <numeric>

#include "ir/graph/op.h"

namespace stitch::kernels {
namespace {

int64_t ceil_divide(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

// Whether the window neither moves nor reaches beyond an element along `axis`.
bool is_one_element(const ConvolutionProblem& problem, size_t axis) {
  const WindowNumbers& window = problem.window;
  return window.kernel[axis] == 1 && window.stride[axis] == 1 && window.padding[axis] == 0 &&
         problem.in[axis] == problem.out[axis];
}

}  // namespace

bool is_convolution(const ir::Node& node) {
  return node.op == ir::Op::kConv2d || node.op == ir::Op::kConv3d || node.op == ir::Op::kConvTranspose2d ||
         node.op == ir::Op::kConvTranspose3d;
}

int64_t ConvolutionProblem::matrices() const {
  int64_t count = groups;
  for (size_t axis = 0; transposed && axis < window.axes(); ++axis) {
    count *= window.stride[axis];
  }
  return count;
}

int64_t ConvolutionProblem::columns() const {
  int64_t count = batch;
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t stride = window.stride[axis];
    const int64_t padding = window.padding[axis];
    count *= transposed ? (out[axis] + padding - 1) / stride - padding / stride + 1 : out[axis];
  }
  return count;
}

int64_t ConvolutionProblem::depth() const {
  int64_t taps = 1;
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t step = window.stride[axis] / std::gcd(window.stride[axis], window.dilation[axis]);
    taps *= transposed ? ceil_divide(window.kernel[axis], step) : window.kernel[axis];
  }
  return in_channels / groups * taps;
}

int64_t ConvolutionProblem::outputs() const {
  return std::accumulate(out.begin(), out.end(), batch * out_channels, std::multiplies<>());
}

ConvolutionProblem convolution_problem(const Group& group) {
  const ir::Node& node = group.root_node();
  const std::vector<int64_t>& in = group.graph->type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& weight = group.graph->type(ir::tensor_operand(node, 1)).shape;
  const std::vector<int64_t>& out = group.graph->type(node.outputs[0]).shape;
  ConvolutionProblem problem;
  problem.batch = in[0];
  problem.in_channels = in[1];
  problem.out_channels = out[1];
  problem.groups = ir::int_attribute(node, "groups");
  problem.in.assign(in.begin() + 2, in.end());
  problem.out.assign(out.begin() + 2, out.end());
  problem.window = {{weight.begin() + 2, weight.end()},
                    ir::ints_attribute(node, "stride"),
                    ir::ints_attribute(node, "padding"),
                    ir::ints_attribute(node, "dilation")};
  problem.transposed = node.op == ir::Op::kConvTranspose2d || node.op == ir::Op::kConvTranspose3d;
  return problem;
}

ConvolutionProblem with_last_axis_joined(const ConvolutionProblem& problem) {
  constexpr int64_t kColumns = 32;  // of pixels, a warp's
  constexpr double kMostIdle = 0.2;
  constexpr int64_t kWidestReach = 128;  // elements from the first tap to the last
  const size_t axes = problem.window.axes();
  if (problem.transposed || axes < 3 || !is_one_element(problem, axes - 1) || problem.window.stride[axes - 2] != 1) {
    return problem;
  }
  const int64_t extent = problem.in[axes - 1];
  const int64_t columns = ceil_divide(extent, kColumns) * kColumns;
  const int64_t reach = (problem.window.kernel[axes - 2] - 1) * problem.window.dilation[axes - 2] * extent;
  if (static_cast<double>(columns - extent) < kMostIdle * static_cast<double>(columns) || reach > kWidestReach) {
    return problem;
  }
  ConvolutionProblem joined = problem;
  WindowNumbers& window = joined.window;
  for (std::vector<int64_t>* numbers : {&joined.in, &joined.out, &window.padding, &window.dilation}) {
    (*numbers)[axes - 2] *= extent;
  }
  for (std::vector<int64_t>* numbers :
       {&joined.in, &joined.out, &window.kernel, &window.stride, &window.padding, &window.dilation}) {
    numbers->pop_back();
  }
  return joined;
}

}  // namespace stitch::kernels
