// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/launch.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/conv/window.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

void add_operand(StepBuilder& step, ir::ValueId operand, const std::string& name) {
  const ir::Node& root = step.group().root_node();
  const std::string type = cuda_type_name(step.group().graph->type(root.outputs[0]).dtype);
  const auto view = strided_view(step.group(), operand);
  const Expr start = cast(fmt::format("const {}*", type), step.tensor(view->stored));
  step.launch("const {}* {} = {};", type, name,
              view->offset == 0 ? start : sum(start, step.extent(name + "_offset", view->offset)));
}

void add_shape(StepBuilder& step, const ConvolutionProblem& problem) {
  step.launch("const stitch::ConvShape shape{");
  const auto add_extent = [&](const std::string& name, int64_t value) {
    step.launch("    .{} = {},", name, step.extent(name, value));
  };
  // The order of the members; depths come last since most shapes have none.
  const size_t y = problem.window.axes() - 2;
  add_extent("batch", problem.batch);
  add_extent("in_channels", problem.in_channels);
  add_extent("height", problem.in[y]);
  add_extent("width", problem.in[y + 1]);
  add_extent("out_channels", problem.out_channels);
  add_extent("out_height", problem.out[y]);
  add_extent("out_width", problem.out[y + 1]);
  add_extent("groups", problem.groups);
  if (y > 0) {
    add_extent("depth", problem.in[0]);
    add_extent("out_depth", problem.out[0]);
  }
  step.launch("};");
}

}  // namespace

void add_problem(StepBuilder& step, const ConvolutionProblem& problem) {
  add_problem(step, problem, ir::tensor_operand(step.group().root_node(), 0));
}

void add_problem(StepBuilder& step, const ConvolutionProblem& problem, ir::ValueId input) {
  add_shape(step, problem);
  add_operand(step, input, "input");
  add_operand(step, ir::tensor_operand(step.group().root_node(), 1), "weight");
  const size_t axes = problem.window.axes();
  step.launch("// Kernel, stride, padding and dilation, each along {}.", axes == 3 ? "z, y and x" : "y and x");
  const std::string window = window_type(axes == 3 ? "stitch::ConvWindow3d" : "stitch::ConvWindow", problem.window);
  step.launch(problem.transposed ? "using Window = stitch::Transposed<{}>;" : "using Window = {};", window);
}

std::vector<Coordinate> numbered_pixel_coordinates(size_t rank) {
  std::vector<Coordinate> coordinates = {{"image", {0}}, {"channel", {1}}, {"pixel", {}}};
  for (size_t axis = 2; axis < rank; ++axis) {
    coordinates.back().axes.push_back(static_cast<int>(axis));
  }
  return coordinates;
}

Expr prove_pixel_lanes(StepBuilder& step, const ConvolutionProblem& problem, const LaneUser& user) {
  step.launch("const int64_t out_pixels = {}shape.out_height * shape.out_width;",
              problem.window.axes() > 2 ? "shape.out_depth * " : "");
  return prove_vectorised(step, named("out_pixels"), {user});
}

}  // namespace stitch::kernels
