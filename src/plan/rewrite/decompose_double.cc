// SPDX-License-Identifier: Apache-2.0
// Row kernels compute in float; of float64 the same rows are made of reductions and pointwise operators.
#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Attributes = std::vector<std::pair<std::string, ir::Attribute>>;

ValueId softmax(NodeChain& chain, const ir::Node& node) {
  const ValueId x = ir::tensor_operand(node, 0);
  const Attributes over_row = {{"dim", std::vector<int64_t>{ir::int_attribute(node, "dim")}}, {"keepdim", true}};
  const ValueId largest = chain.add(ir::Op::kAmax, {x}, "_largest", over_row);
  const ValueId shifted = chain.add(ir::Op::kSub, {x, largest}, "_shifted");
  const ValueId powers = chain.add(ir::Op::kExp, {shifted}, "_powers");
  const ValueId total = chain.add(ir::Op::kSum, {powers}, "_total", over_row);
  if (node.op == ir::Op::kSoftmax) {
    return chain.add(ir::Op::kDiv, {powers, total}, "");
  }
  const ValueId logarithm = chain.add(ir::Op::kLog, {total}, "_logarithm");
  return chain.add(ir::Op::kSub, {shifted, logarithm}, "");
}

ValueId layer_norm(NodeChain& chain, const ir::Node& node, size_t rank) {
  const ValueId x = ir::tensor_operand(node, 0);
  std::vector<int64_t> axes;
  for (size_t axis = rank - ir::ints_attribute(node, "normalized_shape").size(); axis < rank; ++axis) {
    axes.push_back(static_cast<int64_t>(axis));
  }
  const ValueId mean = chain.add(ir::Op::kMean, {x}, "_mean", {{"dim", axes}, {"keepdim", true}});
  const ValueId variance =
      chain.add(ir::Op::kVar, {x}, "_variance", {{"dim", axes}, {"correction", int64_t{0}}, {"keepdim", true}});
  const ValueId raised = chain.add(ir::Op::kAdd, {variance, Scalar{ir::double_attribute(node, "eps")}}, "_raised");
  const ValueId scale = chain.add(ir::Op::kRsqrt, {raised}, "_scale");
  const ValueId centred = chain.add(ir::Op::kSub, {x, mean}, "_centred");
  ValueId result = chain.add(ir::Op::kMul, {centred, scale}, "_normal");
  if (ir::is_tensor(node.operands[1])) {
    result = chain.add(ir::Op::kMul, {result, node.operands[1]}, "_weighted");
  }
  return ir::is_tensor(node.operands[2]) ? chain.add(ir::Op::kAdd, {result, node.operands[2]}, "") : result;
}

}  // namespace

Result<ir::Graph> decompose_double(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& old : graph.nodes) {
    const bool is_row = old.op == ir::Op::kSoftmax || old.op == ir::Op::kLogSoftmax || old.op == ir::Op::kLayerNorm;
    if (!is_row || graph.type(old.outputs[0]).dtype != DataType::kFloat64) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    const ir::Node node = copy.mapped(old);
    NodeChain chain(copy, graph.value(old.outputs[0]).name, old.location);
    const size_t rank = graph.type(old.outputs[0]).shape.size();
    const ValueId made = old.op == ir::Op::kLayerNorm ? layer_norm(chain, node, rank) : softmax(chain, node);
    STITCH_TRY(chain.result());
    copy.replace(old.outputs[0], made);
  }
  return copy.finish();
}

}  // namespace stitch::plan
