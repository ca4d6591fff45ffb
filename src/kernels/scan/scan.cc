// SPDX-License-Identifier: Apache-2.0
#include "kernels/scan/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/rows/element_functors.h"
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMinPart = 4096;  // elements: shorter parts do not repay a second read

constexpr std::array kSettings = {
    NamedSetting<RowSharing>{"block_32", {32}},
    NamedSetting<RowSharing>{"block_256", {256}},
    NamedSetting<RowSharing>{"block_128", {128}},
    NamedSetting<RowSharing>{"serial", {1}},
    NamedSetting<RowSharing>{"split_256", {256, true}},
};

RowAxes axes_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return split_axes(group.graph->type(node.outputs[0]).shape, {ir::int_attribute(node, "dim")});
}

bool is_innermost(const RowAxes& axes) { return axes.rows.empty() || axes.columns.front() > axes.rows.back(); }

struct State {
  std::string type;
  std::string value;  // of the result, from `total`
  int64_t bytes = 8;
};

State state_of(const ir::Graph& graph, const ir::Node& node) {
  const std::string element = element_type(graph, ir::tensor_operand(node, 0));
  if (node.op == ir::Op::kCumsum || node.op == ir::Op::kCumprod) {
    return {fmt::format("stitch::{}Scan<{}>", node.op == ir::Op::kCumsum ? "Sum" : "Product", element), "total.value",
            8};
  }
  if (node.op == ir::Op::kLogcumsumexp) {
    return {"stitch::LogSumExpScan", "total.total.value()", 8};
  }
  return {fmt::format("stitch::ExtremeScan<{}, {}>", element, node.op == ir::Op::kCummax), "total.value", 16};
}

// Sums and products of floats: their functors are those of rows, which take four elements at once.
bool takes_lanes(const ir::Graph& graph, const ir::Node& node) {
  return (node.op == ir::Op::kCumsum || node.op == ir::Op::kCumprod) &&
         element_type(graph, ir::tensor_operand(node, 0)) == "float" &&
         is_floating_point(graph.type(ir::tensor_operand(node, 0)).dtype);
}

class Scan final : public KernelTemplate {
 public:
  const char* name() const override { return "scan"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const bool is_scan = node.op == ir::Op::kCumsum || node.op == ir::Op::kCumprod || node.op == ir::Op::kCummax ||
                         node.op == ir::Op::kCummin;
    return is_scan || (node.op == ir::Op::kLogcumsumexp && graph.type(node.outputs[0]).dtype != DataType::kFloat64);
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    return sharing_settings(kSettings, axes_of(group), kMinPart, {4, 16, 64});
  }

  bool allows(const Group&, const Setting& setting) const override {
    constexpr int64_t kMaxSplits = 64;
    return allows_sharing(kSettings, setting, kMaxSplits);
  }

  Work work(const Group& group, const Setting& setting) const override {
    const RowAxes axes = axes_of(group);
    const auto [threads, is_split] = sharing_of(kSettings, setting);
    const auto elements = static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
    Work work;
    work.bytes = min_bytes(group);
    constexpr double kPerElement = 16;
    constexpr int64_t kPerThread = 16;
    // Every chunk costs each thread a scan over the block, whether it has elements or not.
    constexpr double kPerChunk = 120;
    const int64_t chunk = threads * kPerThread;
    const auto chunks = static_cast<double>((axes.column_count + chunk - 1) / chunk);
    work.lane_operations = pointwise_operations(group) + kPerElement * elements;
    if (threads > 1) {
      work.lane_operations += kPerChunk * chunks * static_cast<double>(axes.row_count * threads);
    }
    constexpr int kSerialThreads = 128;
    work.threads_per_block = threads > 1 ? threads : kSerialThreads;
    work.blocks = threads > 1 ? axes.row_count * setting.splits : axes.row_count / kSerialThreads + 1;
    work.blocks_per_multiprocessor = std::min(32, 1536 / work.threads_per_block);
    const bool is_coalesced = (threads > 1) == is_innermost(axes);
    // A block of one warp waits for each of its chunks before it asks for the next; more warps are at different places.
    const double filled = static_cast<double>(axes.column_count) / (chunks * static_cast<double>(chunk));
    const double share = threads > 1 ? (threads >= 128 ? 0.85 : 0.7) * (0.5 + 0.5 * filled) : 0.7;
    work.bandwidth_share = is_coalesced ? share : 0.12;
    if (is_split) {
      work.launches = 2;
      work.extra_bytes = work.bytes / 2;
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<LoweredFunctor> make_store(StepBuilder& step, const RowAxes& axes, const State& state, bool lanes) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const Domain domain(graph.type(node.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  builder.bind(node.outputs[0], domain.anchor_map(), lanes ? bound("value", "values[lane]") : bound(state.value));
  if (node.outputs.size() > 1) {
    builder.bind(node.outputs[1], domain.anchor_map(), bound("total.index"));
  }
  STITCH_TRY(builder.store_results());
  const char* comment = "Stores what follows from the elements up to one.";
  if (lanes) {
    return builder.finish({.comment = comment, .lane_value = "value", .may_take_lanes = true});
  }
  return builder.finish({.comment = comment, .extra_parameters = fmt::format("const {}& total", state.type)});
}

// "const ScanShape shape{rows, columns, vectorised};" after the functors and the proof of `vectorised`.
Result<void> add_operands(StepBuilder& step, const RowAxes& axes, const State& state) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const ir::ValueId input = ir::tensor_operand(node, 0);
  const bool lanes = takes_lanes(*group.graph, node);
  const bool along_rows = lanes && is_innermost(axes);
  STITCH_ASSIGN(const LoweredFunctor load, along_rows ? make_row_loader(step, input, axes, true)
                                                      : make_element_loader(step, input, axes));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step, axes, state, along_rows));
  construct(step, load, "load");
  construct(step, store, "store");
  const Expr rows = step.extent("rows", axes.row_count);
  const Expr columns = step.extent("columns", axes.column_count);
  const Expr vectorised =
      along_rows ? prove_vectorised(step, columns, {{&load, "load"}, {&store, "store"}}) : named("false");
  step.launch("const stitch::ScanShape shape{{{}, {}, {}}};", rows, columns, vectorised);
  return {};
}

Result<StepDraft> Scan::draft(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const RowAxes axes = axes_of(group);
  const State state = state_of(*group.graph, node);
  StepBuilder step(group);
  step.include("kernels/scan/row.cuh");
  const RowSharing sharing = sharing_of(kSettings, setting);
  const bool is_serial = sharing.threads == 1;
  step.describe(is_serial
                    ? "Access: neighbouring threads walk down neighbouring rows."
                    : "Access: the threads of a row read neighbouring elements and pass on what stands before them.");
  step.describe("Bound: memory, one read and one write of every element.");
  STITCH_TRY(add_operands(step, axes, state));
  if (is_serial) {
    step.launch("return stitch::launch_scan_serial<{}>(load, store, shape, stream);", state.type);
    return step.take();
  }
  const Expr threads = step.int_constant("threads_per_row", sharing.threads);
  if (sharing.is_split) {
    step.set_scratch_bytes(axes.row_count * setting.splits * state.bytes);
    step.launch("return stitch::launch_scan_split<{}, {}>(load, store, shape, {}, args->scratch, stream);", state.type,
                threads, step.extent("splits", setting.splits, "blocks that share a row"));
  } else {
    step.launch("return stitch::launch_scan_rows<{}, {}>(load, store, shape, stream);", state.type, threads);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_scan() { return std::make_unique<Scan>(); }

}  // namespace stitch::kernels
