// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/reduce/columns_work.h"
#include "kernels/rows/element_functors.h"
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {
namespace {

// Elements: shorter parts do not repay a second launch. Few columns make few blocks, so theirs may be shorter.
constexpr int64_t kMinRowPartOfPositions = 4096;
constexpr int64_t kMinColumnPartOfPositions = 256;

// The accumulator's name and the member that holds the result of each operator it serves.
struct Accumulator {
  std::string type;  // with the element type
  int64_t bytes = 16;
};

bool is_largest(ir::Op op) { return op == ir::Op::kArgmax || op == ir::Op::kAmax; }
bool is_extreme(ir::Op op) {
  return op == ir::Op::kArgmax || op == ir::Op::kArgmin || op == ir::Op::kAmax || op == ir::Op::kAmin;
}

Accumulator accumulator_of(const ir::Graph& graph, const ir::Node& node) {
  const std::string element = element_type(graph, ir::tensor_operand(node, 0));
  if (is_extreme(node.op)) {
    return {fmt::format("stitch::ArgAccumulator<{}, {}>", element, is_largest(node.op)), 16};
  }
  return {fmt::format("stitch::Exact{}Accumulator<{}>", node.op == ir::Op::kSum ? "Sum" : "Product", element), 8};
}

// The member of the accumulator that holds it.
const char* result_name(ir::Op op) {
  if (op == ir::Op::kArgmax || op == ir::Op::kArgmin) {
    return "total.index";
  }
  return op == ir::Op::kSum ? "total.sum" : op == ir::Op::kProd ? "total.product" : "total.value";
}

// The reductions of the group that one pass serves: an extreme and its position go together.
std::vector<ir::NodeId> positions_of(const Group& group) {
  std::vector<ir::NodeId> result;
  const ir::Node& root = group.root_node();
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    const bool is_same_pass = node.op == root.op || (is_extreme(node.op) && is_extreme(root.op) &&
                                                     is_largest(node.op) == is_largest(root.op));
    if (is_same_pass && node.operands == root.operands &&
        ir::ints_attribute(node, "dim") == ir::ints_attribute(root, "dim")) {
      result.push_back(id);
    }
  }
  return result;
}

constexpr std::array kInnermostSettings = {
    NamedSetting<RowSharing>{"rows_32", {32}},
    NamedSetting<RowSharing>{"rows_256", {256}},
    NamedSetting<RowSharing>{"rows_1", {1}},
    NamedSetting<RowSharing>{"split_256", {256, true}},
};
constexpr std::array kOuterSettings = {
    NamedSetting<RowSharing>{"columns_32", {32, false, true}},
    NamedSetting<RowSharing>{"columns_16", {16, false, true}},
    NamedSetting<RowSharing>{"columns_8", {8, false, true}},
    NamedSetting<RowSharing>{"rows_1", {1}},
    NamedSetting<RowSharing>{"columns_split_8", {8, true, true}},
    NamedSetting<RowSharing>{"rows_32", {32}},
    NamedSetting<RowSharing>{"split_256", {256, true}},
};

SharingTable settings_of_positions(const Group& group) {
  return reduces_innermost(group, reduced_axes(group)) ? SharingTable(kInnermostSettings)
                                                       : SharingTable(kOuterSettings);
}

Work position_rows_work(const Group& group, const RowAxes& axes, int threads, int64_t splits) {
  constexpr int kMinBlock = 128;
  Work work;
  work.threads_per_block = std::max(threads, kMinBlock);
  work.blocks = (axes.row_count * threads + work.threads_per_block - 1) / work.threads_per_block * splits;
  work.blocks_per_multiprocessor = 2048 / work.threads_per_block;
  // One thread a row reads whole sectors only where neighbouring rows are neighbours in memory; alone with a column of
  // 4,096 it reached 0.7 of an H100's bandwidth.
  const bool is_innermost = reduces_innermost(group, axes);
  const bool is_coalesced = (threads > 1) == is_innermost;
  work.bandwidth_share = is_coalesced ? (is_innermost ? 0.75 : 0.7) : 0.12;
  return work;
}

class ReducePositions final : public KernelTemplate {
 public:
  const char* name() const override { return "reduce_positions"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    if (node.op == ir::Op::kArgmax || node.op == ir::Op::kArgmin || node.op == ir::Op::kProd) {
      return true;
    }
    const bool is_exact = node.op == ir::Op::kSum || node.op == ir::Op::kAmax || node.op == ir::Op::kAmin;
    return is_exact && !is_floating_point(graph.type(node.outputs[0]).dtype);
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    const RowAxes axes = reduced_axes(group);
    const int64_t least = reduces_innermost(group, axes) ? kMinRowPartOfPositions : kMinColumnPartOfPositions;
    return sharing_settings(settings_of_positions(group), axes, least, {4, 16, 64, 256});
  }

  bool allows(const Group& group, const Setting& setting) const override {
    constexpr int64_t kMaxSplits = 256;
    return allows_sharing(settings_of_positions(group), setting, kMaxSplits);
  }

  Work work(const Group& group, const Setting& setting) const override {
    const RowAxes axes = reduced_axes(group);
    const auto [threads, is_split, takes_neighbours] = sharing_of(settings_of_positions(group), setting);
    Work work = takes_neighbours
                    ? columns_work(axes, lanes_apart(axes, setting.splits), threads, setting.splits, kMergeOfPairs)
                    : position_rows_work(group, axes, threads, setting.splits);
    work.bytes = min_bytes(group);
    constexpr double kPerElement = 6;
    constexpr double kMerge = 40;
    work.lane_operations = pointwise_operations(group) +
                           kPerElement * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count) +
                           kMerge * static_cast<double>(axes.row_count * (threads > 1 ? threads : 0) * setting.splits);
    work.launches = is_split ? 2 : 1;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<LoweredFunctor> make_position_store(StepBuilder& step, const Accumulator& accumulator) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const Domain domain(graph.type(group.root_node().outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"row", split_axes(domain.shape(), {}).rows}});
  for (const ir::NodeId id : positions_of(group)) {
    const ir::Node& node = graph.node(id);
    if (graph.type(node.outputs[0]).shape != domain.shape()) {
      return failure(ErrorCode::kUnsupportedOperator, "reductions of one step must have results of one shape");
    }
    const bool is_position = node.op == ir::Op::kArgmax || node.op == ir::Op::kArgmin;
    if (!is_position && graph.type(node.outputs[0]).dtype != graph.type(ir::tensor_operand(node, 0)).dtype) {
      return failure(ErrorCode::kUnsupportedOperator, std::string(to_string(node.op)) + " changes the element type",
                     node.location);
    }
    builder.bind(node.outputs[0], domain.anchor_map(), bound(result_name(node.op)));
  }
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one finished reduction.",
                         .extra_parameters = fmt::format("const {}& total", accumulator.type)});
}

const char* access_of(const RowSharing& sharing) {
  if (sharing.takes_neighbours) {
    return "Access: neighbouring threads read neighbouring rows, four each where there are many, and walk down their "
           "columns of elements.";
  }
  return sharing.threads > 1 ? "Access: the threads of a row read neighbouring elements."
                             : "Access: neighbouring threads read neighbouring rows.";
}

Result<StepDraft> ReducePositions::draft(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const RowAxes axes = reduced_axes(group);
  const Accumulator accumulator = accumulator_of(*group.graph, node);
  StepBuilder step(group);
  const RowSharing sharing = sharing_of(settings_of_positions(group), setting);
  step.include(sharing.takes_neighbours ? "kernels/reduce/position_columns.cuh" : "kernels/reduce/positions.cuh");
  step.describe(access_of(sharing));
  step.describe("Bound: memory, one read of every element.");
  STITCH_ASSIGN(const LoweredFunctor load, make_element_loader(step, ir::tensor_operand(node, 0), axes));
  STITCH_ASSIGN(const LoweredFunctor store, make_position_store(step, accumulator));
  construct(step, load, "load");
  construct(step, store, "store");
  const Expr reduced = step.extent("reduced", axes.column_count, "elements that make one result");
  const Expr kept = step.extent("kept", axes.row_count, "results");
  const Expr threads = step.int_constant("threads_per_row", sharing.threads);
  const char* columns = sharing.takes_neighbours ? "position_columns" : "positions";
  if (sharing.is_split) {
    step.set_scratch_bytes(axes.row_count * setting.splits * accumulator.bytes);
    step.launch("return stitch::launch_reduce_{}_split<{}, {}>(", columns, accumulator.type, threads);
    step.launch("    load, store, {}, {}, {}, args->scratch, stream);", kept, reduced,
                step.extent("splits", setting.splits, "blocks that share a row"));
  } else {
    step.launch("return stitch::launch_reduce_{}<{}, {}>(", columns, accumulator.type, threads);
    step.launch("    load, store, {}, {}, stream);", kept, reduced);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_reduce_positions() { return std::make_unique<ReducePositions>(); }

}  // namespace stitch::kernels
