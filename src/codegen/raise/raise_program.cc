// SPDX-License-Identifier: Apache-2.0
#include "codegen/raise/raise_program.h"

#include <algorithm>

#include "codegen/raise/step_counts.h"
#include "ir/ops/support/random.h"
#include "plan/memory/wholes.h"

namespace stitch::codegen {
namespace {

void add_inputs(const ir::Graph& graph, TensorRole role, std::vector<TensorEntry>& tensors) {
  for (const ir::GraphInput& input : graph.inputs) {
    if (input.role == role) {
      tensors.push_back({.name = input.binding, .role = role, .type = graph.type(input.value)});
    }
  }
}

// New states in the order of the old ones, whatever order the graph returns them in.
void add_new_states(const ir::Graph& graph, std::vector<TensorEntry>& tensors) {
  const size_t count = tensors.size();
  for (size_t i = 0; i < count; ++i) {
    if (tensors[i].role != TensorRole::kState) {
      continue;
    }
    for (const ir::GraphOutput& output : graph.outputs) {
      if (output.role == TensorRole::kState && output.binding == tensors[i].name) {
        tensors.push_back({.name = output.binding,
                           .role = TensorRole::kState,
                           .type = graph.type(output.value),
                           .alias_of = static_cast<int>(i)});
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

plan::BatchLine fixed(int64_t value) { return {value, 0}; }

plan::BatchLine bytes_of(const plan::Plan& plan, ir::ValueId value) {
  const int64_t bytes = plan.graph.type(value).bytes();
  return plan.batch.has_value() ? plan::batch_line(*plan.batch, bytes, plan.batch->other.type(value).bytes())
                                : fixed(bytes);
}

plan::BatchLine start_of(const plan::Plan& plan, const plan::Wholes& wholes, int buffer) {
  const int64_t start = wholes.start_of(buffer, plan.graph);
  return plan.batch.has_value() ? plan::batch_line(*plan.batch, start, wholes.start_of(buffer, plan.batch->other))
                                : fixed(start);
}

// How every extent of `value` follows the batch; empty where none does.
std::vector<plan::BatchLine> axes_of(const plan::Plan& plan, ir::ValueId value) {
  std::vector<plan::BatchLine> axes;
  if (!plan.batch.has_value() || plan.graph.type(value) == plan.batch->other.type(value)) {
    return axes;
  }
  const std::vector<int64_t>& at_other = plan.batch->other.type(value).shape;
  for (size_t axis = 0; axis < at_other.size(); ++axis) {
    axes.push_back(plan::batch_line(*plan.batch, plan.graph.type(value).shape[axis], at_other[axis]));
  }
  return axes;
}

// At the declared batch; the plan's graph may have a larger one.
TensorType declared_type(const plan::Plan& plan, ir::ValueId value) {
  TensorType type = plan.graph.type(value);
  const std::vector<plan::BatchLine> axes = axes_of(plan, value);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    type.shape[axis] = axes[axis].base + axes[axis].per_batch * plan.batch->declared;
  }
  return type;
}

void add_batch(const plan::Plan& plan, ProgramFile& file) {
  file.batch_note = plan.batch_note;
  if (!plan.batch.has_value()) {
    return;
  }
  file.has_batch = true;
  file.declared_batch = plan.batch->declared;
  file.planned_batch = plan.batch->planned;
  file.min_batch = plan.batch->minimum;
  file.max_batch = plan.batch->maximum;
}

void add_buffers(const plan::Plan& plan, const plan::CallStreams& call, int parameters, ProgramFile& file) {
  for (const plan::Buffer& buffer : plan.buffers) {
    const int first = buffer.kind == plan::BufferKind::kConstant ? parameters : 0;  // constants follow the parameters
    const int64_t offset = buffer.kind == plan::BufferKind::kPrepared ? buffer.offset : 0;
    file.buffers.push_back({kind_name(buffer.kind),
                            first + buffer.index,
                            offset,
                            bytes_of(plan, buffer.value),
                            0,
                            0,
                            -1,
                            {},
                            buffer.name});
  }
  const plan::Wholes wholes(plan);
  std::vector<bool> is_written(plan.buffers.size());
  for (int number = 0; number < static_cast<int>(plan.steps.size()); ++number) {
    const plan::Step& step = plan.steps[static_cast<size_t>(number)];
    const int last = call.steps[static_cast<size_t>(number)].last_beside;
    for (const int result : step.results) {
      const auto holder = static_cast<size_t>(wholes.holder_of(result));
      BufferEntry& written = file.buffers[holder];
      written.first_step = is_written[holder] ? written.first_step : number;
      written.last_step = std::max(written.last_step, last);
      is_written[holder] = true;
    }
    for (const int operand : step.operands) {
      BufferEntry& read = file.buffers[static_cast<size_t>(wholes.holder_of(operand))];
      read.last_step = std::max(read.last_step, last);
    }
  }
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    if (plan.buffers[number].whole.has_value()) {
      file.buffers[number].whole = wholes.holder_of(static_cast<int>(number));
      file.buffers[number].start = start_of(plan, wholes, static_cast<int>(number));
    }
  }
}

StepEntry step_entry(const plan::Plan& plan, const plan::Step& step, const std::vector<std::string>& extent_names) {
  STITCH_CHECK(extent_names.size() == step.extents.size()) << "a plan that is not of this version: " << step.name;
  const int64_t planned = plan.batch.has_value() ? plan.batch->planned : 0;
  const auto line = [&](int64_t value, int64_t slope) { return plan::BatchLine{value - slope * planned, slope}; };
  StepEntry entry{step.name, {}, step.phase == plan::Phase::kPrepare, step.operands, step.operands.size(), {}, 0, {}};
  entry.buffers.insert(entry.buffers.end(), step.results.begin(), step.results.end());
  for (size_t i = 0; i < step.extents.size(); ++i) {
    entry.extents.push_back(
        {extent_names[i], line(step.extents[i], plan.batch.has_value() ? step.extents_per_batch[i] : 0)});
  }
  entry.scratch_offset = entry.prepares ? step.scratch_offset : 0;
  entry.scratch = line(step.scratch_bytes, step.scratch_bytes_per_batch);
  entry.kept_offset = step.kept_offset;
  entry.kept_bytes = step.kept_bytes;
  return entry;
}

}  // namespace

ProgramFile raise_program(const plan::Plan& plan, const std::vector<std::vector<std::string>>& extent_names) {
  ProgramFile file;
  file.name = plan.graph.name;
  file.prepared_bytes = plan.prepared_bytes;
  file.workspace_bytes = plan.arena_bytes;
  for (const ir::GraphInput& input : plan.graph.inputs) {
    if (input.role == TensorRole::kInput) {
      file.tensors.push_back({.name = input.binding,
                              .role = TensorRole::kInput,
                              .type = declared_type(plan, input.value),
                              .is_optional = ir::is_given_numbers(plan.graph, input.value),
                              .axes = axes_of(plan, input.value)});
    }
  }
  add_inputs(plan.graph, TensorRole::kParameter, file.tensors);
  add_inputs(plan.graph, TensorRole::kConstant, file.tensors);
  add_inputs(plan.graph, TensorRole::kState, file.tensors);
  add_new_states(plan.graph, file.tensors);
  int parameters = 0;
  for (const ir::GraphOutput& output : plan.graph.outputs) {
    if (output.role == TensorRole::kOutput) {
      file.tensors.push_back({.name = output.binding,
                              .role = TensorRole::kOutput,
                              .type = declared_type(plan, output.value),
                              .axes = axes_of(plan, output.value)});
    }
  }
  for (const ir::GraphInput& input : plan.graph.inputs) {
    parameters += input.role == TensorRole::kParameter ? 1 : 0;
  }
  plan::CallStreams call = plan::streams_of(plan);
  add_buffers(plan, call, parameters, file);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    file.steps.push_back(step_entry(plan, plan.steps[i], extent_names[i]));
    file.steps.back().counts = counts_in_words(plan, i);
    file.steps.back().stream = std::move(call.steps[i]);
  }
  file.side_streams = call.side_streams;
  file.joined = std::move(call.joined);
  file.replays = !plan.host.has_value() || plan.host->replays;
  add_batch(plan, file);
  return file;
}

}  // namespace stitch::codegen
