// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

// Whether losses alone read the value, as the probabilities of classes along `dim`.
bool is_of_losses_only(const ir::Graph& graph, ir::ValueId value, int64_t dim) {
  bool any = false;
  for (const ir::Node& node : graph.nodes) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (!ir::is_tensor(node.operands[i]) || std::get<ir::ValueId>(node.operands[i]) != value) {
        continue;
      }
      const int64_t class_axis = graph.type(value).shape.size() == 1 ? 0 : 1;
      if (node.op != ir::Op::kNllLoss || i != 0 || dim != class_axis) {
        return false;
      }
      any = true;
    }
  }
  return any && std::none_of(graph.outputs.begin(), graph.outputs.end(),
                             [&](const ir::GraphOutput& output) { return output.value == value; });
}

}  // namespace

Result<ir::Graph> decompose_cross_entropy(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& old : graph.nodes) {
    if (old.op != ir::Op::kLogSoftmax || graph.type(old.outputs[0]).dtype != DataType::kFloat32 ||
        !is_of_losses_only(graph, old.outputs[0], ir::int_attribute(old, "dim"))) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    const ir::Node node = copy.mapped(old);
    const ir::ValueId x = ir::tensor_operand(node, 0);
    NodeChain chain(copy, graph.value(old.outputs[0]).name, old.location);
    const ir::ValueId total =
        chain.add(ir::Op::kLogsumexp, {x}, "_total",
                  {{"dim", std::vector<int64_t>{ir::int_attribute(node, "dim")}}, {"keepdim", true}});
    const ir::ValueId made = chain.add(ir::Op::kSub, {x, total}, "");
    STITCH_TRY(chain.result());
    copy.replace(old.outputs[0], made);
  }
  return copy.finish();
}

}  // namespace stitch::plan
