// SPDX-License-Identifier: Apache-2.0
// IR text that is not IR text: refused with a sentence and its line, whatever it holds.
#include "ir/text/parser.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"

namespace stitch::ir {
namespace {

struct Refusal {
  const char* about;
  const char* text;
  const char* message;
  const char* location;
};

constexpr const char* kHead = "graph g mode=eval\nx: f32[2,3] = input \"x\"\n";

std::ostream& operator<<(std::ostream& stream, const Refusal& refusal) { return stream << refusal.about; }

class ParserRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(ParserRefusal, HasASentenceAndALine) {
  const auto graph = parse(kHead + std::string(GetParam().text), "a.ir");
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().message, GetParam().message);
  EXPECT_EQ(graph.error().location, GetParam().location);
}

INSTANTIATE_TEST_SUITE_P(
    All, ParserRefusal,
    ::testing::Values(
        Refusal{"no_return", "y = relu(x)\n", "the return line is missing (truncated?)", "a.ir:3"},
        Refusal{"cut_in_a_call", "y = relu(x", "',' is missing at the end of the line", "a.ir:3"},
        Refusal{"cut_in_a_type", "y: f32[2,", "a name or a number is missing at the end of the line", "a.ir:3"},
        Refusal{"cut_in_a_text", "y: f32[2] = input \"y", "'\"' is missing at the end of the line", "a.ir:3"},
        Refusal{"text_after_return", "return output \"0\" = x\ny = relu(x)\n", "there is text after the return line",
                "a.ir:4"},
        Refusal{"unknown_operator", "y = rleu(x)\n", "there is no operator rleu", "a.ir:3"},
        Refusal{"redefined_input", "x: f32[2] = input \"z\"\n", "x is defined twice", "a.ir:3"},
        Refusal{"redefined_by_a_node", "x = relu(x)\n", "x is defined twice", "a.ir:3"},
        Refusal{"twice_in_one_line", "y: f32[1], y: f32[1] = some(x)\n", "y is defined twice", "a.ir:3"},
        Refusal{"used_too_early", "y = relu(z)\n", "z is used before it is defined", "a.ir:3"},
        Refusal{"returns_nothing_known", "return output \"0\" = y\n", "y is used before it is defined", "a.ir:3"},
        Refusal{"two_results_of_one", "y, z = relu(x)\n", "relu has 1 results, not 2", "a.ir:3"},
        Refusal{"no_such_type", "y: f33[2] = input \"y\"\n", "element type f33 is not supported", "a.ir:3"},
        Refusal{"no_such_role", "y: f32[2] = weight \"y\"\n", "\"weight\" is not a tensor role", "a.ir:3"},
        Refusal{"negative_extent", "y: f32[-2] = input \"y\"\n", "\"-2\" is not an extent", "a.ir:3"},
        Refusal{"fractional_extent", "y: f32[2.5] = input \"y\"\n", "\"2.5\" is not an extent", "a.ir:3"},
        Refusal{"extent_beyond_numbers", "y: f32[99999999999999999999] = input \"y\"\n",
                "\"99999999999999999999\" is not an extent", "a.ir:3"},
        Refusal{"size_beyond_memory", "y: f32[4294967296,4294967296] = input \"y\"\n",
                "shape [4294967296,4294967296] is larger than any memory", "a.ir:3"},
        Refusal{"axis_beyond_numbers", "y = softmax(x; dim=99999999999999999999)\n",
                "softmax: attribute dim is of another kind", "a.ir:3"},
        Refusal{"axis_beyond_the_tensor", "y = softmax(x; dim=9223372036854775807)\n",
                "softmax: dim 9223372036854775807 is not one of the 2 axes", "a.ir:3"},
        Refusal{"input_without_a_type", "y = input \"y\"\n", "an input defines one value with its type", "a.ir:3"},
        Refusal{"trailing_words", "y = relu(x) please\n", "expected the end of the line before \"please\"", "a.ir:3"},
        Refusal{"garbage", "\x01\x02\xff{}\n", "expected a name before \"\x01\x02\xff{}\"", "a.ir:3"},
        Refusal{"half_a_list", "y = reshape(x; shape=[2,,3])\n", "expected a name or a number before \",3])\"",
                "a.ir:3"},
        Refusal{"word_in_a_list", "y = reshape(x; shape=[two])\n", "\"two\" is not a number", "a.ir:3"}),
    [](const auto& parameter) { return parameter.param.about; });

TEST(Parser, AnotherFirstLineIsRefused) {
  for (const char* text :
       {"{\"schema\": 1}", "grahp g mode=eval", "graph g", "graph g mode=both", "graph 3 mode=eval"}) {
    const auto graph = parse(text, "a.ir");
    ASSERT_FALSE(graph.has_value()) << text;
    EXPECT_EQ(graph.error().location, "a.ir:1") << text;
  }
  const auto empty = parse("", "a.ir");
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().message, "the return line is missing (truncated?)");
}

TEST(Parser, AnOperatorThatIsNotIsRefusedAtItsPlace) {
  const auto graph = parse(
      "graph g mode=eval\nx: f32[2] = input \"x\"\ny: f32[2] = adds(x, x)  @ model.py:8\nreturn output \"0\" = y\n",
      "a");
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().code, ErrorCode::kUnsupportedOperator);
  EXPECT_EQ(graph.error().message + " @ " + graph.error().location, "there is no operator adds @ model.py:8");
}

TEST(Parser, BlankLinesCommentsAndPlacesAreTaken) {
  const auto graph = parse(
      "# a comment\n\ngraph g mode=train\r\n  x: f32[2] = state \"a \\\"b\\\"\"\r\n\n"
      "  y = add(x, 1)   @ model.py:14  \n# another\nreturn output \"out.logits\" = x, state \"a \\\"b\\\"\" = y\n",
      "a.ir");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].location, "model.py:14");
  EXPECT_EQ(graph->inputs[0].binding, "a \"b\"");
  EXPECT_EQ(print(*graph),
            "graph g mode=train\nx: f32[2] = state \"a \\\"b\\\"\"\ny: f32[2] = add(x, 1)  @ model.py:14\n"
            "return output \"out.logits\" = x, state \"a \\\"b\\\"\" = y\n");
}

TEST(Parser, NumbersComeBackToTheBit) {
  const std::string text =
      "graph g mode=eval\nx: f32[2] = input \"x\"\na: f32[2] = add(x, 0.1)\nb: f32[2] = add(a, 1e-300)\n"
      "c: f32[2] = add(b, -inf)\nd: f32[2] = add(c, nan)\ne: f32[2] = add(d, -0.0)\n"
      "f: f32[2] = add(e, 1.7976931348623157e+308)\ng: f32[2] = add(f, 9223372036854775807)\n"
      "h: f32[2] = add(g, 3.0)\nreturn output \"0\" = h\n";
  const auto graph = parse(text, "a.ir");
  ASSERT_TRUE(graph.has_value()) << graph.error().message << graph.error().location;
  EXPECT_EQ(print(*graph), text);
}

TEST(Parser, AnIntegerStandsForADoubleAttribute) {
  const auto graph = parse(kHead + std::string("y = leaky_relu(x; negative_slope=1)\nreturn output \"0\" = y\n"), "a");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  EXPECT_EQ(double_attribute(graph->nodes[0], "negative_slope"), 1.0);
}

}  // namespace
}  // namespace stitch::ir
