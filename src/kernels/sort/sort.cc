// SPDX-License-Identifier: Apache-2.0
#include "kernels/sort/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/graph/op.h"
#include "kernels/rows/element_functors.h"
#include "kernels/rows/row_functors.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMaxRankedLength = 1024;  // beyond it the square of the row is dearer than any network
constexpr int64_t kCapacity = 1024;       // keys that a block sorts in shared memory
constexpr int64_t kMaxSelected = 64;
constexpr int64_t kMaxRowLength = int64_t{1} << 25;  // of which the blocks of a launch can be numbered

RowAxes axes_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return split_axes(group.graph->type(ir::tensor_operand(node, 0)).shape, {ir::int_attribute(node, "dim")});
}

int64_t kept_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return group.graph->type(node.outputs[0]).shape[static_cast<size_t>(ir::int_attribute(node, "dim"))];
}

int64_t key_bytes(const Group& group) {
  const std::string type = element_type(*group.graph, ir::tensor_operand(group.root_node(), 0));
  return type == "int64_t" || type == "double" ? 16 : 8;
}

int64_t padded_columns(const RowAxes& axes) {
  int64_t padded = kCapacity;
  while (padded < axes.column_count) {
    padded *= 2;
  }
  return padded;
}

enum class SortKind { kSelect, kRank, kBitonic, kLong };

struct SortSetting {
  SortKind kind;
  int threads;  // of a row; of a block where each element has a thread
};

constexpr std::array kSettings = {
    NamedSetting<SortSetting>{"select_32", {SortKind::kSelect, 32}},
    NamedSetting<SortSetting>{"select_1", {SortKind::kSelect, 1}},
    NamedSetting<SortSetting>{"select_256", {SortKind::kSelect, 256}},
    NamedSetting<SortSetting>{"rank_256", {SortKind::kRank, 256}},
    NamedSetting<SortSetting>{"bitonic_32", {SortKind::kBitonic, 32}},
    NamedSetting<SortSetting>{"bitonic_256", {SortKind::kBitonic, 256}},
    NamedSetting<SortSetting>{"long_256", {SortKind::kLong, 256}},
};

bool can_sort(const Group& group, SortKind kind) {
  const int64_t columns = axes_of(group).column_count;
  switch (kind) {
    case SortKind::kSelect:
      return group.root_node().op == ir::Op::kTopk && kept_of(group) <= kMaxSelected;
    case SortKind::kRank:
      return columns <= kMaxRankedLength;
    case SortKind::kBitonic:
      return columns <= kCapacity;
    case SortKind::kLong:
      return columns <= kMaxRowLength;
  }
  return false;
}

class Sort final : public KernelTemplate {
 public:
  const char* name() const override { return "sort"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override {
    return node.op == ir::Op::kSort || node.op == ir::Op::kTopk;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    return settings_where(kSettings, [&](const SortSetting& each) { return can_sort(group, each.kind); });
  }

  Work work(const Group& group, const Setting& setting) const override;
  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Work Sort::work(const Group& group, const Setting& setting) const {
  const RowAxes axes = axes_of(group);
  const auto rows = static_cast<double>(axes.row_count);
  const auto columns = static_cast<double>(axes.column_count);
  const auto [kind, threads] = meaning_of(kSettings, setting);
  constexpr double kComparison = 10;
  constexpr int kMinBlock = 128;
  Work work;
  work.bytes = min_bytes(group);
  work.bandwidth_share = 0.5;
  work.threads_per_block = kind == SortKind::kBitonic ? threads : std::max(threads, kMinBlock);
  work.blocks_per_multiprocessor = std::min(16, 2048 / work.threads_per_block);
  work.lane_operations = pointwise_operations(group);
  if (kind == SortKind::kSelect) {
    constexpr double kMerge = 60;
    const auto passes = static_cast<double>(kept_of(group));
    work.lane_operations += passes * rows * (kComparison * columns + (threads > 1 ? kMerge * threads : 0));
    work.extra_bytes = threads > 32 ? 0 : (passes - 1) * rows * columns;  // rows come from the cache again
    work.blocks = static_cast<int64_t>(rows * threads) / work.threads_per_block + 1;
  } else if (kind == SortKind::kRank) {
    work.lane_operations += kComparison * rows * columns * columns;
    work.blocks = static_cast<int64_t>(rows * columns) / threads + 1;
  } else {
    const double stages = std::log2(std::max(2.0, static_cast<double>(padded_columns(axes))));
    const double padded = kind == SortKind::kLong ? static_cast<double>(padded_columns(axes))
                                                  : std::exp2(std::ceil(std::log2(std::max(2.0, columns))));
    const double depth = std::ceil(std::log2(std::max(2.0, padded)));
    constexpr double kBarrier = 30;
    work.lane_operations += rows * depth * (depth + 1) / 2 * (kComparison * padded / 2 + kBarrier * threads);
    work.blocks = axes.row_count;
    if (kind == SortKind::kLong) {
      const double beyond = stages - std::log2(static_cast<double>(kCapacity));
      work.launches = static_cast<int>(2 + beyond * (beyond + 1) / 2 + beyond);
      work.extra_bytes = rows * padded * static_cast<double>(key_bytes(group)) * 2 * work.launches;
      work.blocks = axes.row_count * padded_columns(axes) / kCapacity;
    }
  }
  return work;
}

Result<LoweredFunctor> make_store(StepBuilder& step, const RowAxes& axes) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const Domain domain(graph.type(node.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"rank", axes.columns}});
  builder.reserve("position");
  builder.bind(node.outputs[0], domain.anchor_map(), bound("value"));
  builder.bind(node.outputs[1], domain.anchor_map(), bound("position"));
  STITCH_TRY(builder.store_results());
  return builder.finish(
      {.comment = "Stores what follows from one element in its place, and from where it stood.",
       .extra_parameters = fmt::format("{} value, int64_t position", element_type(graph, node.outputs[0]))});
}

Result<StepDraft> Sort::draft(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const RowAxes axes = axes_of(group);
  const bool descends = ir::bool_attribute(node, node.op == ir::Op::kTopk ? "largest" : "descending");
  StepBuilder step(group);
  const SortSetting sort = meaning_of(kSettings, setting);
  const bool selects = sort.kind == SortKind::kSelect;
  const bool ranks = sort.kind == SortKind::kRank;
  step.include(selects ? "kernels/sort/select.cuh" : ranks ? "kernels/sort/rank.cuh" : "kernels/sort/bitonic.cuh");
  step.describe(selects ? "Access: each pass over a row finds the next element in order."
                : ranks ? "Access: each element's thread counts those of its row that come before it."
                        : "Access: each row is read once and sorted by a bitonic network.");
  step.describe("Bound: comparisons. Equal elements keep their order, so the result is that of a stable sort.");
  STITCH_ASSIGN(const LoweredFunctor load, make_element_loader(step, ir::tensor_operand(node, 0), axes));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step, axes));
  construct(step, load, "load");
  construct(step, store, "store");
  step.launch("const stitch::SortShape shape{{{}, {}, {}}};", step.extent("rows", axes.row_count),
              step.extent("columns", axes.column_count),
              step.extent("kept", kept_of(group), "of each row, from the first in order"));
  const std::string order = fmt::format("{}, {}", element_type(*group.graph, ir::tensor_operand(node, 0)), descends);
  if (ranks) {
    step.launch("return stitch::launch_sort_by_rank<{}>(load, store, shape, stream);", order);
    return step.take();
  }
  const Expr threads = step.int_constant(selects ? "threads_per_row" : "threads", sort.threads);
  if (selects) {
    step.launch("return stitch::launch_select<{}, {}>(load, store, shape, stream);", order, threads);
    return step.take();
  }
  const Expr capacity = step.int_constant("capacity", kCapacity, "keys sorted in shared memory");
  const bool is_long = sort.kind == SortKind::kLong;
  if (is_long) {
    step.set_scratch_bytes(axes.row_count * padded_columns(axes) * key_bytes(group));
  }
  step.launch("return stitch::launch_sort_{}rows<{}, {}, {}>(load, store, shape, {}stream);",
              is_long ? "long_" : "", order, threads, capacity, is_long ? "args->scratch, " : "");
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_sort() { return std::make_unique<Sort>(); }

}  // namespace stitch::kernels
