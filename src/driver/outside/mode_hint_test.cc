// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/mode_hint.h"

#include <gtest/gtest.h>

#include "ir/graph/op.h"

namespace stitch::driver {
namespace {

ir::Graph graph_of(const std::string& mode, ir::Op op, bool training = false) {
  ir::Graph graph;
  graph.mode = mode;
  ir::Node node;
  node.op = op;
  node.location = "model.py:9";
  if (op == ir::Op::kBatchNorm) {
    node.attributes = {{"training", training}};
  }
  graph.nodes.push_back(node);
  return graph;
}

TEST(ModeHint, SaysWhichStatisticsANormTakes) {
  EXPECT_EQ(mode_hint(graph_of("train", ir::Op::kBatchNorm, true), "as-is"),
            "the program is judged in train mode, as its file leaves its module (--eval judges it in the other): "
            "batch_norm at model.py:9 normalises by the batch's own statistics");
  EXPECT_EQ(mode_hint(graph_of("eval", ir::Op::kBatchNorm, false), "eval"),
            "the program is judged in eval mode, as was asked for: batch_norm at model.py:9 normalises by the running "
            "statistics");
}

TEST(ModeHint, GoesByTheNormAndNotByTheModule) {  // one frozen by hand within a module in train mode
  EXPECT_NE(mode_hint(graph_of("train", ir::Op::kBatchNorm, false), "as-is").find("running statistics"),
            std::string::npos);
}

TEST(ModeHint, SaysThatNumbersAreDrawn) {
  EXPECT_NE(mode_hint(graph_of("train", ir::Op::kUniform), "as-is").find("draws random numbers"), std::string::npos);
  EXPECT_EQ(mode_hint(graph_of("eval", ir::Op::kUniform), "as-is"), "");
}

TEST(ModeHint, SaysNothingWhereTheGraphDoesNotTell) {
  EXPECT_EQ(mode_hint(graph_of("train", ir::Op::kRelu), "as-is"), "");
  EXPECT_EQ(mode_hint(ir::Graph(), "as-is"), "");
}

}  // namespace
}  // namespace stitch::driver
