// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ir/graph/op.h"
#include "kernels/attention/limits.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::Scalar;
using ir::ValueId;

// [rows, columns] of true where row i may look at column j <= i.
ValueId causal_mask(NodeChain& chain, int64_t rows, int64_t columns) {
  const ValueId ones =
      chain.add(ir::Op::kFull, {}, "_ones",
                {{"shape", std::vector<int64_t>{rows, columns}}, {"value", 1.0}, {"dtype", DataType::kBool}});
  return chain.add(ir::Op::kTril, {ones}, "_causal", {{"diagonal", int64_t{0}}});
}

// left [..., h, m, k] times right [..., g, k, n], where each of the g heads of `right` serves h / g of `left`.
ValueId shared_heads_product(NodeChain& chain, ValueId left, ValueId right, const std::string& suffix) {
  if (left.index < 0 || right.index < 0) {
    return {};  // the chain has failed before
  }
  const std::vector<int64_t> shape = chain.graph().type(left).shape;
  std::vector<int64_t> right_shape = chain.graph().type(right).shape;
  if (shape.size() < 3 || shape[shape.size() - 3] == right_shape[right_shape.size() - 3]) {
    return chain.add(ir::Op::kMatmul, {left, right}, suffix);
  }
  const int64_t groups = right_shape[right_shape.size() - 3];
  std::vector<int64_t> left_shape = shape;
  left_shape[shape.size() - 3] = groups;
  left_shape.insert(left_shape.end() - 2, shape[shape.size() - 3] / groups);
  right_shape.insert(right_shape.end() - 2, 1);
  const ValueId grouped = chain.add(ir::Op::kReshape, {left}, suffix + "_grouped", {{"shape", left_shape}});
  const ValueId shared = chain.add(ir::Op::kReshape, {right}, suffix + "_shared", {{"shape", right_shape}});
  const ValueId product = chain.add(ir::Op::kMatmul, {grouped, shared}, suffix + "_by_group");
  std::vector<int64_t> result_shape = shape;
  result_shape.back() = right_shape.back();
  return chain.add(ir::Op::kReshape, {product}, suffix, {{"shape", result_shape}});
}

// The mixture, but zero for rows all of whose scores are barred: their softmax is not a number.
ValueId without_barred_rows(NodeChain& chain, ValueId scores, ValueId mixture) {
  if (scores.index < 0) {
    return {};
  }
  const auto last_axis = static_cast<int64_t>(chain.graph().type(scores).shape.size()) - 1;
  const ValueId largest =
      chain.add(ir::Op::kAmax, {scores}, "_largest", {{"dim", std::vector<int64_t>{last_axis}}, {"keepdim", true}});
  const ValueId is_barred =
      chain.add(ir::Op::kEq, {largest, Scalar{-std::numeric_limits<double>::infinity()}}, "_barred");
  return chain.add(ir::Op::kWhere, {is_barred, Scalar{0.0}, mixture}, "");
}

// The scores as the mask lets them pass.
ValueId masked_scores(NodeChain& chain, const ir::Node& node, ValueId scores) {
  Operand mask = node.operands[3];
  if (ir::bool_attribute(node, "is_causal")) {
    const std::vector<int64_t> shape = chain.graph().type(scores).shape;
    mask = causal_mask(chain, shape[shape.size() - 2], shape.back());
  }
  if (!ir::is_tensor(mask)) {
    return scores;
  }
  const bool is_choice = chain.graph().type(std::get<ValueId>(mask)).dtype == DataType::kBool;
  constexpr double kBarred = -std::numeric_limits<double>::infinity();
  return is_choice ? chain.add(ir::Op::kWhere, {mask, scores, Scalar{kBarred}}, "_masked")
                   : chain.add(ir::Op::kAdd, {scores, mask}, "_masked");
}

// The same for attention that is made of what was written out.
ValueId filled_scores(NodeChain& chain, const ir::Node& node, ValueId scores) {
  if (ir::is_tensor(node.operands[3])) {
    scores = chain.add(ir::Op::kAdd, {scores, node.operands[3]}, "_biased");
  }
  if (ir::is_tensor(node.operands[4])) {
    const Scalar fill{ir::double_attribute(node, "fill")};
    scores = chain.add(ir::Op::kWhere, {node.operands[4], fill, scores}, "_filled");
  }
  return scores;
}

Result<void> decompose_one(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  const ir::Node node = copy.mapped(old);
  NodeChain chain(copy, from.value(old.outputs[0]).name, old.location);
  const std::vector<int64_t> key_shape = copy.graph().type(ir::tensor_operand(node, 1)).shape;
  const std::vector<int64_t> query_shape = copy.graph().type(ir::tensor_operand(node, 0)).shape;
  std::vector<int64_t> swapped;
  for (size_t i = 0; i < key_shape.size(); ++i) {
    swapped.push_back(static_cast<int64_t>(i));
  }
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  const ValueId keys = chain.add(ir::Op::kPermute, {node.operands[1]}, "_keys", {{"dims", swapped}});
  const ValueId products = shared_heads_product(chain, ir::tensor_operand(node, 0), keys, "_products");
  ValueId scores = chain.add(ir::Op::kMul, {products, Scalar{ir::double_attribute(node, "scale")}}, "_scores");
  STITCH_TRY(chain.result());
  const bool is_written_out = node.op == ir::Op::kSoftmaxAttention;
  // is_causal leaves every row its first column; what is written out says itself what a row without columns is.
  const bool may_bar_rows = !is_written_out && ir::is_tensor(node.operands[3]);
  scores = is_written_out ? filled_scores(chain, node, scores) : masked_scores(chain, node, scores);
  const auto last_axis = static_cast<int64_t>(query_shape.size()) - 1;
  const ValueId weights = chain.add(ir::Op::kSoftmax, {scores}, "_weights", {{"dim", last_axis}});
  const ValueId mixture =
      shared_heads_product(chain, weights, ir::tensor_operand(node, 2), may_bar_rows ? "_mixture" : "");
  copy.replace(old.outputs[0], may_bar_rows ? without_barred_rows(chain, scores, mixture) : mixture);
  return chain.result();
}

}  // namespace

Result<ir::Graph> decompose_attention(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const bool is_attention = node.op == ir::Op::kScaledDotProductAttention || node.op == ir::Op::kSoftmaxAttention;
    if (is_attention && !kernels::flash_attention_takes(graph, node)) {
      STITCH_TRY(decompose_one(copy, graph, node));
    } else {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
