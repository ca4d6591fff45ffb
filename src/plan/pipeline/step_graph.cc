// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/hash/sha256.h"
#include "ir/text/printer.h"
#include "kernels/builtin_templates.h"
#include "plan/partition/assemble.h"
#include "plan/pipeline/signature.h"
#include "plan/plan.h"

namespace stitch::plan {

namespace {

// Operands as inputs, results as outputs.
ir::Graph graph_of(const kernels::Group& group) {
  const ir::Graph& graph = *group.graph;
  ir::Graph result;
  result.mode = graph.mode;
  std::map<ir::ValueId, ir::ValueId> map;
  for (const ir::ValueId operand : group.operands) {
    const ir::Value& value = graph.value(operand);
    map[operand] = result.add_input(value.name, value.type, TensorRole::kInput, value.name);
  }
  for (const ir::NodeId id : group.nodes) {
    ir::Node node = graph.node(id);
    for (ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        operand = map.at(std::get<ir::ValueId>(operand));
      }
    }
    std::vector<std::pair<std::string, TensorType>> outputs;
    for (const ir::ValueId output : node.outputs) {
      outputs.emplace_back(graph.value(output).name, graph.type(output));
    }
    const std::vector<ir::ValueId> old_outputs = node.outputs;
    const ir::NodeId added = result.add_node(std::move(node), outputs);
    for (size_t i = 0; i < old_outputs.size(); ++i) {
      map[old_outputs[i]] = result.node(added).outputs[i];
    }
  }
  for (const ir::ValueId value : group.results) {
    result.outputs.push_back({map.at(value), TensorRole::kOutput, graph.value(value).name});
  }
  return result;
}

}  // namespace

kernels::Group step_group(const Plan& plan, size_t index) {
  const Step& step = plan.steps[index];
  kernels::Group group{&plan.graph, step.root, step.nodes, {}, {}, step.in_whole};
  for (const int operand : step.operands) {
    group.operands.push_back(plan.buffers[static_cast<size_t>(operand)].value);
  }
  for (const int result : step.results) {
    group.results.push_back(plan.buffers[static_cast<size_t>(result)].value);
  }
  return group;
}

Result<ir::Graph> step_graph(const Plan& plan, int index) {
  if (index < 0 || static_cast<size_t>(index) >= plan.steps.size()) {
    return failure(ErrorCode::kUsage, "the plan has no step " + std::to_string(index), {},
                   "name a step from 0 to " + std::to_string(plan.steps.size() - 1));
  }
  const kernels::Group group = step_group(plan, static_cast<size_t>(index));
  ir::Graph result = graph_of(group);
  result.name = plan.steps[static_cast<size_t>(index)].name;
  // Parameters stay what they are, for a step may keep something of them; but a call is to have some input.
  const auto is_parameter = [&](ir::ValueId operand) { return kernels::is_given_weight(plan.graph, operand); };
  if (std::all_of(group.operands.begin(), group.operands.end(), is_parameter)) {
    return result;
  }
  for (size_t i = 0; i < group.operands.size(); ++i) {
    result.inputs[i].role = is_parameter(group.operands[i]) ? TensorRole::kParameter : TensorRole::kInput;
  }
  return result;
}

Result<Plan> step_plan(const Plan& plan, int index) {
  STITCH_ASSIGN(const ir::Graph graph, step_graph(plan, index));
  const Step& step = plan.steps[static_cast<size_t>(index)];
  ChosenStep chosen{{&graph, {}, {}, {}, {}}, kernels::find_template(step.skeleton), Phase::kRun, step.setting, -1};
  STITCH_CHECK(chosen.kernel != nullptr) << "a plan names the skeleton " << step.skeleton;
  for (size_t i = 0; i < step.nodes.size(); ++i) {
    chosen.group.nodes.push_back(ir::NodeId{static_cast<int32_t>(i)});
    chosen.group.root = step.nodes[i] == step.root ? chosen.group.nodes.back() : chosen.group.root;
  }
  for (const ir::GraphInput& input : graph.inputs) {
    chosen.group.operands.push_back(input.value);
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    chosen.group.results.push_back(output.value);
  }
  for (const kernels::InWhole& place : step.in_whole) {
    const auto found = std::find_if(graph.values.begin(), graph.values.end(), [&](const ir::Value& value) {
      return value.name == plan.graph.value(place.part).name;
    });
    const auto part = static_cast<int32_t>(found - graph.values.begin());
    chosen.group.in_whole.push_back({ir::ValueId{part}, place.axis, {}});
  }
  PlanOptions options;
  options.math = plan.math;
  STITCH_ASSIGN(options.limits, kernels::device_limits(plan.device));
  if (step.boundary >= 0) {
    options.boundaries = {plan.boundaries[static_cast<size_t>(step.boundary)]};
    chosen.boundary = 0;
  }
  STITCH_ASSIGN(Plan alone, assemble(graph, {chosen}, options));
  const bool is_apart = !step.in_whole.empty();  // there, and alone in memory of its own
  if (alone.steps.front().extents.size() != step.extents.size() ||
      (!is_apart && alone.steps.front().extents != step.extents)) {
    return failure(ErrorCode::kInternal, "step " + std::to_string(index) + " alone has other extents");
  }
  return alone;
}

ir::Graph without_names(ir::Graph graph, const std::string& name) {
  graph.name = name;
  graph.mode = "eval";
  for (size_t i = 0; i < graph.values.size(); ++i) {
    graph.values[i].name = "v" + std::to_string(i);
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    graph.inputs[i].binding = std::to_string(i);
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    graph.outputs[i].binding = std::to_string(i);
  }
  for (ir::Node& node : graph.nodes) {
    node.location.clear();
  }
  return graph;
}

std::string step_signature(const kernels::Group& group, const std::string& skeleton) {
  return sha256_hex(ir::print(without_names(graph_of(group), skeleton)));
}

std::string program_signature(const ir::Graph& graph) { return sha256_hex(ir::print(without_names(graph, "program"))); }

}  // namespace stitch::plan
