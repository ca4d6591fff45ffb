// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/wrong_places.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace stitch::driver {
namespace {

HostTensor tensor_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return HostTensor::from_bytes({.name = "y", .type = {DataType::kFloat32, {static_cast<int64_t>(values.size())}}},
                                std::move(bytes));
}

verify::OutputReference reference_of(const std::vector<float>& values) {
  verify::OutputReference reference;
  reference.name = "y";
  reference.type = {DataType::kFloat32, {static_cast<int64_t>(values.size())}};
  reference.reference = tensor_of(values);
  return reference;
}

TEST(UnsteadyPlaces, AreThoseThatASecondCallGivesOtherwise) {
  const float nan_of_other_bits = std::bit_cast<float>(0x7fc12345U);
  const verify::OutputReference reference = reference_of({1, 2, 3, 4, 5});
  const HostTensor got = tensor_of({1, 7e30F, 3.5F, NAN, 5});
  const HostTensor again = tensor_of({1, -2e-20F, 3.5F, nan_of_other_bits, 5.00001F});
  const WrongPlaces places = first_unsteady_places(reference, got, again, 1, 8);
  ASSERT_EQ(places.first.size(), 2U) << "what a sum in another order gives is steady";
  EXPECT_EQ(places.first[0].index, "[1]");
  EXPECT_FALSE(places.first[0].is_steady);
  EXPECT_EQ(places.first[1].index, "[3]");
  EXPECT_EQ(places.first[1].expected, 4);
  EXPECT_EQ(first_unsteady_places(reference, got, got, 1, 8).count, 0);
}

TEST(WrongPlaces, AreThoseOfALargeError) {
  const WrongPlaces places = first_wrong_places(reference_of({1, 2, 3}), tensor_of({1.01F, 2, 5}), 0, 8);
  ASSERT_EQ(places.count, 1);
  EXPECT_EQ(places.first[0].index, "[2]");
  EXPECT_TRUE(places.first[0].is_steady);
}

}  // namespace
}  // namespace stitch::driver
