// SPDX-License-Identifier: Apache-2.0
// What no graph may have, in text and out of the hands of a pass.
#include "ir/validate/validate.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/text/parser.h"

namespace stitch::ir {
namespace {

Graph sample() {
  return parse(
             "graph g mode=train\nx: f32[2,3] = input \"x\"\ns: f32[3] = state \"mean\"\n"
             "m: f32[3] = mean(x; dim=[0], keepdim=false)  @ model.py:7\nn: f32[3] = add(m, s)  @ model.py:8\n"
             "return output \"0\" = m, state \"mean\" = n\n",
             "sample")
      .value();
}

std::string refusal(const Graph& graph) {
  const auto valid = validate(graph);
  return valid.has_value() ? "" : valid.error().message + " @ " + valid.error().location;
}

TEST(Validate, TakesAGoodGraph) { EXPECT_EQ(refusal(sample()), ""); }

TEST(Validate, FindsATypeThatIsNotTheOperators) {
  Graph graph = sample();
  graph.value(graph.nodes[0].outputs[0]).type.shape = {4};
  EXPECT_EQ(refusal(graph), "mean gives m of type f32[3], but it is declared f32[4] @ model.py:7");
}

TEST(Validate, FindsATypeDeclaredInText) {
  const auto graph = parse(
      "graph g mode=eval\nx: f32[2] = input \"x\"\ny: i64[2] = relu(x)  @ m.py:1\nreturn output \"0\" = y\n", "a");
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(refusal(*graph), "relu gives y of type f32[2], but it is declared i64[2] @ m.py:1");
}

TEST(Validate, FindsAWrongNumberOfResults) {
  Graph graph = sample();
  graph.nodes[1].outputs.push_back(graph.nodes[1].outputs[0]);
  EXPECT_EQ(refusal(graph), "add has 1 results, not 2 @ model.py:8");
}

TEST(Validate, FindsMissingAttributes) {
  Graph graph = sample();
  graph.nodes[0].attributes.pop_back();
  EXPECT_EQ(refusal(graph), "mean: takes 2 attributes, not 1 @ model.py:7");
  graph = sample();
  std::swap(graph.nodes[0].attributes[0], graph.nodes[0].attributes[1]);
  EXPECT_EQ(refusal(graph), "mean: attribute 0 is dim, not keepdim @ model.py:7");
}

TEST(Validate, FindsUseBeforeDefinition) {
  Graph graph = sample();
  std::swap(graph.nodes[0], graph.nodes[1]);
  EXPECT_EQ(refusal(graph), "add uses m before it is defined @ model.py:8");
  graph = sample();
  graph.nodes[1].operands[0] = graph.nodes[1].outputs[0];
  EXPECT_EQ(refusal(graph), "add uses n before it is defined @ model.py:8");
}

TEST(Validate, FindsOperandsThatAreNoValues) {
  for (const int32_t index : {-1, 99}) {
    Graph graph = sample();
    graph.nodes[1].operands[0] = ValueId{index};
    EXPECT_EQ(refusal(graph), "add has an operand that is no value of the graph @ model.py:8");
  }
}

TEST(Validate, FindsOutputsThatAreNoValues) {
  for (const int32_t index : {-1, 99}) {
    Graph graph = sample();
    graph.outputs[0].value = ValueId{index};
    EXPECT_EQ(refusal(graph), "output \"0\" is no value of the graph @ ");
  }
}

TEST(Validate, FindsInputsAndResultsThatAreNoValues) {
  Graph graph = sample();
  graph.inputs[0].value = ValueId{99};
  EXPECT_EQ(refusal(graph), "input \"x\" is no value of the graph @ ");
  graph = sample();
  graph.nodes[1].outputs[0] = ValueId{-1};
  EXPECT_EQ(refusal(graph), "add has a result that is no value of the graph @ model.py:8");
}

TEST(Validate, FindsNamesThatTextCannotHold) {
  for (const char* name : {"", "3d", "a-b", "none", "true", "inf", "return", "a b"}) {
    Graph graph = sample();
    graph.values[0].name = name;
    EXPECT_EQ(refusal(graph), "\"" + std::string(name) + "\" cannot name a value @ ");
    EXPECT_FALSE(is_value_name(name));
  }
  Graph graph = sample();
  graph.values[0].name = "m";
  EXPECT_EQ(refusal(graph), "m is defined twice @ ");
}

TEST(Validate, FindsStatesThatReplaceNothing) {
  Graph graph = sample();
  graph.outputs[1].binding = "variance";
  EXPECT_EQ(refusal(graph), "state \"variance\" has no state input of the same type to replace @ ");
  graph = sample();
  graph.outputs[1].value = graph.inputs[0].value;  // of another shape
  EXPECT_EQ(refusal(graph), "state \"mean\" has no state input of the same type to replace @ ");
  graph = sample();
  graph.outputs[1].role = TensorRole::kParameter;
  EXPECT_EQ(refusal(graph), "parameter \"mean\" has no state input of the same type to replace @ ");
}

TEST(Validate, FindsSizesBeyondMemory) {
  Graph graph = sample();
  graph.value(graph.inputs[0].value).type.shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(refusal(graph), "shape [1099511627776,1099511627776] is larger than any memory @ ");
}

TEST(Validate, AnOpaqueNodeHasNoRule) {
  const auto graph = parse(
      "graph g mode=eval\nx: f32[2] = input \"x\"\n"
      "y: c[3] = relu(x)\nreturn output \"0\" = y\n",
      "a");
  EXPECT_FALSE(graph.has_value());
  const auto opaque = parse(
      "graph g mode=eval\nx: f32[2] = input \"x\"\n"
      "y: f32[3] = opaque(x; target=\"aten.fft\", reason=\"\")\nreturn output \"0\" = y\n",
      "a");
  ASSERT_TRUE(opaque.has_value()) << opaque.error().message;
  EXPECT_EQ(refusal(*opaque), "");
}

// Bytes changed anywhere give a graph or a sentence, never a crash; and a graph that is read can be validated.
TEST(Validate, ChangedBytesAreNoDisaster) {
  const std::string text =
      "graph g mode=eval\nx: f32[2,3] = input \"x\"\n"
      "w: f32[4,3] = parameter \"fc.weight\"\nh = linear(x, w, none)\n"
      "y = reshape(h; shape=[8])  @ model.py:3\nz = clamp(y; min=-inf, max=2.5)\n"
      "return output \"0\" = z\n";
  ASSERT_TRUE(parse(text, "a").has_value());
  std::mt19937 generator(5);
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string changed = text;
    for (unsigned change = 0; change <= generator() % 3; ++change) {
      const char with = generator() % 2 == 0 ? text[generator() % text.size()] : static_cast<char>(generator() % 256);
      changed[generator() % changed.size()] = with;
    }
    const auto graph = parse(changed, "a");
    if (graph.has_value()) {
      (void)validate(*graph).has_value();
      ++taken;
    } else {
      ASSERT_FALSE(graph.error().message.empty());
      ASSERT_FALSE(graph.error().location.empty()) << changed;
    }
  }
  EXPECT_GT(taken, 100);  // names, places and numbers may change
}

}  // namespace
}  // namespace stitch::ir
