// SPDX-License-Identifier: Apache-2.0
#include <limits>

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
      chain.add("full", {}, "_ones",
                {{"shape", std::vector<int64_t>{rows, columns}}, {"value", 1.0}, {"dtype", DataType::kBool}});
  return chain.add("tril", {ones}, "_causal", {{"diagonal", int64_t{0}}});
}

Result<void> decompose(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  const ir::Node node = copy.mapped(old);
  NodeChain chain(copy, from.value(old.outputs[0]).name, old.place);
  const std::vector<int64_t> key_shape = copy.graph().type(ir::tensor_operand(node, 1)).shape;
  const std::vector<int64_t> query_shape = copy.graph().type(ir::tensor_operand(node, 0)).shape;
  std::vector<int64_t> swapped;
  for (size_t i = 0; i < key_shape.size(); ++i) {
    swapped.push_back(static_cast<int64_t>(i));
  }
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  const ValueId keys = chain.add("permute", {node.operands[1]}, "_keys", {{"dims", swapped}});
  const ValueId products = chain.add("matmul", {node.operands[0], keys}, "_products");
  ValueId scores = chain.add("mul", {products, Scalar{ir::double_attribute(node, "scale")}}, "_scores");
  Operand mask = node.operands[3];
  if (ir::bool_attribute(node, "is_causal")) {
    mask = causal_mask(chain, query_shape[query_shape.size() - 2], key_shape[key_shape.size() - 2]);
  }
  if (ir::is_tensor(mask)) {
    const bool is_choice = chain.graph().type(std::get<ValueId>(mask)).dtype == DataType::kBool;
    constexpr double kBarred = -std::numeric_limits<double>::infinity();
    scores = is_choice ? chain.add("where", {mask, scores, Scalar{kBarred}}, "_masked")
                       : chain.add("add", {scores, mask}, "_masked");
  }
  const auto last_axis = static_cast<int64_t>(query_shape.size()) - 1;
  const ValueId weights = chain.add("softmax", {scores}, "_weights", {{"dim", last_axis}});
  copy.replace(old.outputs[0], chain.add("matmul", {weights, node.operands[2]}, ""));
  return chain.result();
}

}  // namespace

Result<ir::Graph> decompose_attention(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.op == "scaled_dot_product_attention" && !kernels::flash_attention_takes(graph, node)) {
      STITCH_TRY(decompose(copy, graph, node));
    } else {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
