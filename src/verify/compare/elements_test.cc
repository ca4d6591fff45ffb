// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

uint16_t half_bits(double value, DataType type) {
  const HostTensor converted = convert(double_tensor({1}, {value}), {"half", TensorRole::kInput, {type, {1}}});
  uint16_t bits = 0;
  std::memcpy(&bits, converted.bytes().data(), sizeof(bits));
  return bits;
}

TEST(Elements, SixteenBitNumbersRoundToNearestEven) {
  EXPECT_EQ(half_bits(1.0, DataType::kFloat16), 0x3c00);
  EXPECT_EQ(half_bits(-2.0, DataType::kFloat16), 0xc000);
  EXPECT_EQ(half_bits(1.0 + 0x1p-11, DataType::kFloat16), 0x3c00);
  EXPECT_EQ(half_bits(1.0 + 3 * 0x1p-11, DataType::kFloat16), 0x3c02);
  EXPECT_EQ(half_bits(2.0 - 0x1p-12, DataType::kFloat16), 0x4000);
  EXPECT_EQ(half_bits(65520, DataType::kFloat16), 0x7c00);
  EXPECT_EQ(half_bits(65519, DataType::kFloat16), 0x7bff);
  EXPECT_EQ(half_bits(0x1p-24, DataType::kFloat16), 0x0001);
  EXPECT_EQ(half_bits(0x1p-14, DataType::kFloat16), 0x0400);
  EXPECT_EQ(half_bits(1.0, DataType::kBfloat16), 0x3f80);
  EXPECT_EQ(half_bits(3.0, DataType::kBfloat16), 0x4040);
}

TEST(Elements, EveryHalfSurvivesTheRoundTrip) {
  for (const DataType type : {DataType::kFloat16, DataType::kBfloat16}) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const HostTensor stored = raw_tensor(type, {1}, std::vector<uint16_t>{static_cast<uint16_t>(bits)});
      double value = 0;
      load_doubles(stored, 0, 1, &value);
      if (!std::isnan(value)) {
        ASSERT_EQ(half_bits(value, type), bits) << to_string(type);
      }
    }
  }
}

TEST(Elements, UnitsInTheLastPlace) {
  EXPECT_EQ(unit_in_the_last_place(1.0, DataType::kFloat32), 0x1p-23);
  EXPECT_EQ(unit_in_the_last_place(-3.9, DataType::kFloat32), 0x1p-22);
  EXPECT_EQ(unit_in_the_last_place(0, DataType::kFloat32), 0x1p-149);
  EXPECT_EQ(unit_in_the_last_place(1e-44, DataType::kFloat32), 0x1p-149);
  EXPECT_EQ(unit_in_the_last_place(1.0, DataType::kBfloat16), 0x1p-7);
  EXPECT_EQ(unit_in_the_last_place(0, DataType::kFloat64), 0x1p-1074);
}

TEST(Elements, OverflowBeginsHalfAUnitAboveTheLargestNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(overflow_to_infinity(65520, DataType::kFloat16), infinity);
  EXPECT_EQ(overflow_to_infinity(65519.9, DataType::kFloat16), 65519.9);
  EXPECT_EQ(overflow_to_infinity(-1e39, DataType::kFloat32), -infinity);
  EXPECT_EQ(overflow_to_infinity(1e300, DataType::kFloat64), 1e300);
}

TEST(Elements, IntegersConvertExactly) {
  const HostTensor wide = integer_tensor({3}, {9007199254740993, -1, 300});
  const HostTensor narrow = convert(wide, {"narrow", TensorRole::kInput, {DataType::kInt64, {3}}});
  int64_t values[3] = {};
  load_integers(narrow, 0, 3, values);
  EXPECT_EQ(values[0], 9007199254740993);
  EXPECT_EQ(values[1], -1);
}

TEST(Elements, NumbersThatNoIntegerHoldsBecomeTheNearest) {
  const HostTensor numbers = double_tensor({3}, {9223372036854775807.0, -1e300, -2.9});
  const HostTensor integers = convert(numbers, {"integers", TensorRole::kInput, {DataType::kInt64, {3}}});
  int64_t values[3] = {};
  load_integers(integers, 0, 3, values);
  EXPECT_EQ(values[0], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(values[1], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(values[2], -2);
}

}  // namespace
}  // namespace stitch::verify
