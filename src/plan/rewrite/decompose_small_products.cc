// SPDX-License-Identifier: Apache-2.0
// A product of a few rows and of little depth would leave most of any tile empty, and reads and writes as much as
// pointwise work: as such it joins its neighbours. One with a single column is a sum over rows, which is faster.
#include <algorithm>

#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

constexpr int64_t kMaxDepth = 4;
constexpr int64_t kMaxSide = 4;  // of the smaller side: so often each element of the other operand is read

bool is_small(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != ir::Op::kMatmul || graph.type(node.outputs[0]).dtype != DataType::kFloat32) {
    return false;
  }
  const std::vector<int64_t>& left = graph.type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& right = graph.type(ir::tensor_operand(node, 1)).shape;
  return left.size() > 2 && right.size() > 2 && left.back() <= kMaxDepth &&
         std::min(left[left.size() - 2], right.back()) <= kMaxSide;
}

bool has_one_column(const ir::Graph& graph, const ir::Node& node) {
  return node.op == ir::Op::kMatmul && graph.type(node.outputs[0]).dtype == DataType::kFloat32 &&
         graph.type(ir::tensor_operand(node, 1)).shape.size() > 1 &&
         graph.type(ir::tensor_operand(node, 0)).shape.size() > 1 && graph.type(node.outputs[0]).shape.back() == 1;
}

// The column laid along the rows, as the last axis of one element allows.
Result<void> decompose_column(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  const ir::Node node = copy.mapped(old);
  NodeChain chain(copy, from.value(old.outputs[0]).name, old.location);
  std::vector<int64_t> shape = copy.graph().type(ir::tensor_operand(node, 1)).shape;
  std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  const ValueId row = chain.add(ir::Op::kReshape, {node.operands[1]}, "_row", {{"shape", shape}});
  const ValueId terms = chain.add(ir::Op::kMul, {node.operands[0], row}, "_terms");
  const auto last = static_cast<int64_t>(from.type(old.outputs[0]).shape.size()) - 1;
  copy.replace(old.outputs[0],
               chain.add(ir::Op::kSum, {terms}, "", {{"dim", std::vector<int64_t>{last}}, {"keepdim", true}}));
  return chain.result();
}

// Element `position` of the depth: a column of the left operand, or a row of the right one.
ValueId at_depth(NodeChain& chain, ValueId operand, size_t axis, int64_t position, const std::string& suffix) {
  return chain.add(
      ir::Op::kSlice, {operand}, suffix,
      {{"dim", static_cast<int64_t>(axis)}, {"start", position}, {"end", position + 1}, {"step", int64_t{1}}});
}

Result<void> decompose_product(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  const ir::Node node = copy.mapped(old);
  NodeChain chain(copy, from.value(old.outputs[0]).name, old.location);
  const ValueId left = ir::tensor_operand(node, 0);
  const ValueId right = ir::tensor_operand(node, 1);
  const size_t left_rank = copy.graph().type(left).shape.size();
  const size_t right_rank = copy.graph().type(right).shape.size();
  const int64_t depth = copy.graph().type(left).shape.back();
  ValueId total;
  for (int64_t i = 0; i < depth; ++i) {
    const std::string number = std::to_string(i);
    const ValueId column = at_depth(chain, left, left_rank - 1, i, "_column_" + number);
    const ValueId row = at_depth(chain, right, right_rank - 2, i, "_row_" + number);
    const bool is_last = i + 1 == depth;
    const ValueId term = chain.add(ir::Op::kMul, {column, row}, i == 0 && is_last ? "" : "_term_" + number);
    total = i == 0 ? term : chain.add(ir::Op::kAdd, {total, term}, is_last ? "" : "_sum_" + number);
  }
  copy.replace(old.outputs[0], total);
  return chain.result();
}

}  // namespace

Result<ir::Graph> decompose_small_products(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (has_one_column(graph, node)) {
      STITCH_TRY(decompose_column(copy, graph, node));
    } else if (is_small(graph, node)) {
      STITCH_TRY(decompose_product(copy, graph, node));
    } else {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
