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
    NamedSetting<RowSharing>{"block_32", {32}},   NamedSetting<RowSharing>{"block_256", {256}},
    NamedSetting<RowSharing>{"block_128", {128}}, NamedSetting<RowSharing>{"block_512", {512}},
    NamedSetting<RowSharing>{"serial", {1}},      NamedSetting<RowSharing>{"split_256", {256, true}},
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
    const RowSharing sharing = sharing_of(kSettings, setting);
    const int threads = sharing.threads;
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
    const double best = threads >= 512 ? 0.86 : threads >= 128 ? 0.835 : 0.7;
    const double share = threads > 1 ? best * (0.5 + 0.5 * filled) : 0.7;
    work.bandwidth_share = is_coalesced ? share : 0.12;
    if (sharing.is_split) {
      work.launches = 2;
      work.extra_bytes = work.bytes / 2;
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

// Where elements are read and results are written that the scan does not meet as they lie.
struct Order {
  ir::ValueId read;
  ir::ValueId written;
  bool reads_backwards = false;
  bool reads_later = false;  // each element one place behind its own, and `first` before all
  bool writes_backwards = false;
  Literal first = {};
};

// Whether `node` turns over the axis of the scan and nothing else: a mirror at the edge of which only the image is
// left.
bool is_flip(const ir::Graph& graph, const ir::Node& node, int64_t dim) {
  if (node.op != ir::Op::kPad || ir::string_attribute(node, "mode") != "reflect") {
    return false;
  }
  const std::vector<int64_t>& shape = graph.type(node.outputs[0]).shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t moved = static_cast<int64_t>(axis) == dim ? shape[axis] - 1 : 0;
    if (ir::ints_attribute(node, "before")[axis] != moved || ir::ints_attribute(node, "after")[axis] != -moved) {
      return false;
    }
  }
  return true;
}

// Whether `node` moves everything along that axis by one place.
bool is_shift(const ir::Node& node, int64_t dim) {
  if (node.op != ir::Op::kPad || ir::string_attribute(node, "mode") != "constant") {
    return false;
  }
  const std::vector<int64_t>& before = ir::ints_attribute(node, "before");
  const std::vector<int64_t>& after = ir::ints_attribute(node, "after");
  for (size_t axis = 0; axis < before.size(); ++axis) {
    const int64_t moved = static_cast<int64_t>(axis) == dim ? 1 : 0;
    if (before[axis] != moved || after[axis] != -moved) {
      return false;
    }
  }
  return true;
}

Order order_of(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::Node& root = group.root_node();
  const int64_t dim = ir::int_attribute(root, "dim");
  Order order{ir::tensor_operand(root, 0), root.outputs[0]};
  if (group.computes(order.read)) {
    const ir::Node& node = graph.node(graph.value(order.read).producer);
    order.reads_backwards = is_flip(graph, node, dim);
    order.reads_later = is_shift(node, dim);
    if (order.reads_later) {
      order.first = literal(ir::double_attribute(node, "value"), graph.type(order.read).dtype);
    }
    if (order.reads_backwards || order.reads_later) {
      order.read = ir::tensor_operand(node, 0);
    }
  }
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    if (root.outputs.size() == 1 && is_flip(graph, node, dim) && ir::tensor_operand(node, 0) == root.outputs[0]) {
      order.writes_backwards = true;
      order.written = node.outputs[0];
    }
  }
  return order;
}

Result<LoweredFunctor> make_store(StepBuilder& step, const RowAxes& axes, const State& state, ir::ValueId written,
                                  bool lanes) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const Domain domain(graph.type(written).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  builder.bind(written, domain.anchor_map(), lanes ? bound("value", "values[lane]") : bound(state.value));
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

// What the launch is handed.
struct Operands {
  const char* load = "load";
  const char* store = "store";
};

// The functors again, called at other columns where the order asks for it.
Operands reorder(StepBuilder& step, const Order& order, const LoweredFunctor& load, const LoweredFunctor& store,
                 const Expr& columns) {
  Operands operands;
  if (order.reads_backwards || order.reads_later || order.writes_backwards) {
    step.include("kernels/scan/reordered.cuh");
  }
  if (order.reads_backwards) {
    operands.load = "reversed_load";
    step.launch("const stitch::ReversedLoad<{}> reversed_load{{load, {}}};", load.tree.name, columns);
  } else if (order.reads_later) {
    operands.load = "later_load";
    const ir::Graph& graph = *step.group().graph;
    step.launch("const stitch::LaterLoad<{}, {}> later_load{{load, {}}};", load.tree.name,
                element_type(graph, order.read), literal_expr(order.first));
  }
  if (order.writes_backwards) {
    operands.store = "reversed_store";
    step.launch("const stitch::ReversedStore<{}> reversed_store{{store, {}}};", store.tree.name, columns);
  }
  return operands;
}

// "const ScanShape shape{rows, columns, vectorised};" after the functors and the proof of `vectorised`.
Result<Operands> add_operands(StepBuilder& step, const RowAxes& axes, const State& state) {
  const Group& group = step.group();
  const Order order = order_of(group);
  const bool lanes = takes_lanes(*group.graph, group.root_node());
  const bool along_rows = lanes && is_innermost(axes);
  STITCH_ASSIGN(const LoweredFunctor load, along_rows ? make_row_loader(step, order.read, axes, true)
                                                      : make_element_loader(step, order.read, axes));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step, axes, state, order.written, along_rows));
  construct(step, load, "load");
  construct(step, store, "store");
  const Expr rows = step.extent("rows", axes.row_count);
  const Expr columns = step.extent("columns", axes.column_count);
  const Expr vectorised =
      along_rows ? prove_vectorised(step, columns, {{&load, "load"}, {&store, "store"}}) : named("false");
  step.launch("const stitch::ScanShape shape{{{}, {}, {}}};", rows, columns, vectorised);
  return reorder(step, order, load, store, columns);
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
  STITCH_ASSIGN(const Operands operands, add_operands(step, axes, state));
  if (is_serial) {
    step.launch("return stitch::launch_scan_serial<{}>({}, {}, shape, stream);", state.type, operands.load,
                operands.store);
    return step.take();
  }
  const Expr threads = step.int_constant("threads_per_row", sharing.threads);
  if (sharing.is_split) {
    step.set_scratch_bytes(axes.row_count * setting.splits * state.bytes);
    step.launch("return stitch::launch_scan_split<{}, {}>({}, {}, shape, {}, args->scratch, stream);", state.type,
                threads, operands.load, operands.store,
                step.extent("splits", setting.splits, "blocks that share a row"));
  } else {
    step.launch("return stitch::launch_scan_rows<{}, {}>({}, {}, shape, stream);", state.type, threads, operands.load,
                operands.store);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_scan() { return std::make_unique<Scan>(); }

}  // namespace stitch::kernels
