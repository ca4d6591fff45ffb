// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/accumulator.h"

#include <algorithm>
#include <set>

#include "ir/graph/op.h"
namespace stitch::kernels {
namespace {

constexpr AccumulatorKind kSum{"SumAccumulator", 4, true};
constexpr AccumulatorKind kMax{"MaxAccumulator", 4, false};
constexpr AccumulatorKind kMin{"MinAccumulator", 4, false};
constexpr AccumulatorKind kWelford{"WelfordAccumulator", 12, false};
constexpr AccumulatorKind kLogSumExp{"LogSumExpAccumulator", 8, false};

bool serves(const AccumulatorKind& kind, ir::Op op) {
  if (&kind == &kSum) {
    return op == ir::Op::kSum || op == ir::Op::kMean;
  }
  if (&kind == &kWelford) {
    return op == ir::Op::kMean || op == ir::Op::kVar;
  }
  if (&kind == &kLogSumExp) {
    return op == ir::Op::kLogsumexp;
  }
  return op == (&kind == &kMax ? ir::Op::kAmax : ir::Op::kAmin);
}

}  // namespace

bool is_reduction(const ir::Node& node) {
  return node.op == ir::Op::kSum || node.op == ir::Op::kMean || node.op == ir::Op::kAmax || node.op == ir::Op::kAmin ||
         node.op == ir::Op::kVar || node.op == ir::Op::kLogsumexp;
}

std::vector<ir::NodeId> reductions_of(const Group& group, const ir::Node& first) {
  std::vector<ir::NodeId> result;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (is_reduction(node) && node.operands == first.operands &&
        ir::ints_attribute(node, "dim") == ir::ints_attribute(first, "dim")) {
      result.push_back(id);
    }
  }
  return result;
}

std::vector<ir::NodeId> reductions_of(const Group& group) { return reductions_of(group, group.root_node()); }

std::vector<ir::NodeId> reductions_behind(const Group& group, const ir::Node& first,
                                          const std::vector<ir::ValueId>& results) {
  const ir::Graph& graph = *group.graph;
  std::set<ir::ValueId> needed(results.begin(), results.end());
  for (auto id = group.nodes.rbegin(); id != group.nodes.rend(); ++id) {
    const ir::Node& node = graph.node(*id);
    const bool is_needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](ir::ValueId output) { return needed.count(output) > 0; });
    for (const ir::Operand& operand : node.operands) {
      if (is_needed && ir::is_tensor(operand)) {
        needed.insert(std::get<ir::ValueId>(operand));
      }
    }
  }
  std::vector<ir::NodeId> behind = reductions_of(group, first);
  behind.erase(std::remove_if(behind.begin(), behind.end(),
                              [&](ir::NodeId id) { return needed.count(graph.node(id).outputs[0]) == 0; }),
               behind.end());
  return behind;
}

Result<AccumulatorKind> choose_accumulator(const ir::Graph& graph, const std::vector<ir::NodeId>& reductions) {
  for (const AccumulatorKind* kind : {&kSum, &kMax, &kMin, &kWelford, &kLogSumExp}) {
    if (std::all_of(reductions.begin(), reductions.end(),
                    [&](ir::NodeId id) { return serves(*kind, graph.node(id).op); })) {
      return *kind;
    }
  }
  return failure(ErrorCode::kUnsupportedOperator, "these reductions do not share an accumulator");
}

Expr AccumulatorKind::result(const ir::Node& node, const Expr& count) const {
  const Expr sum_of_all = bound("total.sum", "totals[lane].sum");
  if (node.op == ir::Op::kMean) {
    return needs_count ? binary(BinaryOp::kDivide, sum_of_all, count) : bound("total.mean", "totals[lane].mean");
  }
  if (node.op == ir::Op::kSum) {
    return sum_of_all;
  }
  if (node.op == ir::Op::kLogsumexp) {
    return method_call(bound("total", "totals[lane]"), "value", {});
  }
  if (node.op == ir::Op::kVar) {
    const auto correction = static_cast<double>(ir::int_attribute(node, "correction"));
    return method_call(bound("total", "totals[lane]"), "variance", {literal_expr(float_literal(correction))});
  }
  return bound("total.value", "totals[lane].value");
}

bool AccumulatorKind::has_moments() const { return std::string(type) == kWelford.type; }

}  // namespace stitch::kernels
