// SPDX-License-Identifier: Apache-2.0
// Which settings positions along an axis have, and which are expected to be fast.
#include "kernels/reduce/positions.h"

#include <gtest/gtest.h>

#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

class Argmax : public AskedKernel {
 public:
  // Of three axes, over `axis`.
  Argmax(const std::string& shape, int axis)
      : AskedKernel("graph g mode=eval\nx: f32[" + shape + "] = input \"x\"\ny = argmax(x; dim=[" +
                        std::to_string(axis) + "], keepdim=false)\nreturn output \"0\" = y\n",
                    make_reduce_positions()) {}
};

TEST(Positions, AMiddleAxisIsSharedByThreadsOfNeighbouringRows) {
  const Argmax middle("128,4096,4095", 1);
  ASSERT_TRUE(middle.offers({"columns_32", 1}));
  EXPECT_TRUE(middle.offers({"rows_1", 1}));
  EXPECT_GT(middle.work({"columns_32", 1}).bandwidth_share, middle.work({"rows_1", 1}).bandwidth_share);
  EXPECT_GT(middle.work({"rows_1", 1}).bandwidth_share, middle.work({"rows_32", 1}).bandwidth_share);
}

TEST(Positions, AnInnermostAxisIsReadAlongRows) {
  const Argmax innermost("128,4096,4095", 2);
  EXPECT_FALSE(innermost.offers({"columns_32", 1}));
  EXPECT_GT(innermost.work({"rows_32", 1}).bandwidth_share, innermost.work({"rows_1", 1}).bandwidth_share);
}

TEST(Positions, FewLongColumnsAreSplit) {
  const Argmax first("65536,2,32", 0);
  ASSERT_TRUE(first.offers({"columns_split_8", 256}));
  EXPECT_EQ(first.work({"columns_split_8", 256}).launches, 2);
  EXPECT_EQ(first.work({"columns_split_8", 256}).blocks, 2 * 256);
  EXPECT_FALSE(Argmax("255,2,32", 0).offers({"columns_split_8", 4}));
}

}  // namespace
}  // namespace stitch::kernels
