// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/planes.h"

#include <functional>
#include <numeric>

#include "kernels/conv/window.h"

namespace stitch::kernels {

std::vector<Coordinate> plane_coordinates(size_t rank, size_t axes, const std::string& prefix) {
  std::vector<int> planes(rank - axes);
  std::iota(planes.begin(), planes.end(), 0);
  std::vector<Coordinate> coordinates = {{"plane", planes}};
  for (const std::string& name : axis_names(axes, prefix)) {
    coordinates.push_back({name, {static_cast<int>(planes.size() + coordinates.size() - 1)}});
  }
  return coordinates;
}

void add_pool_shape(StepBuilder& step, const std::vector<int64_t>& in, const std::vector<int64_t>& out, size_t axes) {
  const auto add_extent = [&](const char* name, int64_t value) {
    step.launch("    .{} = {},", name, step.extent(name, value));
  };
  step.launch("const stitch::PoolShape shape{");
  add_extent("planes",
             std::accumulate(in.begin(), in.end() - static_cast<int64_t>(axes), int64_t{1}, std::multiplies<>()));
  // The order of the members; depths come last since most shapes have none.
  if (axes == 1) {
    step.launch("    .height = 1,");
  } else {
    add_extent("height", in[in.size() - 2]);
  }
  add_extent("width", in.back());
  if (axes == 1) {
    step.launch("    .out_height = 1,");
  } else {
    add_extent("out_height", out[out.size() - 2]);
  }
  add_extent("out_width", out.back());
  if (axes == 3) {
    add_extent("depth", in[in.size() - 3]);
    add_extent("out_depth", out[out.size() - 3]);
  }
  step.launch("};");
}

Result<LoweredFunctor> make_plane_load(StepBuilder& step, size_t axes, bool may_take_lanes) {
  const ir::Graph& graph = *step.group().graph;
  const ir::ValueId input = ir::tensor_operand(step.group().root_node(), 0);
  const Domain domain(graph.type(input).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(input).name) + "Load", domain,
                         plane_coordinates(domain.shape().size(), axes, ""));
  STITCH_ASSIGN(Expr element, builder.value(input, domain.anchor_map()));
  return builder.finish({.comment = may_take_lanes ? "Reads one element of a plane, or kLanes neighbouring ones."
                                                   : "Reads one element of a plane.",
                         .may_take_lanes = may_take_lanes,
                         .returns = std::move(element)});
}

Result<LoweredFunctor> make_plane_store(StepBuilder& step, size_t axes) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const Domain domain(group.graph->type(node.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         plane_coordinates(domain.shape().size(), axes, "out_"));
  builder.bind(node.outputs[0], domain.anchor_map(), bound("value"));
  const bool gives_indices = node.outputs.size() > 1;
  if (gives_indices) {
    builder.bind(node.outputs[1], domain.anchor_map(), bound("index"));
  }
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one output of the planes.",
                         .extra_parameters = gives_indices ? "float value, int64_t index" : "float value"});
}

}  // namespace stitch::kernels
