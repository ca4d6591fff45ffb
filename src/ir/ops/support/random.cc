// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/random.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* numbers, tensor_type(graph, node, 0, DataType::kFloat32));
  STITCH_TRY(require(!graph.value(tensor_operand(node, 0)).producer.is_valid(),
                     "the numbers to use in place of drawn ones are an input of the program"));
  constexpr int64_t kStreams = 1 << 16;
  const int64_t stream = int_attribute(node, "stream");
  STITCH_TRY(require(stream >= 0 && stream < kStreams, fmt::format("stream {} is not within 0..{}", stream, kStreams)));
  return std::vector<TensorType>{*numbers};
}

}  // namespace

OpDef random_numbers() {
  return {.attributes = {{"stream", AttributeKind::kInt}},
          .infer = infer,
          .reference = [](const Graph&, const Node&, const auto& operands) {
            return std::vector<ReferenceTensor>{*operands[0]};
          }};
}

bool is_given_numbers(const Graph& graph, ValueId value) {
  bool is_read = false;
  for (const Node& node : graph.nodes) {
    const bool reads = std::any_of(node.operands.begin(), node.operands.end(),
                                   [&](const Operand& operand) { return operand == Operand(value); });
    if (reads && node.op != Op::kUniform && node.op != Op::kNormal) {
      return false;
    }
    is_read = is_read || reads;
  }
  return is_read && std::none_of(graph.outputs.begin(), graph.outputs.end(),
                                 [&](const GraphOutput& output) { return output.value == value; });
}

}  // namespace stitch::ir
