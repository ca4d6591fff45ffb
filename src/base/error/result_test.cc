// SPDX-License-Identifier: Apache-2.0
#include "base/error/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace stitch {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') {
    return failure(ErrorCode::kUsage, "not a digit", std::string(1, c), "type one of 0 to 9");
  }
  return c - '0';
}

Result<int> add_digits(char a, char b) {
  STITCH_ASSIGN(const int left, parse_digit(a));
  STITCH_ASSIGN(const int right, parse_digit(b));
  return left + right;
}

TEST(ResultTest, ValueTravels) { EXPECT_EQ(*add_digits('3', '4'), 7); }

TEST(ResultTest, FirstErrorTravels) {
  const Result<int> sum = add_digits('x', 'y');
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().code, ErrorCode::kUsage);
  EXPECT_EQ(sum.error().location, "x");
}

TEST(ResultTest, MoveOnlyValues) {
  Result<std::unique_ptr<int>> owned(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = std::move(owned).value();
  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, ContextIsPutInFront) {
  const Error error = with_context(Error{ErrorCode::kTimeout, "no answer", "", ""}, "step 3");
  EXPECT_EQ(error.message, "step 3: no answer");
  EXPECT_EQ(error.code, ErrorCode::kTimeout);
}

TEST(ErrorTest, NamesRoundTripAndExitCodesAreTheDocumentedOnes) {
  for (const auto& [code, exit] : {std::pair{ErrorCode::kUsage, 2}, {ErrorCode::kUnsupportedOperator, 3},
                                   {ErrorCode::kEnvironment, 4}, {ErrorCode::kInternal, 5},
                                   {ErrorCode::kInterrupted, 130}}) {
    EXPECT_EQ(error_code_from_string(to_string(code)), code);
    EXPECT_EQ(exit_status(code), exit);
  }
}

TEST(ResultDeathTest, ValueOfAFailureIsOurBug) {
  EXPECT_DEATH(static_cast<void>(parse_digit('x').value()), "internal error at .*not a digit");
}

}  // namespace
}  // namespace stitch
