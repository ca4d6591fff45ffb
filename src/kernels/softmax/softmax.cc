// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.h"

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/rows/held_rows.h"
#include "kernels/rows/lanes.h"
#include "kernels/rows/row_functors.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

RowAxes axes_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return split_axes(group.graph->type(node.outputs[0]).shape, {ir::int_attribute(node, "dim")});
}

struct ColumnSize {
  int sharers;     // warps that share the columns of 32 rows
  int per_thread;  // columns that a thread keeps
};
constexpr std::array kColumnSettings = {
    NamedSetting<ColumnSize>{"columns_1x16", {1, 16}},   NamedSetting<ColumnSize>{"columns_1x32", {1, 32}},
    NamedSetting<ColumnSize>{"columns_1x64", {1, 64}},   NamedSetting<ColumnSize>{"columns_2x64", {2, 64}},
    NamedSetting<ColumnSize>{"columns_4x8", {4, 8}},     NamedSetting<ColumnSize>{"columns_8x8", {8, 8}},
    NamedSetting<ColumnSize>{"columns_8x16", {8, 16}},   NamedSetting<ColumnSize>{"columns_16x16", {16, 16}},
    NamedSetting<ColumnSize>{"columns_32x16", {32, 16}}, NamedSetting<ColumnSize>{"columns_32x32", {32, 32}},
};

// A thread that keeps a row, or half of it, has to have room for it; half of that room may be left over.
bool is_worth_trying(const ColumnSize& size, const RowAxes& axes) {
  constexpr int kManySharers = 4;
  const int64_t capacity = int64_t{size.sharers} * size.per_thread;
  return size.sharers >= kManySharers || (axes.column_count <= capacity && capacity <= 2 * axes.column_count);
}

// Elements that a lane keeps of a row that is read along its elements and written across them.
struct TurnedRow {
  int per_lane;
};
constexpr std::array kTurnedSettings = {NamedSetting<TurnedRow>{"turned_4", {4}},
                                        NamedSetting<TurnedRow>{"turned_8", {8}}};

int64_t innermost_axis(const std::vector<int64_t>& shape) {
  const auto found = std::find_if(shape.rbegin(), shape.rend(), [](int64_t extent) { return extent > 1; });
  return std::distance(found, shape.rend()) - 1;
}

// Whether neighbours of `value` along `axis` are neighbours in the memory that it is computed from, element by element.
bool lies_along(const Group& group, ir::ValueId value, int64_t axis) {
  const ir::Graph& graph = *group.graph;
  while (group.computes(value)) {
    const ir::Node& node = graph.node(graph.value(value).producer);
    if (node.op == ir::Op::kPermute) {
      axis = ir::ints_attribute(node, "dims")[static_cast<size_t>(axis)];
      value = ir::tensor_operand(node, 0);
      continue;
    }
    const auto same = std::find_if(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && graph.type(std::get<ir::ValueId>(operand)).shape == graph.type(value).shape;
    });
    if (!is_elementwise(node) || is_look_up(node) || same == node.operands.end()) {
      return false;
    }
    value = std::get<ir::ValueId>(*same);
  }
  return axis == innermost_axis(graph.type(value).shape);
}

// Read along the rows' elements, which are not neighbours in the result.
bool reads_along(const Group& group) {
  const ir::Node& node = group.root_node();
  return lies_along(group, ir::tensor_operand(node, 0), ir::int_attribute(node, "dim"));
}

// Rows whose elements are not neighbours, whatever the extents are.
bool is_strided(const RowAxes& axes) { return !axes.rows.empty() && axes.rows.back() > axes.columns.back(); }

// Elements that stand behind each other between two of a row: 1 where they are neighbours after all.
int64_t stride_of(const Group& group, const RowAxes& axes) {
  const std::vector<int64_t>& shape = group.graph->type(group.root_node().outputs[0]).shape;
  int64_t stride = 1;
  for (size_t axis = static_cast<size_t>(axes.columns.back()) + 1; axis < shape.size(); ++axis) {
    stride *= shape[axis];
  }
  return stride;
}

// The share of each 32-byte sector that is used when a warp reads `neighbours` elements that follow each other.
double used_of_sectors(int64_t neighbours) {
  constexpr double kSector = 8;
  return std::min(1.0, static_cast<double>(neighbours) / kSector);
}

Work column_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr int kRowsOfBlock = 32, kWarpsOfWholeRows = 4;
  constexpr int kResidentThreads = 1536;
  constexpr double kBest = 0.9;
  const ColumnSize size = meaning_of(kColumnSettings, setting);
  const int64_t capacity = int64_t{size.sharers} * size.per_thread;
  Work work;
  work.bytes = min_bytes(group);
  constexpr double kMerges = 2 * 4;  // of every sharer with every other
  work.lane_operations = pointwise_operations(group) +
                         static_cast<double>(axes.row_count) *
                             (20.0 * static_cast<double>(axes.column_count) + kMerges * size.sharers * size.sharers);
  // A thread goes through all the elements that it could keep, there or not: address, bound, exponential and store, an
  // issue slot each, of two FLOPs.
  constexpr double kShared = 55, kWhole = 25;  // where nobody waits for others
  const double of_place = size.sharers > 1 ? kShared : kWhole;
  const int64_t places = (axes.column_count + capacity - 1) / capacity * capacity;
  work.padded_flops = 2 * of_place * static_cast<double>(axes.row_count * places);
  if (axes.column_count > capacity) {
    work.extra_bytes = work.bytes / 2;
  }
  work.bandwidth_share = kBest * used_of_sectors(stride_of(group, axes));
  const int warps_of_rows = size.sharers > 1 ? 1 : kWarpsOfWholeRows;
  work.blocks = (axes.row_count + kRowsOfBlock * warps_of_rows - 1) / (kRowsOfBlock * warps_of_rows);
  work.threads_per_block = size.sharers * warps_of_rows * kRowsOfBlock;
  work.blocks_per_multiprocessor = std::max(1, kResidentThreads / work.threads_per_block);
  return work;
}

Work turned_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr int kRowsOfBlock = 32;
  constexpr int kLanesOfRow = 32;
  constexpr double kBest = 0.8;  // what turning alone reaches
  const int64_t capacity = int64_t{kLanesOfRow} * meaning_of(kTurnedSettings, setting).per_lane;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group) +
                         static_cast<double>(axes.row_count) * (24.0 * static_cast<double>(axes.column_count) + 1280);
  const double filled = std::min(1.0, static_cast<double>(axes.column_count) / static_cast<double>(capacity));
  work.bandwidth_share = kBest * (0.4 + 0.6 * filled);
  if (axes.column_count > capacity || !reads_along(group)) {
    work.extra_bytes = work.bytes / 2;
    work.bandwidth_share *= used_of_sectors(1) * 2;
  }
  work.blocks = (axes.row_count + kRowsOfBlock - 1) / kRowsOfBlock;
  work.blocks_per_multiprocessor = 5;
  return work;
}

class Softmax final : public KernelTemplate {
 public:
  const char* name() const override { return "softmax"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return (node.op == ir::Op::kSoftmax || node.op == ir::Op::kLogSoftmax) &&
           graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode) const override {
    std::vector<Setting> settings = row_settings();
    const RowAxes axes = axes_of(group);
    if (!is_strided(axes)) {
      const std::vector<Setting> shared = shared_row_settings(axes);
      settings.insert(settings.end(), shared.begin(), shared.end());
      const std::vector<Setting> held = held_row_settings(axes, limits);
      settings.insert(settings.end(), held.begin(), held.end());
      const std::vector<Setting> lanes = short_row_settings(axes.column_count);
      settings.insert(settings.end(), lanes.begin(), lanes.end());
    } else {
      for (const NamedSetting<ColumnSize>& named : kColumnSettings) {
        if (is_worth_trying(named.meaning, axes)) {
          settings.push_back({named.name, 1});
        }
      }
      for (const NamedSetting<TurnedRow>& named : kTurnedSettings) {
        settings.push_back({named.name, 1});
      }
    }
    return settings;
  }

  bool allows(const Group& group, const Setting& setting) const override {
    return allows_shared_row(setting) || is_held_row(setting) || allows_lanes(setting, axes_of(group).column_count) ||
           KernelTemplate::allows(group, setting);
  }

  Work work(const Group& group, const Setting& setting) const override {
    const RowAxes axes = axes_of(group);
    if (is_shared_row(setting)) {
      return shared_row_work(group, axes, setting);
    }
    if (is_held_row(setting)) {
      return held_row_work(group, axes, setting);
    }
    if (is_lanes(setting)) {
      return short_row_work(group, axes, setting);
    }
    if (is_named(kColumnSettings, setting.variant)) {
      Work work = column_work(group, axes, setting);
      if (reads_along(group)) {  // each element of a row is in a sector with others of its own
        work.bandwidth_share *= used_of_sectors(1) * 2;
      }
      return work;
    }
    if (is_named(kTurnedSettings, setting.variant)) {
      return turned_work(group, axes, setting);
    }
    Work work = row_work(group, axes, setting, 2);
    if (const int64_t stride = stride_of(group, axes); stride > 1) {
      // Every element of a row is in a sector of its own, of which other warps use the rest.
      work.bandwidth_share *= used_of_sectors(1) * 2;
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    const RowAxes axes = axes_of(group);
    const bool is_by_columns = is_named(kColumnSettings, setting.variant);
    const bool is_turned = is_named(kTurnedSettings, setting.variant);
    StepBuilder step(group);
    describe(step, is_by_columns, setting);
    step.describe("Bound: memory, one read and one write of every element.");
    const ir::ValueId input = ir::tensor_operand(group.root_node(), 0);
    STITCH_ASSIGN(const LoweredFunctor load, make_row_loader(step, input, axes, !is_by_columns));
    STITCH_ASSIGN(const LoweredFunctor store, make_store(step, axes, !is_by_columns && !is_turned));
    construct(step, load, "load");
    construct(step, store, "store");
    if (is_by_columns) {
      launch_columns(step, axes, meaning_of(kColumnSettings, setting));
    } else {
      add_row_shape(step, axes, {{&load, "load"}, {&store, "store"}});
      if (is_shared_row(setting)) {
        launch_shared(step, axes, setting);
      } else if (is_held_row(setting)) {
        launch_held(step, axes, setting);
      } else if (is_lanes(setting)) {
        launch_lanes(step, lanes_of(setting));
      } else if (is_turned) {
        launch_turned(step, meaning_of(kTurnedSettings, setting));
      } else {
        launch_rows(step, row_setting_size(setting));
      }
    }
    return step.take();
  }

 private:
  static void describe(StepBuilder& step, bool is_by_columns, const Setting& setting) {
    if (is_held_row(setting)) {
      step.include("kernels/softmax/held.cuh");
      step.describe("Access: blocks share a row; each keeps its part until the whole row is read.");
      return;
    }
    if (is_lanes(setting)) {
      step.include("kernels/softmax/lanes.cuh");
      step.describe("Access: some lanes of a warp share a row, of which each has four in flight, and keep them.");
      return;
    }
    if (is_named(kTurnedSettings, setting.variant)) {
      step.include("kernels/softmax/turned.cuh");
      step.describe(
          "Access: a warp reads the neighbouring elements of a row; a block turns 32 rows in shared memory and");
      step.describe("writes neighbouring rows.");
      return;
    }
    const bool is_shared = is_shared_row(setting);
    step.include(is_by_columns ? "kernels/softmax/column.cuh"
                 : is_shared   ? "kernels/softmax/shared.cuh"
                               : "kernels/softmax/row.cuh");
    step.describe(is_by_columns ? "Access: neighbouring threads read neighbouring rows and keep what they read; a row "
                                  "too long for that is read twice."
                  : is_shared   ? "Access: blocks share a row; each part is read twice, the second time from the cache."
                                : "Access: the threads of a row read neighbouring elements and keep them; a row too "
                                  "long for that is read twice.");
  }

  static void launch_shared(StepBuilder& step, const RowAxes& axes, const Setting& setting) {
    constexpr int64_t kAccumulatorBytes = 8;
    step.set_scratch_bytes(shared_row_scratch_bytes(axes, setting, kAccumulatorBytes));
    step.launch("return stitch::launch_softmax_shared<stitch::SoftmaxKind::{}>(", kind_of(step));
    step.launch("    load, store, shape, {}, args->scratch, stream);",
                step.extent("parts", setting.splits, "blocks that share a row"));
  }

  static void launch_held(StepBuilder& step, const RowAxes& axes, const Setting& setting) {
    constexpr int64_t kAccumulatorBytes = 8;
    step.set_scratch_bytes(held_row_scratch_bytes(axes, setting, kAccumulatorBytes));
    const RowSettingSize size = held_row_size(setting);
    const Expr threads = step.int_constant("threads_per_part", size.threads);
    const Expr kept = step.int_constant("elements_per_thread", size.per_thread);
    step.launch("return stitch::launch_softmax_held<stitch::SoftmaxKind::{}, {}, {}>(", kind_of(step), threads, kept);
    step.launch("    load, store, shape, args->scratch, stream);");
  }

  static Result<LoweredFunctor> make_store(StepBuilder& step, const RowAxes& axes, bool may_take_lanes) {
    const Group& group = step.group();
    const ir::ValueId output = group.root_node().outputs[0];
    const Domain domain(group.graph->type(output).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                           {{"row", axes.rows}, {"column", axes.columns}});
    builder.bind(output, domain.anchor_map(), may_take_lanes ? bound("value", "values[lane]") : bound("value"));
    STITCH_TRY(builder.store_results());
    return builder.finish({.comment = "Stores what follows from one element of the softmax.",
                           .lane_value = "value",
                           .may_take_lanes = may_take_lanes});
  }

  static const char* kind_of(const StepBuilder& step) {
    return step.group().root_node().op == ir::Op::kSoftmax ? "kSoftmax" : "kLogSoftmax";
  }

  static void launch_rows(StepBuilder& step, const RowSettingSize& size) {
    const Expr threads = step.int_constant("threads_per_row", size.threads);
    const Expr kept = step.int_constant("elements_per_thread", size.per_thread);
    step.launch("return stitch::launch_softmax<stitch::SoftmaxKind::{}, {}, {}>(load, store, shape, stream);",
                kind_of(step), threads, kept);
  }

  static void launch_lanes(StepBuilder& step, const RowLanes& lanes) {
    const Expr threads = step.int_constant("threads_per_row", lanes.of_row);
    const Expr kept = step.int_constant("elements_per_thread", lanes.per_thread);
    step.launch("return stitch::launch_softmax_lanes<stitch::SoftmaxKind::{}, {}, {}>(load, store, shape, stream);",
                kind_of(step), threads, kept);
  }

  static void launch_turned(StepBuilder& step, const TurnedRow& row) {
    const Expr kept = step.int_constant("elements_per_thread", row.per_lane);
    step.launch("return stitch::launch_softmax_turned<stitch::SoftmaxKind::{}, {}>(load, store, shape, stream);",
                kind_of(step), kept);
  }

  static void launch_columns(StepBuilder& step, const RowAxes& axes, const ColumnSize& size) {
    const Expr rows = step.extent("rows", axes.row_count);
    const Expr columns = step.extent("columns", axes.column_count);
    step.launch("const stitch::RowShape shape{{{}, {}, false}};", rows, columns);
    const Expr sharers = step.int_constant("warps_per_row", size.sharers);
    const Expr kept = step.int_constant("elements_per_thread", size.per_thread);
    step.launch("return stitch::launch_softmax_columns<stitch::SoftmaxKind::{}, {}, {}>(load, store, shape, stream);",
                kind_of(step), sharers, kept);
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_softmax() { return std::make_unique<Softmax>(); }

}  // namespace stitch::kernels
