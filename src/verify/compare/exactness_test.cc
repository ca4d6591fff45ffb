// SPDX-License-Identifier: Apache-2.0
// What has no tolerance: integers, booleans, and where NaN and infinities stand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "verify/compare/compare_output.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool accepts(const OutputReference& reference, const HostTensor& got) {
  return !compare_output(reference, got, MathMode::kFp32).refusal.has_value();
}

TEST(Exactness, IntegersBeyondWhatADoubleHoldsDifferByOne) {
  const std::vector<int64_t> large = {int64_t{1} << 60, std::numeric_limits<int64_t>::min()};
  const OutputReference reference = integer_reference({2}, large);
  EXPECT_TRUE(accepts(reference, integer_tensor({2}, large)));
  EXPECT_FALSE(accepts(reference, integer_tensor({2}, {large[0] + 1, large[1]})));
  EXPECT_FALSE(accepts(reference, integer_tensor({2}, {large[0], large[1] + 1})));
}

// Random bytes are true 255 times in 256 where any byte will do.
TEST(Exactness, ABooleanIsZeroOrOne) {
  OutputReference reference = integer_reference({3}, {1, 0, 1});
  reference.type.dtype = DataType::kBool;
  reference.native = raw_tensor<uint8_t>(DataType::kBool, {3}, {1, 0, 1});
  EXPECT_TRUE(accepts(reference, raw_tensor<uint8_t>(DataType::kBool, {3}, {1, 0, 1})));
  EXPECT_FALSE(accepts(reference, raw_tensor<uint8_t>(DataType::kBool, {3}, {1, 0, 255})));
  EXPECT_FALSE(accepts(reference, raw_tensor<uint8_t>(DataType::kBool, {3}, {1, 1, 1})));
  EXPECT_FALSE(accepts(reference, raw_tensor<uint8_t>(DataType::kBool, {3}, {0, 0, 1})));
}

// As many of each kind as there should be, but elsewhere.
TEST(Exactness, NanAndInfinitiesStandWhereTheyBelong) {
  const std::vector<double> right = {kNan, 1.0, kInfinity, -kInfinity, 2.0};
  const OutputReference reference = float_reference({5}, right, right);
  EXPECT_TRUE(accepts(reference, float_tensor({5}, right)));
  for (const std::vector<double>& wrong : std::vector<std::vector<double>>{{1.0, kNan, kInfinity, -kInfinity, 2.0},
                                                                           {kNan, 1.0, -kInfinity, kInfinity, 2.0},
                                                                           {kInfinity, 1.0, kNan, -kInfinity, 2.0},
                                                                           {kNan, 1.0, kInfinity, -kInfinity, kNan},
                                                                           {kNan, 1.0, 3.4e38, -kInfinity, 2.0}}) {
    EXPECT_FALSE(accepts(reference, float_tensor({5}, wrong)));
  }
}

// A NaN of the reference is no place where anything goes.
TEST(Exactness, NoNanIsAWildcard) {
  const std::vector<double> right(512, kNan);
  const OutputReference reference = float_reference({512}, right, right);
  EXPECT_TRUE(accepts(reference, float_tensor({512}, right)));
  for (const double number : {0.0, 1.0, kInfinity}) {
    std::vector<double> wrong = right;
    wrong[300] = number;
    EXPECT_FALSE(accepts(reference, float_tensor({512}, wrong)));
  }
}

}  // namespace
}  // namespace stitch::verify
