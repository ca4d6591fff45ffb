// SPDX-License-Identifier: Apache-2.0
// Which products have settings whose blocks split their operands on the way, and which parts of the depth they share;
// and the setting of little depth on planes.
#include "kernels/gemm/chunks.h"

#include <gtest/gtest.h>

#include "kernels/code/step_code.h"
#include "kernels/gemm/gemm.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

const Setting kOfCluster{"fp16x3_64x128_chunks_kept", 4};

class ChunkedProduct : public AskedKernel {
 public:
  ChunkedProduct(int64_t rows, int64_t depth, int64_t columns, const std::string& weight = "parameter",
                 const std::string& dtype = "f32")
      : AskedKernel("graph g mode=eval\nx: " + dtype + "[" + std::to_string(rows) + "," + std::to_string(depth) +
                        "] = input \"x\"\nw: " + dtype + "[" + std::to_string(columns) + "," + std::to_string(depth) +
                        "] = " + weight + " \"w\"\ny = linear(x, w, none)\nreturn output \"0\" = y\n",
                    make_gemm()) {}

  bool is_offered_on(const char* device, const Setting& setting) const {
    return offers(setting, MathMode::kFp32, device_limits(device).value());
  }
  bool launches(const Setting& setting, const std::string& text) const {
    for (const std::string& line : to_text(kernel().draft(group(), setting).value()).launch) {
      if (line.find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }
};

TEST(ChunkedProduct, IsOfferedWhereWgmmaIs) {
  const ChunkedProduct product(394, 2048, 512);
  EXPECT_TRUE(product.is_offered_on("H200", kOfCluster));
  EXPECT_FALSE(product.is_offered_on("A100", kOfCluster));
  EXPECT_FALSE(product.is_offered_on("B200", kOfCluster));
  EXPECT_FALSE(ChunkedProduct(394, 2048, 512, "parameter", "bf16").allows(kOfCluster));
}

TEST(ChunkedProduct, KeepsThePlanesOfAParameterAlone) {
  EXPECT_TRUE(ChunkedProduct(394, 2048, 512).allows(kOfCluster));
  EXPECT_FALSE(ChunkedProduct(394, 2048, 512, "input").allows(kOfCluster));
  EXPECT_GE(ChunkedProduct(394, 2048, 512).shape(kOfCluster).kept_bytes, 512 * 2048 * 4);
  EXPECT_EQ(ChunkedProduct(394, 2048, 512).shape(kOfCluster).scratch_bytes, 0);
}

TEST(ChunkedProduct, SharesItsDepthAmongAsManyBlocksAsRunAtOnce) {
  EXPECT_TRUE(ChunkedProduct(394, 2048, 512).is_offered_on("H200", kOfCluster));
  EXPECT_FALSE(ChunkedProduct(394, 256, 512).is_offered_on("H200", kOfCluster));
  EXPECT_FALSE(ChunkedProduct(4096, 2048, 4096).is_offered_on("H200", kOfCluster));
  EXPECT_FALSE(ChunkedProduct(394, 2048, 512).allows({"fp16x3_64x128_chunks_kept", 3}));
}

TEST(ChunkedProduct, NamesItsClusterInTheLaunch) {
  EXPECT_TRUE(ChunkedProduct(394, 2048, 512).launches(kOfCluster, "launch_gemm_kept_chunks<stitch::ChunkTileKept, 4"));
}

}  // namespace
}  // namespace stitch::kernels
