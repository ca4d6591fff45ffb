// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/conv/window.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/pool/planes.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

using ir::Op;

bool is_adaptive(const ir::Node& node) {
  switch (node.op) {
    case Op::kAdaptiveAvgPool2d:
    case Op::kAdaptiveAvgPool3d:
    case Op::kAdaptiveMaxPool2d:
    case Op::kAdaptiveMaxPool3d:
    case Op::kAdaptiveMaxPool2dWithIndices:
    case Op::kAdaptiveMaxPool3dWithIndices:
      return true;
    default:
      return false;
  }
}

bool is_average(ir::Op op) {
  return op == Op::kAvgPool2d || op == Op::kAvgPool3d || op == Op::kAdaptiveAvgPool2d || op == Op::kAdaptiveAvgPool3d;
}

bool is_max(const ir::Node& node) { return !is_average(node.op); }
bool gives_indices(const ir::Node& node) { return node.outputs.size() > 1; }

bool is_pool(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && def->family == ir::OpFamily::kPool;
}

size_t axes_of(const ir::Node& node) {
  return ir::ints_attribute(node, is_adaptive(node) ? "output_size" : "kernel_size").size();
}

WindowNumbers window_of(const ir::Node& node) {
  WindowNumbers window{ir::ints_attribute(node, "kernel_size"),
                       ir::ints_attribute(node, "stride"),
                       ir::ints_attribute(node, "padding"),
                       {}};
  window.dilation = is_max(node) ? ir::ints_attribute(node, "dilation") : std::vector<int64_t>(window.axes(), 1);
  return window;
}

// Rows of the output that a thread joins at once; 0: one thread per output.
constexpr std::array kSettings = {
    NamedSetting<int64_t>{"thread_per_output", 0}, NamedSetting<int64_t>{"tiles_1", 1},
    NamedSetting<int64_t>{"tiles_2", 2},           NamedSetting<int64_t>{"tiles_4", 4},
    NamedSetting<int64_t>{"tiles_8", 8},
};

int64_t rows_of(const Setting& setting) { return meaning_of(kSettings, setting); }

// One number of each axis, the innermost axis 0; those that a window does not have are `missing`.
int64_t along(const std::vector<int64_t>& numbers, size_t axis, int64_t missing = 1) {
  return axis < numbers.size() ? numbers[numbers.size() - 1 - axis] : missing;
}

// A pool by windows, seen as rows of the input that are joined to rows of the output.
struct Windows {
  WindowNumbers numbers;
  std::vector<int64_t> in;
  std::vector<int64_t> out;

  int64_t reach(size_t axis) const { return (along(numbers.kernel, axis) - 1) * along(numbers.dilation, axis, 1); }
  int64_t out_height() const { return numbers.axes() > 1 ? along(out, 1) : 1; }
  int64_t width() const { return in.back(); }
  // Under `rows` of the output.
  int64_t input_rows(int64_t rows) const { return (rows - 1) * along(numbers.stride, 1) + reach(1) + 1; }
  // Of `rows` rows each, in all planes and layers.
  double groups(int64_t rows) const {
    double layers = 1;
    for (size_t axis = 0; axis < out.size(); ++axis) {
      const size_t inner = out.size() - 1 - axis;
      layers *= inner == 0 || (inner == 1 && numbers.axes() > 1) ? 1.0 : static_cast<double>(out[axis]);
    }
    return layers * static_cast<double>((out_height() + rows - 1) / rows);
  }
};

Windows windows_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return {window_of(node), group.graph->type(ir::tensor_operand(node, 0)).shape,
          group.graph->type(node.outputs[0]).shape};
}

// Several rows at once read less twice, where windows overlap; windows that are high keep a thread busy with one.
bool is_tile_worth_trying(const Windows& windows, int64_t rows) {
  constexpr int64_t kMostLoads = 32;   // all of them are written out, and in flight at once
  constexpr int64_t kMostReach = 127;  // of the skeleton
  constexpr int64_t kHigh = 8;
  const int64_t height = along(windows.numbers.kernel, 1);
  const int64_t loads = along(windows.numbers.kernel, 2) * windows.input_rows(rows);
  if (windows.reach(0) > kMostReach || loads > kMostLoads || rows > windows.out_height()) {
    return false;
  }
  if (rows == 1 || height >= kHigh) {
    return rows == 1 && (windows.out_height() == 1 || height >= kHigh);
  }
  return rows < 8 || (along(windows.numbers.stride, 1) == 1 && height > 1);
}

// What a thread does beside the counted work, mostly on indices, where that takes longer than memory does: as bytes
// that would take as long.
void add_overhead(Work& work, double lane_operations) {
  constexpr double kOperationsPerByte = 6;  // of an H200, in the same time
  const double bytes = lane_operations / kOperationsPerByte * work.bandwidth_share;
  work.extra_bytes = std::max(work.extra_bytes, bytes - work.bytes);
}

Work tile_work(const Group& group, int64_t rows) {
  constexpr int kThreads = 256;
  constexpr int64_t kLanes = 4;
  constexpr double kReadAgain = 0.25;  // what an element costs that another block has read: the cache has it
  constexpr double kPerLoad = 4;       // lane operations
  constexpr double kPerOperand = 12;
  constexpr double kPerJoin = 3;
  constexpr double kPerTap = 5;
  constexpr double kPerOutput = 20;
  const Windows windows = windows_of(group);
  const auto outputs = static_cast<double>(group.graph->type(group.root_node().outputs[0]).element_count());
  const auto inputs = static_cast<double>(group.graph->type(ir::tensor_operand(group.root_node(), 0)).element_count());
  const auto width = static_cast<double>(windows.width());
  const auto depth = static_cast<double>(along(windows.numbers.kernel, 2));
  const auto joins = static_cast<double>(rows * along(windows.numbers.kernel, 1));
  const double loads = windows.groups(rows) * width * depth * static_cast<double>(windows.input_rows(rows));
  Work work;
  work.bytes = min_bytes(group);
  work.extra_bytes = kReadAgain * sizeof(float) * std::max(0.0, loads - inputs);
  const double taps = outputs * static_cast<double>(along(windows.numbers.kernel, 0));
  const double joined = windows.groups(rows) * width * depth * joins;
  work.lane_operations = pointwise_operations(group) + joined + taps;
  const bool has_lanes = windows.width() % kLanes == 0;
  const auto vectors = static_cast<double>((windows.width() + (has_lanes ? kLanes : 1) - 1) / (has_lanes ? kLanes : 1));
  work.blocks = static_cast<int64_t>(windows.groups(rows) * vectors / kThreads) + 1;
  work.blocks_per_multiprocessor = 5;
  work.bandwidth_share = has_lanes ? 0.85 : 0.45;                      // one element at a time leaves memory waiting
  const auto beside = static_cast<double>(group.operands.size() - 1);  // what the elements are computed with
  add_overhead(work, pointwise_operations(group) + (kPerLoad + kPerOperand * beside) * loads + kPerJoin * joined +
                         kPerTap * taps + kPerOutput * outputs);
  return work;
}

Work output_work(const Group& group) {
  constexpr int kThreads = 256;
  constexpr double kPerTapOfMax = 22;
  constexpr double kPerTapOfAverage = 80;  // its loops are not written out
  const ir::Graph& graph = *group.graph;
  const ir::Node& root = group.root_node();
  const auto outputs = static_cast<double>(graph.type(root.outputs[0]).element_count());
  const auto inputs = static_cast<double>(graph.type(ir::tensor_operand(root, 0)).element_count());
  const double taps = is_adaptive(root) ? inputs : outputs * static_cast<double>(window_of(root).taps());
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group) + 2 * taps;
  work.blocks = static_cast<int64_t>(outputs) / kThreads + 1;
  work.blocks_per_multiprocessor = 8;
  work.bandwidth_share = 0.7;
  if (!is_adaptive(root)) {
    add_overhead(work, pointwise_operations(group) + (is_max(root) ? kPerTapOfMax : kPerTapOfAverage) * taps);
  }
  return work;
}

class Pool final : public KernelTemplate {
 public:
  const char* name() const override { return "pool"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return is_pool(node) && is_floating_point(dtype) && dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    const bool has_tiles = !is_adaptive(group.root_node()) && !gives_indices(group.root_node());
    return settings_where(kSettings, [&](int64_t rows) {
      return rows == 0 || (has_tiles && is_tile_worth_trying(windows_of(group), rows));
    });
  }

  Work work(const Group& group, const Setting& setting) const override {
    return rows_of(setting) == 0 ? output_work(group) : tile_work(group, rows_of(setting));
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    const ir::Node& node = group.root_node();
    const std::vector<int64_t>& in = group.graph->type(ir::tensor_operand(node, 0)).shape;
    const std::vector<int64_t>& out = group.graph->type(node.outputs[0]).shape;
    const int64_t rows = rows_of(setting);
    StepBuilder step(group);
    describe(step, rows);
    STITCH_ASSIGN(const LoweredFunctor load, make_plane_load(step, axes_of(node), rows > 0));
    STITCH_ASSIGN(const LoweredFunctor store, make_plane_store(step, axes_of(node)));
    construct(step, load, "load");
    construct(step, store, "store");
    add_pool_shape(step, in, out, axes_of(node));
    if (rows == 0) {
      step.launch("return stitch::launch_{}(load, store, shape, stream);", skeleton(node));
    } else {
      const Expr vectorised = prove_vectorised(step, named("shape.width"), {{&load, "load"}});
      const Expr at_once = step.int_constant("rows_per_thread", static_cast<int>(rows));
      step.launch("return stitch::launch_{}, {}>(load, store, shape, {}, stream);", tile_skeleton(node), at_once,
                  vectorised);
    }
    return step.take();
  }

 private:
  static void describe(StepBuilder& step, int64_t rows) {
    const bool by_outputs = rows == 0;
    step.include(is_adaptive(step.group().root_node()) ? "kernels/pool/adaptive.cuh"
                 : by_outputs                          ? "kernels/pool/window.cuh"
                                                       : "kernels/pool/tile.cuh");
    step.describe(
        by_outputs
            ? "Access: one thread per output, neighbouring threads along its row; overlapping windows meet in cache."
            : "Access: a block reads its part of the input once, 16 bytes at a time where alignment allows; windows "
              "are joined down the columns in registers, and along the rows in shared memory.");
    step.describe("Bound: memory, one read of the input and one write of the output.");
  }

  static std::string window_text(const ir::Node& node) {
    return window_type(axes_of(node) == 3 ? "stitch::Window3d" : "stitch::Window2d", window_of(node));
  }

  // "stitch::PoolDivisor::kWithPadding, 0": what an average divides by.
  static std::string divisor_text(const ir::Node& node) {
    return fmt::format("stitch::PoolDivisor::{}, {}",
                       ir::bool_attribute(node, "count_include_pad") ? "kWithPadding" : "kInsideInput",
                       ir::int_attribute(node, "divisor_override"));
  }

  static std::string skeleton(const ir::Node& node) {
    const char* indices = gives_indices(node) ? ", true" : "";
    if (is_adaptive(node)) {
      return fmt::format("adaptive_{}_pool<{}{}>", is_max(node) ? "max" : "average", axes_of(node), indices);
    }
    if (is_max(node)) {
      return fmt::format("max_pool<{}{}>", window_text(node), indices);
    }
    return fmt::format("average_pool<{}, {}>", window_text(node), divisor_text(node));
  }

  // Its last parameter, the rows of a thread, is missing.
  static std::string tile_skeleton(const ir::Node& node) {
    return is_max(node) ? fmt::format("max_pool_tiles<{}", window_text(node))
                        : fmt::format("average_pool_tiles<{}, {}", window_text(node), divisor_text(node));
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pool() { return std::make_unique<Pool>(); }

}  // namespace stitch::kernels
