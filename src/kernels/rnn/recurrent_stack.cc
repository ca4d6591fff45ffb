// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/recurrent_stack.h"

#include <fmt/format.h>

#include <array>

#include "kernels/lowering/strided_view.h"
#include "kernels/rnn/stack_clusters.h"
#include "kernels/rnn/stack_library.h"
#include "kernels/rnn/stack_problem.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct StackRows {
  int rows;  // samples that a block serves
};
constexpr std::array kStackSettings = {
    NamedSetting<StackRows>{"wave_rows_1", {1}},   NamedSetting<StackRows>{"wave_rows_4", {4}},
    NamedSetting<StackRows>{"wave_rows_5", {5}},   NamedSetting<StackRows>{"wave_rows_8", {8}},
    NamedSetting<StackRows>{"wave_rows_10", {10}},
};
constexpr const char* kBesideLibrary = "wave_rows_4";
constexpr int64_t kUnitsOfStackBlock = 8;
constexpr int64_t kStackFloatBytes = 4;
// Multiplications of a gate of a layer in a time step. By the cost model stacks win below and lose above, whatever
// their width.
constexpr int64_t kMostProductsOfStep = 5000000;

class RecurrentStack final : public KernelTemplate {
 public:
  const char* name() const override { return kRecurrentStack; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_recurrent_layer(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode) const override {
    const Result<Stack> stack = stack_of(group);
    std::vector<Setting> settings = stack.has_value() ? stack_clusters_space(*stack, limits) : std::vector<Setting>{};
    const std::vector<Setting> waves = settings_where(kStackSettings, [](const StackRows&) { return true; });
    settings.insert(settings.end(), waves.begin(), waves.end());
    return settings;
  }

  std::vector<Setting> library_space(const Group& group, const DeviceLimits&, MathMode math) const override {
    return stack_library_space(*stack_of(group), math);
  }

  bool allows(const Group& group, const Setting& setting) const override {
    if (is_stack_clusters(setting)) {
      return setting.splits == 1 && allows_stack_clusters(*stack_of(group), setting);
    }
    return is_stack_library(setting) ? allows_library(group, setting) : KernelTemplate::allows(group, setting);
  }

  Work work(const Group& group, const Setting& setting) const override {
    if (is_stack_library(setting)) {
      return stack_library_work(group, *stack_of(group), setting);
    }
    if (is_stack_clusters(setting)) {
      return stack_clusters_work(group, *stack_of(group), setting);
    }
    // As kernels/rnn/layer.cuh's: L2 gives its bytes about twice as fast as memory does.
    constexpr double kBytesOfL2AsMemory = 0.5;
    constexpr double kOperationsOfUnit = 60;
    const Stack stack = *stack_of(group);
    const RecurrentProblem& top = stack.top();
    const int64_t rows = meaning_of(kStackSettings, setting).rows;
    const int64_t row_blocks = (top.batch + rows - 1) / rows;
    const int64_t unit_blocks = (top.units + kUnitsOfStackBlock - 1) / kUnitsOfStackBlock;
    const auto steps = static_cast<double>(top.steps);
    int64_t depth = 0;  // of what a unit multiplies in all layers, its input's features and its own layer's state
    for (const StackedLayer& layer : stack.layers) {
      depth += group.graph->type(layer.x).shape[2] + top.units;
    }
    const auto products = [&](int64_t all_rows, int64_t units) {
      return 2.0 * steps * static_cast<double>(top.gates * all_rows * units) * static_cast<double>(depth);
    };
    Work work;
    work.launches = static_cast<int>(top.steps + 2 * stack.count() - 1);
    work.flops = products(top.batch, top.units);
    work.padded_flops = products(row_blocks * rows, unit_blocks * kUnitsOfStackBlock);
    work.lane_operations = kOperationsOfUnit * steps * static_cast<double>(stack.count() * top.batch * top.units) +
                           pointwise_operations(group);
    work.bytes = min_bytes(group);
    const auto features_read = static_cast<double>(row_blocks * unit_blocks * depth) *
                               static_cast<double>(rows + top.gates * kUnitsOfStackBlock);
    work.extra_bytes = kBytesOfL2AsMemory * kStackFloatBytes * steps * features_read;
    // On an H200, beside what its launch takes; then what a wave reads, which nothing hides.
    constexpr double kWaveUs = 3.6, kBytesOfUs = 4.8e6;
    work.serial_us = work.launches * kWaveUs + work.extra_bytes / kBytesOfUs;
    work.blocks = stack.count() * row_blocks * unit_blocks;
    work.blocks_per_multiprocessor = 4;
    work.peak_share = 0.3;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

void add_stack_shape(StepBuilder& step, const Stack& stack, int64_t features) {
  step.launch("const stitch::StackShape shape{");
  const auto add = [&](const char* field, int64_t value, const char* comment) {
    step.launch("    .{} = {},", field, step.extent(field, value, comment));
  };
  add("steps", stack.top().steps, "of time");
  add("batch", stack.top().batch, "");
  add("units", stack.top().units, "of the hidden state");
  add("features", features, "of the input of the first layer");
  step.launch("};");
}

Expr address_or_null(StepBuilder& step, const std::optional<ir::ValueId>& value, const std::string& role) {
  return value.has_value() ? recurrent_pointer(step, *value, role) : named("nullptr");
}

Expr result_or_null(StepBuilder& step, ir::ValueId value, bool is_wanted) {
  return is_wanted && has_result(step.group(), value) ? cast("float*", step.tensor(value)) : named("nullptr");
}

// stitch::StackOperands: the last layer's states go through the store.
void add_stack_operands(StepBuilder& step, const Stack& stack) {
  const StridedView x = *strided_view(step.group(), stack.layers[0].x);
  const size_t time_axis = stack.is_batch_first ? 1 : 0;
  step.launch("stitch::StackOperands<{}> operands{{", step.int_constant("layers", stack.count()));
  step.launch("    .x = {},", recurrent_pointer(step, stack.layers[0].x, "input"));
  step.launch("    .x_time_stride = {},", step.extent("input_time_stride", x.strides[time_axis]));
  step.launch("    .x_batch_stride = {},", step.extent("input_batch_stride", x.strides[1 - time_axis]));
  step.launch("};");
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const StackedLayer& layer = stack.layers[i];
    const RecurrentDirection& own = layer.problem.directions[0];
    const std::vector<ir::ValueId>& outputs = layer.node->outputs;
    const bool is_lower = i + 1 < stack.layers.size();
    const std::string role = fmt::format("layer_{}_", i);
    step.launch("operands.layers[{}] = {{", i);
    step.launch("    .input_weight = {},", recurrent_pointer(step, layer.input_weight, role + "input_weight"));
    step.launch("    .weight = {},", recurrent_pointer(step, own.weight, role + "weight"));
    step.launch("    .input_bias = {},", address_or_null(step, layer.input_bias, role + "input_bias"));
    step.launch("    .bias = {},", address_or_null(step, own.bias, role + "bias"));
    step.launch("    .last_hidden = {},", result_or_null(step, outputs[1], is_lower));
    step.launch("    .last_cell = {},",
                layer.problem.has_cell ? result_or_null(step, outputs[2], is_lower) : named("nullptr"));
    step.launch("};");
  }
}

// Each layer's initial states go to scratch memory before the first time step.
Result<void> add_initial_states(StepBuilder& step, const Stack& stack) {
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const RecurrentProblem& layer = stack.layers[i].problem;
    const std::string hidden = fmt::format("initial_hidden_{}", i);
    std::string cell = "stitch::NoInitialCell{}";
    STITCH_TRY(add_initial_state(step, layer.hidden, hidden, "The hidden state of a layer before the first step."));
    if (layer.has_cell) {
      cell = fmt::format("initial_cell_{}", i);
      STITCH_TRY(add_initial_state(step, layer.initial_cell, cell, "The cell state of a layer before the first step."));
    }
    step.launch("const cudaError_t filled_{} = state.fill({}, {}, {}, stream);", i, i, hidden, cell);
    step.launch("if (filled_{} != cudaSuccess) {{", i);
    step.launch("  return filled_{};", i);
    step.launch("}");
  }
  return {};
}

void describe_access(StepBuilder& step, bool by_clusters) {
  if (by_clusters) {
    step.describe(
        "Access: one launch for all layers and time steps; clusters of eight blocks keep a layer's weights on chip and "
        "send states to each other, and through L2 to the layer above, a few steps behind.");
    step.describe("Bound: the way of a state to the other blocks and the product with it, step after step.");
    return;
  }
  step.describe(
      "Access: a launch makes a time step of every layer, each one step behind the layer below it; each block reads "
      "the weights of eight units, from L2, its samples' features and hidden state.");
  step.describe("Bound: the latency of one launch per time step; with many samples the arithmetic of the products.");
}

Result<StepDraft> RecurrentStack::draft(const Group& group, const Setting& setting) const {
  STITCH_ASSIGN(const Stack stack, stack_of(group));
  STITCH_TRY(check_last_states(group));
  StepBuilder step(group);
  step.include("kernels/rnn/stack.cuh");
  describe_access(step, is_stack_clusters(setting));
  std::vector<ir::ValueId> results;  // of the last layer
  for (const ir::ValueId result : group.results) {
    const bool is_lower = std::any_of(stack.layers.begin(), stack.layers.end() - 1, [&](const StackedLayer& layer) {
      return std::find(layer.node->outputs.begin(), layer.node->outputs.end(), result) != layer.node->outputs.end();
    });
    if (!is_lower) {
      results.push_back(result);
    }
  }
  STITCH_TRY(add_recurrent_store(step, stack.top(), results));
  add_stack_shape(step, stack, group.graph->type(stack.layers[0].x).shape[2]);
  add_stack_operands(step, stack);
  step.launch("const stitch::StackState state{shape, kLayers, args->scratch};");
  STITCH_TRY(add_initial_states(step, stack));
  constexpr int64_t kStates = 3;  // hidden before and after, cell
  const int64_t scratch_bytes = kStates * kStackFloatBytes * stack.count() * stack.top().batch * stack.top().units;
  step.set_scratch_bytes(scratch_bytes);
  if (is_stack_clusters(setting)) {
    add_stack_clusters_launch(step, stack, setting, scratch_bytes);
    return step.take();
  }
  const bool by_library = is_stack_library(setting);
  if (by_library) {
    add_stack_library_call(step, stack, setting, scratch_bytes);
  }
  const StackRows own = meaning_of(kStackSettings, by_library ? Setting{kBesideLibrary, 1} : setting);
  const Expr rows = step.int_constant("rows_of_block", own.rows, "samples");
  step.launch("return stitch::launch_recurrent_stack<{}, stitch::RecurrentTile<{}, 1>>(", stack.top().cell, rows);
  step.launch("    shape, operands, state, store, stream);");
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_recurrent_stack() { return std::make_unique<RecurrentStack>(); }

bool stack_pays(const ir::Graph& graph, const ir::Node& layer) {
  const RecurrentProblem problem = recurrent_problem(graph, layer);
  return problem.batch * problem.units * problem.units <= kMostProductsOfStep;
}

}  // namespace stitch::kernels
