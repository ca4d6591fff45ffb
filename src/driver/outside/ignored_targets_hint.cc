// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/ignored_targets_hint.h"

#include <fmt/format.h>

#include "ir/graph/op.h"

namespace stitch::driver {

std::string ignored_targets_hint(const ir::Graph& graph) {
  for (const ir::Node& node : graph.nodes) {
    if (node.op == ir::Op::kNllLoss) {
      const std::string location = node.location.empty() ? "" : " at " + node.location;
      return fmt::format("nll_loss{} leaves out targets of {} (ignore_index), and some draws hold them", location,
                         ir::int_attribute(node, "ignore_index"));
    }
  }
  return "";
}

}  // namespace stitch::driver
