// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/ignored_targets_hint.h"

#include <gtest/gtest.h>

#include "ir/graph/op.h"

namespace stitch::driver {
namespace {

TEST(IgnoredTargetsHint, SaysWhichTargetsALossLeavesOut) {
  ir::Graph graph;
  EXPECT_EQ(ignored_targets_hint(graph), "");
  ir::Node node;
  node.op = ir::Op::kNllLoss;
  node.location = "model.py:9";
  node.attributes = {{"reduction", std::string("none")}, {"ignore_index", int64_t{-100}}};
  graph.nodes.push_back(node);
  EXPECT_EQ(ignored_targets_hint(graph),
            "nll_loss at model.py:9 leaves out targets of -100 (ignore_index), and some draws hold them");
}

}  // namespace
}  // namespace stitch::driver
