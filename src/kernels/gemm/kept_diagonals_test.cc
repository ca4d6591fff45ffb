// SPDX-License-Identifier: Apache-2.0
// Which sums a group takes of its product, and how many tiles have any.
#include "kernels/gemm/kept_diagonals.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

KeptDiagonals kept_of(const std::string& behind, size_t results = 1) {
  const ir::Graph graph = ir::parse(
                              "graph g mode=eval\na: f32[64,32] = input \"a\"\nb: f32[32,96] = input \"b\"\n"
                              "p = matmul(a, b)\n" +
                                  behind,
                              "sample")
                              .value();
  return kept_diagonals(group_of_all(graph, RootNode::kFirst, results));
}

TEST(KeptDiagonals, TheTriangleOfAProductBoundsThem) {
  EXPECT_EQ(kept_of("z = triu(p; diagonal=2)\nreturn output \"0\" = z\n").least, 2);
  EXPECT_EQ(kept_of("z = tril(p; diagonal=-1)\nreturn output \"0\" = z\n").greatest, -1);
  const KeptDiagonals behind =
      kept_of("s = mul(p, 0.5)\nr = relu(s)\nz = tril(r; diagonal=0)\nreturn output \"0\" = z\n");
  EXPECT_EQ(behind.greatest, 0);
  EXPECT_FALSE(behind.least.has_value());
}

TEST(KeptDiagonals, AllAreKeptWhereSomebodyTakesTheOthers) {
  EXPECT_TRUE(kept_of("z = relu(p)\nreturn output \"0\" = z\n").are_all());
  EXPECT_TRUE(kept_of("t = triu(p; diagonal=0)\nz = add(t, p)\nreturn output \"0\" = z\n").are_all());
  EXPECT_TRUE(kept_of("z = triu(p; diagonal=0)\nreturn output \"0\" = z, output \"1\" = p\n", 2).are_all());
  EXPECT_TRUE(kept_of("t = permute(p; dims=[1,0])\nz = triu(t; diagonal=0)\nreturn output \"0\" = z\n").are_all());
}

TEST(KeptDiagonals, TilesAreCountedThatHaveAny) {
  const KeptDiagonals upper{.least = 0};
  EXPECT_DOUBLE_EQ(upper.share_of_tiles(128, 128, 32, 32), 10.0 / 16);
  EXPECT_DOUBLE_EQ((KeptDiagonals{.greatest = -1}.share_of_tiles(128, 128, 32, 32)), 10.0 / 16);
  EXPECT_DOUBLE_EQ((KeptDiagonals{.greatest = -32}.share_of_tiles(128, 128, 32, 32)), 6.0 / 16);
  EXPECT_DOUBLE_EQ((KeptDiagonals{.least = 500}.share_of_tiles(128, 128, 32, 32)), 0);
  EXPECT_DOUBLE_EQ((KeptDiagonals{.greatest = -500}.share_of_tiles(128, 128, 32, 32)), 0);
  EXPECT_DOUBLE_EQ(upper.share_of_tiles(3, 4, 1, 1), 9.0 / 12);
  EXPECT_DOUBLE_EQ(KeptDiagonals{}.share_of_tiles(100, 100, 32, 32), 1);
}

}  // namespace
}  // namespace stitch::kernels
