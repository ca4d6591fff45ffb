// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/rows/element_functors.h"
#include "kernels/scatter/in_place.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr double kLaneOperationsPerLook = 6;  // of one result at one source

enum class ScatterWay { kPull, kInPlace, kBuckets };

constexpr std::array kSettings = {
    NamedSetting<ScatterWay>{"pull", ScatterWay::kPull},
    NamedSetting<ScatterWay>{"in_place", ScatterWay::kInPlace},
    NamedSetting<ScatterWay>{"buckets", ScatterWay::kBuckets},
};

struct Operands {
  ir::ValueId self;
  ir::ValueId index;
  ir::ValueId source;
  ir::ValueId output;
  RowAxes axes;  // rows: all axes but dim; columns: dim
  int64_t places = 1;
};

Operands operands_of(const Group& group) {
  const ir::Node& node = group.root_node();
  Operands operands{
      ir::tensor_operand(node, 0), ir::tensor_operand(node, 1), ir::tensor_operand(node, 2), node.outputs[0], {}, 1};
  const std::vector<int64_t>& shape = group.graph->type(operands.source).shape;
  const int64_t dim = ir::int_attribute(node, "dim");
  operands.axes = split_axes(shape, {dim});
  operands.places = group.graph->type(operands.output).shape[static_cast<size_t>(dim)];
  return operands;
}

// Whether all columns send their sources to the same places.
bool shares_targets(const Group& group, const Operands& operands) {
  const TensorType& index = group.graph->type(operands.index);
  return index.element_count() == operands.axes.column_count && operands.axes.row_count > 1;
}

int64_t target_columns(const Group& group, const Operands& operands) {
  return shares_targets(group, operands) ? 1 : operands.axes.row_count;
}

// Whether the 32-bit numbers of a bucket's list reach that far.
bool can_list_buckets(const Group& group) {
  constexpr int64_t kMaxNumber = int64_t{1} << 30;
  const Operands operands = operands_of(group);
  const int64_t columns = target_columns(group, operands);
  return columns * operands.places < kMaxNumber && columns * operands.axes.column_count < kMaxNumber;
}

class Scatter final : public KernelTemplate {
 public:
  const char* name() const override { return "scatter"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override { return node.op == ir::Op::kScatter; }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    return settings_where(kSettings, [&](ScatterWay way) {
      return way == ScatterWay::kPull || (way == ScatterWay::kInPlace ? scatter_in_place(group).has_value()
                                                                      : can_list_buckets(group));
    });
  }

  Work work(const Group& group, const Setting& setting) const override {
    const ScatterWay way = meaning_of(kSettings, setting);
    if (way == ScatterWay::kInPlace) {
      return work_in_place(group);
    }
    constexpr int kThreads = 256;
    const Operands operands = operands_of(group);
    const auto results = static_cast<double>(operands.axes.row_count * operands.places);
    const auto sources = static_cast<double>(target_columns(group, operands) * operands.axes.column_count);
    Work work;
    work.bytes = min_bytes(group);
    work.blocks = operands.axes.row_count * operands.places / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = 0.7;
    work.lane_operations = pointwise_operations(group) + kLaneOperationsPerLook * results;
    if (way == ScatterWay::kPull) {
      work.lane_operations += kLaneOperationsPerLook * results * static_cast<double>(operands.axes.column_count);
      return work;
    }
    constexpr double kWordsPerSource = 16;  // counted, listed, sorted, read: with the waste of scattered sectors
    constexpr double kWordsPerBucket = 8;
    const auto buckets = static_cast<double>(target_columns(group, operands) * operands.places);
    work.launches = 6;
    work.serial_bytes = 4 * (kWordsPerSource * sources + kWordsPerBucket * buckets);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;

 private:
  // A state's new value goes where the old one lies, if the caller wishes it so: then only what is sent moves.
  static Work work_in_place(const Group& group) {
    constexpr int kThreads = 256;
    const Operands operands = operands_of(group);
    const InPlace in_place = *scatter_in_place(group);
    const int64_t elements = operands.axes.row_count * operands.axes.column_count;
    const auto sent = static_cast<double>(elements);
    Work work;
    work.bytes = min_bytes(group);
    work.bandwidth_share = 0.85;
    work.launches = 2;
    if (is_update_of_state(*group.graph, in_place)) {
      const auto whole = static_cast<double>(group.graph->type(in_place.to).bytes());
      const double written = sent * static_cast<double>(element_bytes(group.graph->type(in_place.to).dtype));
      work.bytes = std::max(0.0, work.bytes - 2 * whole) + std::min(written, whole);
      work.launches = 1;
    }
    work.blocks = elements / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.lane_operations = kLaneOperationsPerLook * sent * static_cast<double>(operands.axes.column_count);
    return work;
  }
};

Result<LoweredFunctor> make_target(StepBuilder& step, const Operands& operands) {
  const ir::Graph& graph = *step.group().graph;
  const std::vector<int64_t>& shape = graph.type(operands.source).shape;
  const Domain domain(shape);
  FunctorBuilder builder(step, pascal_case(graph.value(operands.output).name) + "Target", domain,
                         {{"column", operands.axes.rows}, {"source", operands.axes.columns}});
  const IndexMap map = broadcast(domain.anchor_map(), shape, graph.type(operands.index).shape);
  STITCH_ASSIGN(Expr element, builder.value(operands.index, map));
  return builder.finish(
      {.comment = "The place that one source is sent to.", .returns = std::move(element), .return_type = "int64_t"});
}

Result<LoweredFunctor> make_value(StepBuilder& step, const Operands& operands) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(operands.source).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(operands.output).name) + "Sent", domain,
                         {{"column", operands.axes.rows}, {"source", operands.axes.columns}});
  STITCH_ASSIGN(Expr element, builder.value(operands.source, domain.anchor_map()));
  return builder.finish({.comment = "The value that one source sends.",
                         .returns = std::move(element),
                         .return_type = element_type(graph, operands.source)});
}

Result<LoweredFunctor> make_self(StepBuilder& step, const Operands& operands) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(operands.self).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(operands.output).name) + "Self", domain,
                         {{"column", operands.axes.rows}, {"place", operands.axes.columns}});
  STITCH_ASSIGN(Expr element, builder.value(operands.self, domain.anchor_map()));
  return builder.finish({.comment = "What stands at a place before anything is sent there.",
                         .returns = std::move(element),
                         .return_type = element_type(graph, operands.self)});
}

Result<LoweredFunctor> make_store(StepBuilder& step, const Operands& operands) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const Domain domain(graph.type(operands.output).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"column", operands.axes.rows}, {"place", operands.axes.columns}});
  builder.bind(operands.output, domain.anchor_map(), bound("value"));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one element of the result.",
                         .extra_parameters = element_type(graph, operands.output) + " value"});
}

void describe(StepBuilder& step, const Setting& setting) {
  const ScatterWay way = meaning_of(kSettings, setting);
  step.include(fmt::format("kernels/scatter/{}.cuh", setting.variant));
  if (way == ScatterWay::kInPlace) {
    step.describe(
        "Access: only what is sent is read and written, by the thread of the first source of each place; what");
    step.describe("it is sent into is copied first, unless the result is to lie in the same memory.");
  } else if (way == ScatterWay::kPull) {
    step.describe("Access: each result's thread looks through the sources of its column, in order.");
  } else {
    step.describe(
        "Access: sources are listed by the place they are sent to; each result then takes its own, in their order.");
  }
  step.describe("Bound: memory; no value depends on the order in which blocks run.");
}

void launch_in_place(StepBuilder& step, const std::string& template_arguments) {
  const Group& group = step.group();
  const InPlace in_place = *scatter_in_place(group);
  const Expr bytes = step.extent("bytes", group.graph->type(in_place.to).bytes(), "of the whole result");
  step.launch("const stitch::ScatterMemory memory{{{}, {}, {}}};", step.tensor(in_place.from),
              step.tensor(in_place.to), bytes);
  step.launch("return stitch::launch_scatter_in_place<{}>(", template_arguments);
  step.launch("    target, value, self, store, shape, memory, stream);");
}

Result<StepDraft> Scatter::draft(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const Operands operands = operands_of(group);
  StepBuilder step(group);
  describe(step, setting);
  STITCH_ASSIGN(const LoweredFunctor target, make_target(step, operands));
  STITCH_ASSIGN(const LoweredFunctor value, make_value(step, operands));
  STITCH_ASSIGN(const LoweredFunctor self, make_self(step, operands));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step, operands));
  construct(step, target, "target");
  construct(step, value, "value");
  construct(step, self, "self");
  construct(step, store, "store");
  const auto rank = static_cast<int64_t>(group.graph->type(operands.output).shape.size());
  const bool innermost = ir::int_attribute(node, "dim") == rank - 1;
  const Expr columns = step.extent("columns", operands.axes.row_count);
  const Expr places = step.extent("places", operands.places, "of a column, that values are sent to");
  const Expr sources = step.extent("sources", operands.axes.column_count, "of a column, that send a value");
  step.launch("const stitch::ScatterShape shape{{{}, {}, {}, {}}};", columns, places, sources, innermost);
  const std::string kind =
      fmt::format("stitch::ScatterReduce::{}, {}", constant_name(ir::string_attribute(node, "reduce")),
                  ir::bool_attribute(node, "include_self"));
  const std::string type = element_type(*group.graph, operands.output);
  const ScatterWay way = meaning_of(kSettings, setting);
  if (way == ScatterWay::kInPlace) {
    launch_in_place(step, kind + ", " + type);
    return step.take();
  }
  if (way == ScatterWay::kPull) {
    step.launch("return stitch::launch_scatter_pull<{}, {}>(", kind, type);
    step.launch("    target, value, self, store, shape, stream);");
    return step.take();
  }
  constexpr int64_t kWordBytes = 4;
  const int64_t shared_columns = target_columns(group, operands);
  step.set_scratch_bytes(kWordBytes * (shared_columns * (2 * operands.places + operands.axes.column_count) + 1));
  step.launch("return stitch::launch_scatter_buckets<{}, {}, {}>(", kind, shares_targets(group, operands), type);
  step.launch("    target, value, self, store, shape, args->scratch, stream);");
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_scatter() { return std::make_unique<Scatter>(); }

}  // namespace stitch::kernels
