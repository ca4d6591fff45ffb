// SPDX-License-Identifier: Apache-2.0
// What elements cost that a thread takes one at a time.
#include "kernels/pointwise/map.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace stitch::kernels {
namespace {

// Beside what memory takes, of x[8,64,`pixels`] + r.
double slots(const std::string& pixels, const std::string& operand, const std::string& lanes) {
  const ir::Graph graph = ir::parse("graph g mode=eval\nx: f32[8,64," + pixels + "] = input \"x\"\nr: f32[" + operand +
                                        "] = input \"r\"\ny = add(x, r)\nreturn output \"0\" = y\n",
                                    "sample")
                              .value();
  const Group group = make_group(graph, ir::NodeId{0}, {ir::NodeId{0}}, {graph.inputs[0].value, graph.inputs[1].value},
                                 graph.nodes[0].outputs);
  return make_pointwise_map()->work(group, {lanes, 1}).padded_flops;
}

TEST(Map, NeighboursAreTakenTogetherWhereTheyAreAlike) {
  EXPECT_EQ(slots("100", "8,64,100", "lanes_4"), 0);
  EXPECT_EQ(slots("100", "64,1", "lanes_4"), 0);
  EXPECT_GT(slots("101", "64,1", "lanes_4"), 0);
  EXPECT_GT(slots("100", "64,1", "lanes_1"), 0);
}

TEST(Map, ElementsOneByOneCostMoreWhereTheirPlaceIsDividedFor) {
  EXPECT_GT(slots("100", "100", "lanes_1"), slots("100", "8,64,100", "lanes_1"));
  EXPECT_GT(slots("100", "64,1", "lanes_1"), slots("100", "100", "lanes_1"));
}

}  // namespace
}  // namespace stitch::kernels
