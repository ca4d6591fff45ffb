// SPDX-License-Identifier: Apache-2.0
#include "codegen/raise/raise_program.h"

namespace stitch::codegen {
namespace {

void add_inputs(const ir::Graph& graph, TensorRole role, const char* name, std::vector<TensorEntry>& tensors) {
  for (const ir::GraphInput& input : graph.inputs) {
    if (input.role == role) {
      tensors.push_back({input.binding, name, graph.type(input.value), -1});
    }
  }
}

// New states in the order of the old ones, whatever order the graph returns them in.
void add_new_states(const ir::Graph& graph, std::vector<TensorEntry>& tensors) {
  const size_t count = tensors.size();
  for (size_t i = 0; i < count; ++i) {
    if (std::string(tensors[i].role) != "STITCH_STATE") {
      continue;
    }
    for (const ir::GraphOutput& output : graph.outputs) {
      if (output.role == TensorRole::kState && output.binding == tensors[i].name) {
        tensors.push_back({output.binding, "STITCH_STATE", graph.type(output.value), static_cast<int>(i)});
      }
    }
  }
}

const char* kind_name(plan::BufferKind kind) {
  switch (kind) {
    case plan::BufferKind::kInput:
      return "kInput";
    case plan::BufferKind::kParameter:
    case plan::BufferKind::kConstant:
      return "kParameter";
    case plan::BufferKind::kState:
      return "kStateIn";
    case plan::BufferKind::kStateOut:
      return "kStateOut";
    case plan::BufferKind::kOutput:
      return "kOutput";
    case plan::BufferKind::kArena:
      return "kArena";
    case plan::BufferKind::kPrepared:
      return "kPrepared";
  }
  return "";
}

}  // namespace

ProgramFile raise_program(const plan::Plan& plan) {
  ProgramFile file;
  file.name = plan.graph.name;
  file.prepared_bytes = plan.prepared_bytes;
  file.workspace_bytes = plan.arena_bytes;
  add_inputs(plan.graph, TensorRole::kInput, "STITCH_INPUT", file.tensors);
  add_inputs(plan.graph, TensorRole::kParameter, "STITCH_PARAMETER", file.tensors);
  add_inputs(plan.graph, TensorRole::kConstant, "STITCH_CONSTANT", file.tensors);
  add_inputs(plan.graph, TensorRole::kState, "STITCH_STATE", file.tensors);
  add_new_states(plan.graph, file.tensors);
  int parameters = 0;
  for (const ir::GraphOutput& output : plan.graph.outputs) {
    if (output.role == TensorRole::kOutput) {
      file.tensors.push_back({output.binding, "STITCH_OUTPUT", plan.graph.type(output.value), -1});
    }
  }
  for (const ir::GraphInput& input : plan.graph.inputs) {
    parameters += input.role == TensorRole::kParameter ? 1 : 0;
  }
  for (const plan::Buffer& buffer : plan.buffers) {
    const int first = buffer.kind == plan::BufferKind::kConstant ? parameters : 0;  // constants follow the parameters
    file.buffers.push_back({kind_name(buffer.kind), first + buffer.index, buffer.offset,
                            plan.graph.type(buffer.value).bytes(), buffer.name});
  }
  for (const plan::Step& step : plan.steps) {
    StepEntry entry{step.name,           step.phase == plan::Phase::kPrepare,
                    step.operands,       step.extents,
                    step.scratch_offset, step.scratch_bytes};
    entry.buffers.insert(entry.buffers.end(), step.results.begin(), step.results.end());
    file.steps.push_back(std::move(entry));
  }
  return file;
}

}  // namespace stitch::codegen
