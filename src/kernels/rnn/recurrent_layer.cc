// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/recurrent_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error/check.h"
#include "ir/graph/op.h"
#include "ir/ops/support/recurrent.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

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
    {"rows_8", 8, 1},
};
constexpr int64_t kUnitsOfBlock = 8;

const Variant& variant_named(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Variant& it) { return name == it.name; });
  STITCH_CHECK(found != std::end(kVariants)) << "no recurrent setting is called " << name;
  return *found;
}

// What one direction reads.
struct Direction {
  ir::ValueId gates, weight;
  std::optional<ir::ValueId> bias;
};

struct Layer {
  bool has_cell = false;
  std::string cell;  // "stitch::LstmCell"
  int64_t gates = 1;
  ir::ValueId hidden, initial_cell;
  std::vector<Direction> directions;
  int64_t steps = 1, batch = 1, units = 1;
  auto direction_count() const { return static_cast<int64_t>(directions.size()); }
};

bool is_layer(const ir::Node& node) {
  return node.op == ir::Op::kLstmLayer || node.op == ir::Op::kGruLayer || node.op == ir::Op::kRnnLayer;
}

Layer layer_of(const Group& group) {
  const ir::Node& node = group.root_node();
  Layer layer;
  layer.has_cell = node.op == ir::Op::kLstmLayer;
  layer.gates = node.op == ir::Op::kLstmLayer ? 4 : node.op == ir::Op::kGruLayer ? 3 : 1;
  if (node.op == ir::Op::kRnnLayer) {
    layer.cell = ir::string_attribute(node, "nonlinearity") == "tanh" ? "stitch::RnnTanhCell" : "stitch::RnnReluCell";
  } else {
    layer.cell = layer.has_cell ? "stitch::LstmCell" : "stitch::GruCell";
  }
  layer.hidden = ir::tensor_operand(node, 1);
  if (layer.has_cell) {
    layer.initial_cell = ir::tensor_operand(node, 2);
  }
  const ir::RecurrentKind kind{layer.gates, layer.has_cell};
  for (const size_t direction : {size_t{0}, size_t{1}}) {
    const ir::RecurrentOperands at = ir::recurrent_operands(kind, direction);
    if (ir::is_tensor(node.operands[at.gates])) {
      layer.directions.push_back({ir::tensor_operand(node, at.gates), ir::tensor_operand(node, at.weight), {}});
      if (ir::is_tensor(node.operands[at.bias])) {
        layer.directions.back().bias = ir::tensor_operand(node, at.bias);
      }
    }
  }
  layer.steps = group.graph->type(layer.directions[0].gates).shape[0];
  layer.batch = group.graph->type(layer.hidden).shape[1];
  layer.units = group.graph->type(layer.hidden).shape[2];
  return layer;
}

bool is_contiguous(const Group& group, ir::ValueId value) {
  const auto view = strided_view(group, value);
  const std::vector<int64_t>& shape = group.graph->type(value).shape;
  int64_t expected = 1;
  for (size_t axis = shape.size(); view.has_value() && axis-- > 0;) {
    if (shape[axis] != 1 && view->strides[axis] != expected) {
      return false;
    }
    expected *= shape[axis];
  }
  return view.has_value();
}

// The last states are written again at every step, so nothing but their own place may follow from them: a chain behind
// them could read what it overwrites.
Result<void> check_last_states(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const auto& outputs = group.root_node().outputs;
  std::set<ir::ValueId> states(outputs.begin() + 1, outputs.end());
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    const bool follows = std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && states.count(std::get<ir::ValueId>(operand)) > 0;
    });
    if (follows && !is_view(node)) {
      return failure(ErrorCode::kUnsupportedOperator,
                     graph.value(node.outputs[0]).name + " needs the last state, which changes until the last step");
    }
    if (follows) {
      states.insert(node.outputs[0]);
    }
  }
  return {};
}

class RecurrentLayer final : public KernelTemplate {
 public:
  const char* name() const override { return "recurrent_layer"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_layer(node) && graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    const Layer layer = layer_of(group);
    std::vector<ir::ValueId> missing;
    for (const Direction& direction : layer.directions) {
      const auto gates = strided_view(group, direction.gates);
      if (!gates.has_value() || gates->strides.back() > 1) {
        missing.push_back(direction.gates);
      }
      if (!is_contiguous(group, direction.weight)) {
        missing.push_back(direction.weight);
      }
      if (direction.bias.has_value() && !is_contiguous(group, *direction.bias)) {
        missing.push_back(*direction.bias);
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    std::vector<Setting> settings;
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
    const Layer layer = layer_of(group);
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

// Both initial states look alike: a functor of direction, sample and unit.
Result<void> add_initial_state(StepBuilder& step, ir::ValueId state, const std::string& variable,
                               const std::string& comment) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(state).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(state).name) + "Initial", domain,
                         {{"direction", {0}}, {"row", {1}}, {"unit", {2}}});
  STITCH_ASSIGN(Expr element, builder.value(state, domain.anchor_map()));
  construct(step, builder.finish({.comment = comment, .returns = std::move(element)}), variable);
  return {};
}

// What `value` is a view of.
ir::ValueId shown_by(const Group& group, ir::ValueId value) {
  while (group.computes(value) && is_view(group.graph->node(group.graph->value(value).producer))) {
    value = ir::tensor_operand(group.graph->node(group.graph->value(value).producer), 0);
  }
  return value;
}

Result<void> add_store(StepBuilder& step, const Layer& layer) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const Domain domain({layer.steps, layer.batch, layer.direction_count(), layer.units});
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         {{"time", {0}}, {"row", {1}}, {"direction", {2}}, {"unit", {3}}});
  const IndexMap at = domain.anchor_map();
  const AffineIndex column{0, {{at[2].terms[0].loop, layer.units}, at[3].terms[0]}};
  builder.reserve("hidden");
  builder.reserve("cell");
  builder.bind(node.outputs[0], {at[0], at[1], column}, bound("hidden"));
  builder.bind(node.outputs[1], {at[2], at[1], at[3]}, bound("hidden"));
  if (layer.has_cell) {
    builder.bind(node.outputs[2], {at[2], at[1], at[3]}, bound("cell"));
  }
  STITCH_TRY(builder.store_results());
  const bool stores_cell = layer.has_cell && std::any_of(group.results.begin(), group.results.end(), [&](auto result) {
                             return shown_by(group, result) == node.outputs[2];
                           });
  const LoweredFunctor store = builder.finish(
      {.comment = "Stores what follows from one unit's new state. A last state is written at every step: the last one "
                  "stays.",
       .extra_parameters = stores_cell ? "float hidden, float cell" : "float hidden, float /*cell*/"});
  construct(step, store, "store");
  return {};
}

Expr pointer_to(StepBuilder& step, ir::ValueId value, const std::string& role) {
  const StridedView view = *strided_view(step.group(), value);
  const Expr start = cast(fmt::format("const {}*", cuda_type_name(step.group().graph->type(view.stored).dtype)),
                          step.tensor(view.stored));
  return view.offset == 0 ? start : sum(start, step.extent(role + "_offset", view.offset));
}

void add_shape(StepBuilder& step, const Layer& layer) {
  step.launch("const stitch::RecurrentShape shape{");
  const auto add = [&](const char* field, int64_t value, const char* comment) {
    step.launch("    .{} = {},", field, step.extent(field, value, comment));
  };
  add("steps", layer.steps, "of time, one launch each");
  add("batch", layer.batch, "");
  add("directions", layer.direction_count(), "");
  add("units", layer.units, "of the hidden state, one direction");
  step.launch("};");
}

// stitch::RecurrentOperands: each field has an entry for each direction.
void add_operands(StepBuilder& step, const Layer& layer, const std::string& type) {
  constexpr const char* kDirections[] = {"forward", "reverse"};
  std::vector<Expr> gates, time_strides, batch_strides, weights, biases;
  for (size_t i = 0; i < layer.directions.size(); ++i) {
    const Direction& direction = layer.directions[i];
    const std::string name = kDirections[i];
    const StridedView view = *strided_view(step.group(), direction.gates);
    gates.push_back(pointer_to(step, direction.gates, name + "_gates"));
    time_strides.push_back(step.extent(name + "_gates_time_stride", view.strides[0]));
    batch_strides.push_back(step.extent(name + "_gates_batch_stride", view.strides[1]));
    weights.push_back(pointer_to(step, direction.weight, name + "_weight"));
    biases.push_back(direction.bias.has_value() ? pointer_to(step, *direction.bias, name + "_bias") : named("nullptr"));
  }
  step.launch("const stitch::RecurrentOperands<{}> operands{{", type);
  step.launch("    .gates = {},", aggregate("", gates));
  step.launch("    .gates_time_stride = {},", aggregate("", time_strides));
  step.launch("    .gates_batch_stride = {},", aggregate("", batch_strides));
  step.launch("    .weight = {},", aggregate("", weights));
  step.launch("    .bias = {},", aggregate("", biases));
  step.launch("};");
}

Result<StepDraft> RecurrentLayer::draft(const Group& group, const Setting& setting) const {
  const Layer layer = layer_of(group);
  const Variant& variant = variant_named(setting.variant);
  STITCH_TRY(check_last_states(group));
  StepBuilder step(group);
  step.include("kernels/rnn/layer.cuh");
  const DataType dtype = group.graph->type(layer.hidden).dtype;
  if (dtype == DataType::kFloat16 || dtype == DataType::kBfloat16) {
    step.include("kernels/common/half.cuh");
  }
  step.describe(
      "Access: at every time step each block reads the recurrent weights of eight units, from L2, and its samples' "
      "hidden state.");
  step.describe("Bound: the latency of one launch per time step; with many samples the arithmetic of the product.");
  STITCH_TRY(add_store(step, layer));
  STITCH_TRY(add_initial_state(step, layer.hidden, "initial_hidden", "The hidden state before the first step."));
  if (layer.has_cell) {
    STITCH_TRY(add_initial_state(step, layer.initial_cell, "initial_cell", "The cell state before the first step."));
  } else {
    step.launch("const stitch::NoInitialCell initial_cell{};");
  }
  add_shape(step, layer);
  add_operands(step, layer, cuda_type_name(dtype));
  const Expr rows = step.int_constant("rows_of_thread", variant.rows);
  const Expr lanes = step.int_constant("row_lanes", variant.row_lanes, "lanes of a warp with samples of their own");
  step.launch("return stitch::launch_recurrent_layer<{}, stitch::RecurrentTile<{}, {}>>(", layer.cell, rows,
              lanes);
  step.launch("    shape, operands, initial_hidden, initial_cell, store, args->scratch, stream);");
  constexpr int64_t kStates = 3;  // hidden before and after, cell
  constexpr int64_t kFloatBytes = 4;
  step.set_scratch_bytes(kStates * kFloatBytes * layer.direction_count() * layer.batch * layer.units);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_recurrent_layer() { return std::make_unique<RecurrentLayer>(); }

}  // namespace stitch::kernels
