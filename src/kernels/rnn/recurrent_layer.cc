// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/recurrent_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error/check.h"
#include "ir/graph/op.h"
#include "kernels/lowering/strided_view.h"
#include "kernels/rnn/persistent_layer.h"
#include "kernels/rnn/recurrence.h"

namespace stitch::kernels {
namespace {

// How many samples a block serves: rows of a thread, and lanes of a warp that take different ones. Measured on an H200
// over 256..1024 units and 1..128 samples, row lanes never pay: the weights are then read in runs of 16 bytes.
struct Variant {
  const char* name;
  int rows;
  int row_lanes;
};
constexpr Variant kVariants[] = {
    {"rows_1", 1, 1},
    {"rows_4", 4, 1},
    {"rows_5", 5, 1},
    {"rows_8", 8, 1},
};
constexpr int64_t kUnitsOfBlock = 8;

const Variant& variant_named(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Variant& it) { return name == it.name; });
  STITCH_CHECK(found != std::end(kVariants)) << "no recurrent setting is called " << name;
  return *found;
}

class RecurrentLayer final : public KernelTemplate {
 public:
  const char* name() const override { return "recurrent_layer"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_recurrent_layer(node) && graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    const RecurrentProblem layer = recurrent_problem(*group.graph, group.root_node());
    std::vector<ir::ValueId> missing;
    for (const RecurrentDirection& direction : layer.directions) {
      const auto gates = strided_view(group, direction.gates);
      if (!gates.has_value() || gates->strides.back() > 1) {
        missing.push_back(direction.gates);
      }
      if (!lies_contiguous(group, direction.weight)) {
        missing.push_back(direction.weight);
      }
      if (direction.bias.has_value() && !lies_contiguous(group, *direction.bias)) {
        missing.push_back(*direction.bias);
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode) const override {
    std::vector<Setting> settings = persistent_settings(recurrent_problem(*group.graph, group.root_node()), limits);
    for (const Variant& variant : kVariants) {
      settings.push_back({variant.name, 1});
    }
    return settings;
  }

  Work work(const Group& group, const Setting& setting) const override {
    // L2 gives its bytes about twice as fast as memory does.
    constexpr double kBytesOfL2AsMemory = 0.5;
    constexpr double kOperationsOfUnit = 60;
    constexpr int kFloatBytes = 4;
    const RecurrentProblem layer = recurrent_problem(*group.graph, group.root_node());
    if (is_persistent(setting)) {
      return persistent_work(group, layer, setting);
    }
    const Variant& variant = variant_named(setting.variant);
    const int64_t rows_of_block = int64_t{variant.rows} * variant.row_lanes;
    const int64_t row_blocks = (layer.batch + rows_of_block - 1) / rows_of_block;
    const int64_t unit_blocks = (layer.units + kUnitsOfBlock - 1) / kUnitsOfBlock;
    const auto steps = static_cast<double>(layer.steps);
    const auto states = static_cast<double>(layer.direction_count() * layer.batch * layer.units);
    const auto products = [&](int64_t rows, int64_t units) {
      return 2.0 * steps * static_cast<double>(layer.direction_count() * layer.gates * rows * units) *
             static_cast<double>(layer.units);
    };
    Work work;
    work.launches = static_cast<int>(layer.steps) + 1;
    work.flops = products(layer.batch, layer.units);
    work.padded_flops = products(row_blocks * rows_of_block, unit_blocks * kUnitsOfBlock);
    work.lane_operations = kOperationsOfUnit * steps * states + pointwise_operations(group);
    work.bytes = min_bytes(group);
    const auto features_read = static_cast<double>(layer.direction_count() * row_blocks * unit_blocks * layer.units) *
                               static_cast<double>(rows_of_block + layer.gates * kUnitsOfBlock);
    work.extra_bytes = kBytesOfL2AsMemory * kFloatBytes * steps * features_read;
    work.blocks = layer.direction_count() * row_blocks * unit_blocks;
    work.blocks_per_multiprocessor = 4;
    work.peak_share = 0.3;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

void add_shape(StepBuilder& step, const RecurrentProblem& layer) {
  step.launch("const stitch::RecurrentShape shape{");
  const auto add = [&](const char* field, int64_t value, const char* comment) {
    step.launch("    .{} = {},", field, step.extent(field, value, comment));
  };
  add("steps", layer.steps, "of time");
  add("batch", layer.batch, "");
  add("directions", layer.direction_count(), "");
  add("units", layer.units, "of the hidden state, one direction");
  step.launch("};");
}

// stitch::RecurrentOperands: each field has an entry for each direction.
void add_operands(StepBuilder& step, const RecurrentProblem& layer, const std::string& type) {
  constexpr const char* kDirections[] = {"forward", "reverse"};
  std::vector<Expr> gates, time_strides, batch_strides, weights, biases;
  for (size_t i = 0; i < layer.directions.size(); ++i) {
    const RecurrentDirection& direction = layer.directions[i];
    const std::string name = kDirections[i];
    const StridedView view = *strided_view(step.group(), direction.gates);
    gates.push_back(recurrent_pointer(step, direction.gates, name + "_gates"));
    time_strides.push_back(step.extent(name + "_gates_time_stride", view.strides[0]));
    batch_strides.push_back(step.extent(name + "_gates_batch_stride", view.strides[1]));
    weights.push_back(recurrent_pointer(step, direction.weight, name + "_weight"));
    biases.push_back(direction.bias.has_value() ? recurrent_pointer(step, *direction.bias, name + "_bias")
                                                : named("nullptr"));
  }
  step.launch("const stitch::RecurrentOperands<{}> operands{{", type);
  step.launch("    .gates = {},", aggregate("", gates));
  step.launch("    .gates_time_stride = {},", aggregate("", time_strides));
  step.launch("    .gates_batch_stride = {},", aggregate("", batch_strides));
  step.launch("    .weight = {},", aggregate("", weights));
  step.launch("    .bias = {},", aggregate("", biases));
  step.launch("};");
}

void describe_access(StepBuilder& step, const Setting& setting) {
  if (is_persistent(setting)) {
    step.describe(
        "Access: eight blocks of a cluster keep the recurrent weights of a direction in registers through all time "
        "steps, and send each other the hidden state of their samples through shared memory.");
    step.describe("Bound: the latency of that way at every time step.");
    return;
  }
  step.describe(
      "Access: at every time step each block reads the recurrent weights of eight units, from L2, and its samples' "
      "hidden state.");
  step.describe("Bound: the latency of one launch per time step; with many samples the arithmetic of the product.");
}

void add_launch(StepBuilder& step, const RecurrentProblem& layer, const Setting& setting) {
  if (is_persistent(setting)) {
    return add_persistent_launch(step, layer, setting);
  }
  const Variant& variant = variant_named(setting.variant);
  const Expr rows = step.int_constant("rows_of_thread", variant.rows);
  const Expr lanes = step.int_constant("row_lanes", variant.row_lanes, "lanes of a warp with samples of their own");
  step.launch("return stitch::launch_recurrent_layer<{}, stitch::RecurrentTile<{}, {}>>(", layer.cell, rows, lanes);
}

Result<StepDraft> RecurrentLayer::draft(const Group& group, const Setting& setting) const {
  const RecurrentProblem layer = recurrent_problem(*group.graph, group.root_node());
  STITCH_TRY(check_last_states(group));
  StepBuilder step(group);
  step.include(is_persistent(setting) ? "kernels/rnn/persistent_layer.cuh" : "kernels/rnn/layer.cuh");
  const DataType dtype = group.graph->type(layer.hidden).dtype;
  if (dtype == DataType::kFloat16 || dtype == DataType::kBfloat16) {
    step.include("kernels/common/half.cuh");
  }
  describe_access(step, setting);
  STITCH_TRY(add_recurrent_store(step, layer, group.results));
  STITCH_TRY(add_initial_state(step, layer.hidden, "initial_hidden", "The hidden state before the first step."));
  if (layer.has_cell) {
    STITCH_TRY(add_initial_state(step, layer.initial_cell, "initial_cell", "The cell state before the first step."));
  } else {
    step.launch("const stitch::NoInitialCell initial_cell{};");
  }
  add_shape(step, layer);
  add_operands(step, layer, cuda_type_name(dtype));
  add_launch(step, layer, setting);
  step.launch("    shape, operands, initial_hidden, initial_cell, store, args->scratch, stream);");
  constexpr int64_t kStates = 3;  // hidden before and after, cell
  constexpr int64_t kFloatBytes = 4;
  step.set_scratch_bytes(kStates * kFloatBytes * layer.direction_count() * layer.batch * layer.units);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_recurrent_layer() { return std::make_unique<RecurrentLayer>(); }

}  // namespace stitch::kernels
