// SPDX-License-Identifier: Apache-2.0
// What the interpreter refuses; what it computes is in the operators' cases.
#include "ir/eval/interpret.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace stitch::ir {
namespace {

Graph chain() {
  return parse(
             "graph g mode=eval\nx: f32[2] = input \"x\"\ns: f32[] = state \"s\"\na = mul(x, s)\nb = add(a, x)\n"
             "t = add(s, 1.0)\nreturn output \"0\" = b, output \"1\" = x, state \"s\" = t\n",
             "chain")
      .value();
}

TEST(Interpret, RunsInOrderAndReturnsInOrder) {
  const auto outputs =
      interpret(chain(), {{{DataType::kFloat32, {2}}, {1.0, 2.0}}, {{DataType::kFloat32, {}}, {10.0}}});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  ASSERT_EQ(outputs->size(), 3U);
  EXPECT_EQ(outputs->at(0).data, (std::vector<double>{11.0, 22.0}));
  EXPECT_EQ(outputs->at(1).data, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(outputs->at(2).data, (std::vector<double>{11.0}));
}

TEST(Interpret, RefusesInputsThatDoNotFit) {
  const auto missing = interpret(chain(), {});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "the graph has 2 inputs, not 0");
  const auto other = interpret(chain(), {{{DataType::kFloat32, {2}}, {1.0}}, {{DataType::kFloat32, {}}, {1.0}}});
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().message, "what is given for x is of another type");
}

TEST(Interpret, RefusesAnOpaqueNode) {
  const auto graph = parse(
      "graph g mode=eval\nx: f32[1] = input \"x\"\n"
      "y: f32[1] = opaque(x; target=\"aten.fft\", reason=\"\")  @ m.py:2\nreturn output \"0\" = y\n",
      "a");
  const auto outputs = interpret(*graph, {{{DataType::kFloat32, {1}}, {1.0}}});
  ASSERT_FALSE(outputs.has_value());
  EXPECT_EQ(outputs.error().code, ErrorCode::kUnsupportedOperator);
  EXPECT_EQ(outputs.error().location, "m.py:2");
}

}  // namespace
}  // namespace stitch::ir
