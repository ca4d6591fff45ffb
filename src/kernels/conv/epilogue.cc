// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/epilogue.h"

#include "ir/graph/op.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/window.h"
#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {
namespace {

// `axes`: of the window, the last of which may be more than one of the tensor.
std::vector<Coordinate> epilogue_coordinates(size_t rank, size_t axes, PixelNames names) {
  if (names == PixelNames::kNumber) {
    return numbered_pixel_coordinates(rank);
  }
  std::vector<Coordinate> coordinates = {{"image", {0}}, {"channel", {1}}};
  for (const std::string& name : axis_names(axes, "out_")) {
    coordinates.push_back({name, {static_cast<int>(coordinates.size())}});
  }
  for (size_t axis = coordinates.size(); axis < rank; ++axis) {
    coordinates.back().axes.push_back(static_cast<int>(axis));
  }
  return coordinates;
}

}  // namespace

Result<LoweredFunctor> make_epilogue(StepBuilder& step, size_t axes, PixelNames names) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const ir::ValueId output = node.outputs[0];
  const Domain domain(group.graph->type(output).shape);
  const bool takes_lanes = names == PixelNames::kNumber;
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Epilogue", domain,
                         epilogue_coordinates(domain.shape().size(), axes, names));
  const IndexMap map = domain.anchor_map();
  const Expr summed = takes_lanes ? bound("accumulator", "accumulators[lane]") : bound("accumulator");
  if (node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(node, 2), {map[1]}));
    builder.bind_computation(output, map, sum(summed, std::move(bias)));
  } else {
    builder.bind(output, map, summed);
  }
  STITCH_TRY(builder.store_results());
  if (takes_lanes) {
    return builder.finish({.comment = "Stores what follows from one output pixel of one channel, or neighbouring ones.",
                           .lane_value = "accumulator",
                           .may_take_lanes = true});
  }
  return builder.finish({.comment = "Stores what follows from one output pixel of one channel.",
                         .extra_parameters = "float accumulator"});
}

}  // namespace stitch::kernels
