// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/expr_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stitch::kernels {
namespace {

std::string text(const Expr& expression) { return to_text(expression, BodyNames{}); }

Expr real(double value) { return literal_expr(float_literal(value)); }

TEST(ExprText, HasTheParenthesesThatTheTreeNeeds) {
  const Expr a = named("a");
  const Expr b = named("b");
  const Expr c = named("c");
  const auto minus = [](const Expr& left, const Expr& right) { return binary(BinaryOp::kSubtract, left, right); };
  EXPECT_EQ(text(product(sum(a, b), c)), "(a + b) * c");
  EXPECT_EQ(text(sum(product(a, b), c)), "a * b + c");
  EXPECT_EQ(text(minus(minus(a, b), c)), "a - b - c");
  EXPECT_EQ(text(minus(a, minus(b, c))), "a - (b - c)");
  EXPECT_EQ(text(binary(BinaryOp::kAnd, binary(BinaryOp::kOr, a, b), c)), "(a || b) && c");
  EXPECT_EQ(text(minus(binary(BinaryOp::kGreater, a, b), binary(BinaryOp::kLess, a, b))), "(a > b) - (a < b)");
  EXPECT_EQ(text(product(a, select(b, a, c))), "a * (b ? a : c)");
  EXPECT_EQ(text(select(select(a, b, c), b, select(c, a, b))), "(a ? b : c) ? b : c ? a : b");
}

TEST(ExprText, NeverPutsTwoSignsTogether) {
  EXPECT_EQ(text(unary(UnaryOp::kNegate, real(-1.5))), "-(-1.5f)");
  EXPECT_EQ(text(unary(UnaryOp::kNegate, unary(UnaryOp::kNegate, named("a")))), "-(-a)");
  EXPECT_EQ(text(binary(BinaryOp::kSubtract, named("a"), real(-1))), "a - -1.0f");
}

TEST(ExprText, CallsFunctionsInThePrecisionOfTheirOperands) {
  EXPECT_EQ(text(math_call("exp", ScalarType::kFloat, {named("a")})), "expf(a)");
  EXPECT_EQ(text(math_call("exp", ScalarType::kDouble, {named("a")})), "::exp(a)");
  EXPECT_EQ(text(call("stitch::gelu", {named("a")})), "stitch::gelu(a)");
  EXPECT_EQ(text(method_call(named("numbers"), "normal", {named("place")})), "numbers.normal(place)");
  EXPECT_EQ(text(aggregate("Pair", {named("a"), named("b")})), "Pair{a, b}");
}

TEST(ExprText, KnowsWhatEachWidthCallsThings) {
  const Expr expression = sum(bound("value", "values[lane]"), sum(load_of(1), position_of(0)));
  EXPECT_EQ(to_text(expression, {{"x_value", "y_value"}, {"at"}, false}), "value + (y_value + at)");
  EXPECT_EQ(to_text(expression, {{"x_lanes[lane]", "y_lanes[lane]"}, {"at"}, true}),
            "values[lane] + (y_lanes[lane] + at)");
}

TEST(LiteralText, ReadsBackAsTheSameNumber) {
  EXPECT_EQ(to_text(float_literal(0.1)), "0.1f");
  EXPECT_EQ(to_text(float_literal(1e-5)), "1e-05f");
  EXPECT_EQ(to_text({0.1, ScalarType::kDouble}), "0.1");
  EXPECT_EQ(to_text({-std::numeric_limits<double>::infinity(), ScalarType::kDouble}), "-double{INFINITY}");
  EXPECT_EQ(to_text(int_literal(5000000000)), "5000000000ll");
  EXPECT_EQ(to_text(int_literal(std::numeric_limits<int64_t>::min())), "INT64_MIN");
  EXPECT_EQ(to_text({int64_t{7}, ScalarType::kUint32}), "7u");
  EXPECT_EQ(to_text({1.0, ScalarType::kBool}), "true");
}

TEST(LiteralText, IsEqualWhereLiteralsAre) {
  const Literal nan = float_literal(std::nan(""));
  EXPECT_TRUE(nan == nan);
  EXPECT_TRUE(float_literal(0.1) == float_literal(static_cast<double>(0.1F)));
  EXPECT_TRUE(int_literal(3) == (Literal{3.0, ScalarType::kInt64}));
  EXPECT_FALSE(float_literal(0.0) == float_literal(-0.0));
  EXPECT_FALSE(float_literal(1.0) == (Literal{1.0, ScalarType::kDouble}));
}

}  // namespace
}  // namespace stitch::kernels
