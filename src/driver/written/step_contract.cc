// SPDX-License-Identifier: Apache-2.0
#include "driver/written/step_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "codegen/emit.h"
#include "codegen/print/skeleton_text.h"
#include "codegen/raise/raise_step.h"
#include "driver/written/boundaries_with.h"

namespace stitch::driver {
namespace {

// "parameter fc1.weight" of what is the program's own; empty for values between steps.
std::string binding_of(const ir::Graph& graph, ir::ValueId value) {
  for (const ir::GraphInput& input : graph.inputs) {
    if (input.value == value) {
      return fmt::format("{} {}", to_string(input.role), input.binding);
    }
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    if (output.value == value) {
      return fmt::format("{} {}", output.role == TensorRole::kState ? "new state" : "output", output.binding);
    }
  }
  return {};
}

ContractTensor tensor_of(const plan::Plan& plan, int buffer) {
  const ir::ValueId value = plan.buffers[static_cast<size_t>(buffer)].value;
  const TensorType& type = plan.graph.type(value);
  ContractTensor tensor{plan.graph.value(value).name, binding_of(plan.graph, value), type,
                        std::vector<bool>(type.shape.size(), false)};
  for (size_t axis = 0; plan.batch.has_value() && axis < type.shape.size(); ++axis) {
    tensor.follows_batch[axis] = plan.batch->other.type(value).shape[axis] != type.shape[axis];
  }
  return tensor;
}

std::vector<std::string> node_names(const plan::Plan& plan, const plan::Step& step) {
  std::vector<std::string> names;
  for (const ir::NodeId node : step.nodes) {
    names.push_back(plan.graph.value(plan.graph.node(node).outputs[0]).name);
  }
  return names;
}

// The folder's own steps that have some of these nodes, views that others look through aside.
std::vector<StepText> texts_for(const Folder& folder, const std::set<std::string>& wanted) {
  std::vector<StepText> texts;
  for (size_t i = 0; i < folder.plan.steps.size(); ++i) {
    const plan::Step& step = folder.plan.steps[i];
    const bool has_some = std::any_of(step.nodes.begin(), step.nodes.end(), [&](ir::NodeId id) {
      const ir::Node& node = folder.plan.graph.node(id);
      return !kernels::is_view(node) && wanted.count(folder.plan.graph.value(node.outputs[0]).name) > 0;
    });
    const auto found = folder.sources.files.find(codegen::step_file_name(folder.plan, i));
    if (has_some && found != folder.sources.files.end()) {
      texts.push_back({found->first, found->second});
    }
  }
  return texts;
}

Json to_json(const std::vector<ContractTensor>& tensors) {
  Json json = Json::array();
  for (const ContractTensor& tensor : tensors) {
    json.push_back({{"name", tensor.name},
                    {"binding", tensor.binding},
                    {"dtype", to_string(tensor.type.dtype)},
                    {"shape", tensor.type.shape},
                    {"follows_batch", tensor.follows_batch}});
  }
  return json;
}

}  // namespace

Json to_json(const StepContract& contract) {
  Json expert = Json::array();
  for (const StepText& text : contract.expert) {
    expert.push_back({{"file", text.file}, {"text", text.text}});
  }
  return {{"schema", "stitchcuda.step_contract/1"},
          {"step", contract.step},
          {"name", contract.name},
          {"nodes", contract.nodes},
          {"mathematics", contract.mathematics},
          {"operands", to_json(contract.operands)},
          {"results", to_json(contract.results)},
          {"flops", contract.flops},
          {"bytes_min", contract.bytes_min},
          {"modelled_us", contract.modelled_us},
          {"skeleton", contract.skeleton},
          {"expert", expert}};
}

Result<StepContract> step_contract(const Folder& folder, const std::vector<std::string>& nodes) {
  plan::Boundary asked;
  asked.nodes = nodes;
  asked.written = plan::WrittenCode{kNoCode, plan::HoldsFor::kAnySizes, {}};
  STITCH_ASSIGN(const plan::Plan plan, plan::with_boundaries(folder.plan, boundaries_with(folder.plan, asked)));
  STITCH_ASSIGN(const size_t index, step_of(plan, asked));
  const plan::Step& step = plan.steps[index];
  StepContract contract;
  contract.step = static_cast<int>(index);
  contract.name = step.name;
  contract.nodes = nodes;
  contract.mathematics = codegen::mathematics_of(plan, index);
  for (const int operand : step.operands) {
    contract.operands.push_back(tensor_of(plan, operand));
  }
  for (const int result : step.results) {
    contract.results.push_back(tensor_of(plan, result));
  }
  STITCH_ASSIGN(contract.skeleton, codegen::skeleton_of(plan, index));
  const std::vector<std::string> all = node_names(plan, step);
  contract.expert = texts_for(folder, {all.begin(), all.end()});
  contract.flops = step.flops;
  contract.bytes_min = step.bytes_min;
  contract.modelled_us = step.modelled_us;
  return contract;
}

Result<StepContract> step_contract(const Folder& folder, int step) {
  STITCH_ASSIGN(const std::vector<std::string> nodes, boundary_nodes_of(folder.plan, step));
  return step_contract(folder, nodes);
}

}  // namespace stitch::driver
