// SPDX-License-Identifier: Apache-2.0
#include "tuning/database/step_record.h"

#include <algorithm>

#include "base/hash/sha256.h"
#include "ir/text/printer.h"
#include "plan/pipeline/signature.h"

namespace stitch::tuning {
namespace {

constexpr size_t kFamilyDigits = 16;

// Whether rows keep vectors of four aligned is part of what a step is like; how long they are is not.
int64_t kind_of_extent(int64_t extent) {
  constexpr int64_t kAligned = -4, kOdd = -1;
  if (extent < kLeastExtent) {
    return extent;
  }
  return extent % 4 == 0 ? kAligned : kOdd;
}

void forget_extents(std::vector<int64_t>& extents) {
  std::transform(extents.begin(), extents.end(), extents.begin(), kind_of_extent);
}

// The graph with kinds in place of extents; a view's own attributes name extents too.
std::string family_of(ir::Graph graph) {
  for (ir::Value& value : graph.values) {
    forget_extents(value.type.shape);
  }
  for (ir::Node& node : graph.nodes) {
    for (auto& [name, attribute] : node.attributes) {
      if (auto* extents = std::get_if<std::vector<int64_t>>(&attribute); extents != nullptr && kernels::is_view(node)) {
        forget_extents(*extents);
      }
    }
  }
  for (ir::GraphInput& input : graph.inputs) {
    input.role = TensorRole::kInput;
  }
  return sha256_hex(ir::print(graph)).substr(0, kFamilyDigits);
}

void add_extents(const TensorType& type, std::vector<int64_t>& extents) {
  std::copy_if(type.shape.begin(), type.shape.end(), std::back_inserter(extents),
               [](int64_t extent) { return extent >= kLeastExtent; });
}

}  // namespace

Result<StepRecord> record_of(const plan::Plan& plan, size_t index) {
  STITCH_ASSIGN(ir::Graph graph, plan::step_graph(plan, static_cast<int>(index)));
  const plan::Step& step = plan.steps[index];
  graph = plan::without_names(std::move(graph), step.skeleton);
  StepRecord record;
  record.skeleton = step.skeleton;
  record.modelled_us = step.modelled_us;
  for (const ir::GraphInput& input : graph.inputs) {
    add_extents(graph.type(input.value), record.extents);
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    add_extents(graph.type(output.value), record.extents);
  }
  record.root = static_cast<int>(std::find(step.nodes.begin(), step.nodes.end(), step.root) - step.nodes.begin());
  record.graph = ir::print(graph);
  record.family = family_of(std::move(graph));
  return record;
}

kernels::Group group_of(const StepRecord& record, const ir::Graph& graph) {
  kernels::Group group{&graph, ir::NodeId{record.root}, {}, {}, {}};
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    group.nodes.push_back(ir::NodeId{static_cast<int32_t>(i)});
  }
  for (const ir::GraphInput& input : graph.inputs) {
    group.operands.push_back(input.value);
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    group.results.push_back(output.value);
  }
  return group;
}

}  // namespace stitch::tuning
