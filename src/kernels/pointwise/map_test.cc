// SPDX-License-Identifier: Apache-2.0
// What elements cost that a thread takes one at a time, and which operands are read by tiles.
#include "kernels/pointwise/map.h"

#include <gtest/gtest.h>

#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// Beside what memory takes, of x[8,64,`pixels`] + r.
double slots(const std::string& pixels, const std::string& operand, const std::string& lanes) {
  const std::string text = "graph g mode=eval\nx: f32[8,64," + pixels + "] = input \"x\"\nr: f32[" + operand +
                           "] = input \"r\"\ny = add(x, r)\nreturn output \"0\" = y\n";
  return AskedKernel(text, make_pointwise_map()).work({lanes}).padded_flops;
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

ir::Graph turned(const std::string& sizes, const std::string& order) {
  return ir::parse("graph g mode=eval\nx: f32[" + sizes + "] = input \"x\"\ny = permute(x; dims=[" + order +
                       "])\nz = relu(y)\nreturn output \"0\" = z\n",
                   "sample")
      .value();
}

std::vector<std::string> settings_of(const ir::Graph& graph) {
  return variants_of(
      make_pointwise_map()->space(group_of_all(graph, RootNode::kLast), known_devices().front(), MathMode::kFp32));
}

TEST(Map, TilesAreOfferedWhereAnOperandLiesAlongAnotherAxis) {
  const std::vector<std::string> plain{"lanes_4", "lanes_1"}, tiled{"lanes_4", "lanes_1", "tile_32x32"};
  EXPECT_EQ(settings_of(turned("4,64,48", "0,2,1")), tiled);
  EXPECT_EQ(settings_of(turned("64,48", "1,0")), tiled);
  // The innermost axis stays where it is: neighbours are neighbours in both.
  EXPECT_EQ(settings_of(turned("4,64,48", "1,0,2")), plain);
  // A tile would be nine tenths empty.
  EXPECT_EQ(settings_of(turned("4,64,3", "0,2,1")), plain);
}

}  // namespace
}  // namespace stitch::kernels
