// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_contents.h"

#include <gtest/gtest.h>

#include <limits>

#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

using verify::float_tensor;
using verify::integer_tensor;

std::vector<double> listed(const HostTensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(values.size()), values.data());
  return values;
}

// A matrix of 6 x 8, which is 0 in its last column in every draw; two indices; where bags begin; a mask.
verify::OracleDraw draw_of(int number) {
  std::vector<double> matrix(48);
  for (size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = i % 8 == 7 ? 0 : 100 * number + static_cast<double>(i) + 1;
  }
  std::vector<double> mask(4, 0.0);
  mask[static_cast<size_t>(number)] = -std::numeric_limits<double>::infinity();
  verify::OracleDraw draw;
  draw.inputs = {float_tensor({6, 8}, matrix), integer_tensor({2}, {number, number + 3}),
                 integer_tensor({2}, {0, number + 1}), float_tensor({4}, mask)};
  draw.states = {float_tensor({}, {number + 0.5}), integer_tensor({}, {number})};
  return draw;
}

struct Changed {
  std::vector<size_t> tensors;
  std::vector<size_t> places;  // in the last of them
};

Changed compared(const std::vector<HostTensor>& base, const std::vector<HostTensor>& made) {
  Changed changed;
  for (size_t i = 0; i < base.size(); ++i) {
    const auto before = listed(base[i]);
    const auto after = listed(made[i]);
    for (size_t at = 0; at < before.size(); ++at) {
      if (before[at] != after[at]) {
        changed.tensors.push_back(i);
        changed.places.push_back(at);
      }
    }
  }
  return changed;
}

class CallContentsTest : public testing::Test {
 protected:
  std::vector<verify::OracleDraw> draws{draw_of(0), draw_of(1), draw_of(2)};
  std::vector<HostTensor> base = contents_of(draws[0]);
  std::vector<HostTensor> other = contents_of(draws[1]);
  std::vector<uint64_t> widths = element_widths_with_integers(draws, {false, false, true, false});
};

TEST_F(CallContentsTest, IntegersThatStandForThemselvesMayChangeAndStatesMayNot) {
  EXPECT_EQ(element_widths(draws), (std::vector<uint64_t>{4, 0, 0, 0, 4, 0}));
  EXPECT_EQ(widths, (std::vector<uint64_t>{4, 8, 0, 0, 4, 0}));
}

TEST_F(CallContentsTest, OneElementIsAnotherAndNeverOneThatAllDrawsHaveAlike) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const Changed changed = compared(base, with_element(base, other, widths, random));
    ASSERT_EQ(changed.tensors.size(), 1U);
    ASSERT_NE(widths[changed.tensors[0]], 0U);
    ASSERT_TRUE(changed.tensors[0] != 0 || changed.places[0] % 8 != 7) << changed.places[0];
  }
}

TEST_F(CallContentsTest, AnElementMovesFarAndAnIntegerToTheOthers) {
  double moved = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto made = with_element(base, other, widths, random);
    const Changed changed = compared(base, made);
    if (changed.tensors[0] == 1) {
      ASSERT_EQ(listed(made[1])[changed.places[0]], listed(other[1])[changed.places[0]]);
    } else if (changed.tensors[0] == 0) {
      moved = listed(made[0])[changed.places[0]] - listed(base[0])[changed.places[0]];
      ASSERT_GT(moved, 90);
    }
  }
  EXPECT_GT(moved, 0) << "it was tried";
}

TEST_F(CallContentsTest, ARowIsTheOthers) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto made = with_row(base, other, widths, random);
    const Changed changed = compared(base, made);
    ASSERT_TRUE(changed.places.size() == 7 || changed.places.size() == 6 || changed.places.size() == 1);
    for (size_t i = 0; changed.places.size() > 1 && i < changed.places.size(); ++i) {
      ASSERT_EQ(changed.tensors[i], 0U);
      const size_t step = changed.places.size() == 7 ? 1 : 8;
      ASSERT_EQ(changed.places[i], changed.places[0] + i * step);
      ASSERT_EQ(listed(made[0])[changed.places[i]], listed(other[0])[changed.places[i]]);
    }
  }
}

TEST_F(CallContentsTest, WhatIsAlikeStaysSo) {
  std::mt19937_64 random(1);
  EXPECT_TRUE(compared(base, with_element(base, base, widths, random)).places.empty());
  EXPECT_TRUE(compared(base, with_row(base, base, widths, random)).places.empty());
  EXPECT_TRUE(compared(base, with_row(base, other, std::vector<uint64_t>(6, 0), random)).places.empty());
}

}  // namespace
}  // namespace stitch::evaluate
