// SPDX-License-Identifier: Apache-2.0
#include "kernels/access/domain.h"

#include <gtest/gtest.h>

namespace stitch::kernels {
namespace {

// The element of a buffer of `shape` that `map` visits when loop i stands at `at[i]`.
int64_t visited(const Domain& domain, const IndexMap& map, const std::vector<int64_t>& shape,
                const std::vector<int64_t>& at) {
  const AffineIndex index = linear_index(domain.current(map), shape);
  int64_t element = index.offset;
  for (const Term& term : index.terms) {
    element += term.coefficient * at[static_cast<size_t>(term.loop)];
  }
  return element;
}

TEST(Domain, AxesAreLoops) {
  const Domain domain({2, 3});
  EXPECT_EQ(visited(domain, domain.anchor_map(), {2, 3}, {1, 2}), 5);
}

TEST(Domain, ReshapeSplitsALoop) {
  Domain domain({12});
  const auto map = domain.reshape(domain.anchor_map(), {12}, {3, 4});
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(domain.axis_loops(0).size(), 2U);
  EXPECT_EQ(domain.extent(domain.axis_loops(0)[0]), 3);
  EXPECT_EQ(domain.extent(domain.axis_loops(0)[1]), 4);
}

TEST(Domain, ReshapeOfAPermutedTensorThatCutsAcrossIsRefused) {
  Domain domain({4, 6});
  IndexMap transposed = {domain.anchor_map()[1], domain.anchor_map()[0]};
  EXPECT_FALSE(domain.reshape(transposed, {6, 4}, {8, 3}).has_value());
}

TEST(Domain, ReshapeThatJoinsAxesIsAffineWhateverTheirOrder) {
  Domain domain({4, 6});
  IndexMap transposed = {domain.anchor_map()[1], domain.anchor_map()[0]};
  const auto map = domain.reshape(transposed, {6, 4}, {24});
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(visited(domain, *map, {24}, {3, 5}), 23);
}

TEST(Domain, ReshapeOfASliceKeepsItsOffset) {
  Domain domain({2, 3});
  IndexMap sliced = domain.anchor_map();
  sliced[0].offset = 4;  // rows 4 and 5 of 6
  const auto map = domain.reshape(sliced, {6, 3}, {18});
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(visited(domain, *map, {18}, {1, 2}), 17);
}

TEST(Domain, ReshapeThatWouldCarryIsRefused) {
  Domain domain({4});
  IndexMap shifted = domain.anchor_map();
  shifted[0].offset = 1;  // elements 1 to 4 of 6, which cross from the first row of [2, 3] into the second
  EXPECT_FALSE(domain.reshape(shifted, {6}, {2, 3}).has_value());
}

TEST(Domain, BroadcastHoldsRepeatedAxes) {
  const Domain domain({4, 5});
  const IndexMap map = broadcast(domain.anchor_map(), {4, 5}, {1, 5});
  EXPECT_TRUE(map[0].terms.empty());
  EXPECT_EQ(map[1].terms.size(), 1U);
}

TEST(Domain, BatchOfOneLooksLikeAnyBatch) {
  Domain one({1, 6});
  Domain many({5, 6});
  ASSERT_TRUE(one.reshape(one.anchor_map(), {1, 6}, {1, 2, 3}).has_value());
  ASSERT_TRUE(many.reshape(many.anchor_map(), {5, 6}, {5, 2, 3}).has_value());
  EXPECT_EQ(one.axis_loops(1).size(), many.axis_loops(1).size());
}

}  // namespace
}  // namespace stitch::kernels
