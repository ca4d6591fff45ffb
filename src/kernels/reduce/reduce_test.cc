// SPDX-License-Identifier: Apache-2.0
// Which settings a reduction has, and what their work is.
#include "kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

class Variance : public AskedKernel {
 public:
  // Of a matrix, over axis 0 (columns) or 1 (rows).
  Variance(int64_t rows, int64_t columns, int axis)
      : AskedKernel("graph g mode=eval\nx: f32[" + std::to_string(rows) + "," + std::to_string(columns) +
                        "] = input \"x\"\ny = var(x; dim=[" + std::to_string(axis) +
                        "], correction=0, keepdim=false)\nreturn output \"0\" = y\n",
                    make_reduce()) {}
};

TEST(Reduce, ColumnsAreSplitIntoShorterPartsThanRows) {
  const Variance columns(6272, 64, 0);
  EXPECT_TRUE(columns.offers({"columns_split_8", 64}));
  EXPECT_FALSE(columns.offers({"columns_split_8", 128}));
  const Variance rows(64, 6272, 1);
  EXPECT_TRUE(rows.offers({"rows_split_256", 4}));
  EXPECT_FALSE(rows.offers({"rows_split_256", 16}));
}

// One result of a thousand million elements: with 1,024 parts the last wave is the most of a second one.
TEST(Reduce, LongRowsAreSplitIntoManyWavesOfBlocks) {
  const Variance row(1, int64_t{1} << 30, 1);
  ASSERT_TRUE(row.offers({"rows_split_256", 4096}));
  EXPECT_GT(row.work({"rows_split_256", 4096}).bandwidth_share, row.work({"rows_split_256", 1024}).bandwidth_share);
  EXPECT_GT(row.work({"rows_split_256", 1024}).bandwidth_share, 0.8);
}

TEST(Reduce, AThreadThatReadsManyElementsOfAColumnWaitsForThemOneAfterAnother) {
  const Variance columns(6272, 64, 0);
  EXPECT_GT(columns.work({"columns_8", 1}).serial_bytes, columns.work({"columns_32", 1}).serial_bytes);
  EXPECT_GT(columns.work({"columns_32", 1}).serial_bytes, columns.work({"columns_split_8", 64}).serial_bytes);
  const Variance shallow(64, 64, 0);
  EXPECT_GT(shallow.work({"columns_32", 1}).serial_bytes, shallow.work({"columns_8", 1}).serial_bytes);
}

// Rows by their sums.
class Normalise : public AskedKernel {
 public:
  Normalise(int64_t rows, int64_t columns)
      : AskedKernel("graph g mode=eval\nx: f32[" + std::to_string(rows) + "," + std::to_string(columns) +
                        "] = input \"x\"\ns = sum(x; dim=[1], keepdim=true)\ny = div(x, s)\nreturn output \"0\" = y\n",
                    make_reduce()) {}
};

TEST(Reduce, ShortRowsThatAreRewrittenShareAWarp) {
  const Normalise heads(94080, 32);
  EXPECT_TRUE(heads.offers({"lanes_8x4", 1}));
  EXPECT_FALSE(heads.offers({"lanes_32x16", 1}));
  EXPECT_TRUE(heads.allows({"lanes_32x16", 1})) << "at reduced sizes the program's own setting stays";
  EXPECT_LT(heads.work({"lanes_8x4", 1}).blocks, heads.work({"row_32x4", 1}).blocks);
  EXPECT_EQ(heads.work({"lanes_8x4", 1}).serial_us, 0);
  EXPECT_FALSE(Normalise(64, 1000).offers({"lanes_32x32", 1}));
  EXPECT_FALSE(Normalise(64, 1000).allows({"lanes_8x4", 1}));
}

TEST(Reduce, ColumnsOfOddWidthAreReadAsFastWhereThereAreMany) {
  const Setting setting{"columns_8", 1};
  EXPECT_GT(Variance(512, 65537, 0).work(setting).bandwidth_share,
            Variance(512, 65535, 0).work(setting).bandwidth_share);
}

}  // namespace
}  // namespace stitch::kernels
