// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/mode_hint.h"

#include <fmt/format.h>

#include <string_view>

#include "ir/graph/op.h"

namespace stitch::driver {
namespace {

// What an operator does in this mode that it would not do in the other; null for one that is alike in both. Dropout in
// eval mode is no operator at all, so that drawing numbers tells the mode where there is any.
const char* what_it_does(const ir::Node& node, bool is_training) {
  if (node.op == ir::Op::kBatchNorm) {
    const bool by_batch = ir::bool_attribute(node, "training");
    return by_batch ? "normalises by the batch's own statistics" : "normalises by the running statistics";
  }
  const bool draws = node.op == ir::Op::kUniform || node.op == ir::Op::kNormal;
  return draws && is_training ? "draws random numbers, as dropout does in this mode" : nullptr;
}

}  // namespace

std::string mode_hint(const ir::Graph& graph, const std::string& asked) {
  const bool is_training = graph.mode == "train";
  const std::string why = asked == graph.mode ? "as was asked for"
                                              : fmt::format("as its file leaves its module ({} judges it in the other)",
                                                            is_training ? "--eval" : "--train");
  for (const ir::Node& node : graph.nodes) {
    if (const char* does = what_it_does(node, is_training)) {
      const std::string location = node.location.empty() ? "" : " at " + node.location;
      return fmt::format("the program is judged in {} mode, {}: {}{} {}", graph.mode, why, to_string(node.op), location,
                         does);
    }
  }
  return "";
}

}  // namespace stitch::driver
