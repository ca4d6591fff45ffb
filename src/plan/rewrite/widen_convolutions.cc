// SPDX-License-Identifier: Apache-2.0
// Convolution kernels read float. Operands of 16 bits are widened in front of them, without loss, and the result is
// narrowed behind them: sums are in fp32 as PyTorch's are. Of parameters that is done once, in `prepare`.
#include "ir/ops.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

bool is_narrow(DataType dtype) { return dtype == DataType::kFloat16 || dtype == DataType::kBfloat16; }

}  // namespace

Result<ir::Graph> widen_convolutions(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& old : graph.nodes) {
    const ir::OpDef* def = ir::find_op(old.op);
    const bool is_convolution = def != nullptr && def->family == ir::OpFamily::kConvolution;
    if (!is_convolution || !is_narrow(graph.type(old.outputs[0]).dtype)) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    const ir::Node node = copy.mapped(old);
    NodeChain chain(copy, graph.value(old.outputs[0]).name, old.place);
    std::vector<ir::Operand> operands;
    for (const ir::Operand& operand : node.operands) {
      const bool is_tensor = ir::is_tensor(operand);
      operands.push_back(
          is_tensor ? ir::Operand(chain.add("to", {operand}, "_operand", {{"dtype", DataType::kFloat32}})) : operand);
    }
    const ir::ValueId wide = chain.add(node.op, std::move(operands), "_wide", node.attributes);
    copy.replace(old.outputs[0], chain.add("to", {wide}, "", {{"dtype", graph.type(old.outputs[0]).dtype}}));
    STITCH_TRY(chain.result());
  }
  return copy.finish();
}

}  // namespace stitch::plan
