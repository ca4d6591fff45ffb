// SPDX-License-Identifier: Apache-2.0
// Which products have settings with lhs in registers, and what their steps say.
#include "kernels/gemm/registers.h"

#include <gtest/gtest.h>

#include "kernels/code/step_code.h"
#include "kernels/gemm/gemm.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

const Setting kOneBlock{"tf32x3_wgmma_128x64", 1};
const Setting kFourBlocks{"tf32x3_wgmma_128x64", 4};

class RegisterProduct : public AskedKernel {
 public:
  RegisterProduct(int64_t rows, int64_t depth, int64_t columns, const std::string& weight = "parameter")
      : AskedKernel("graph g mode=eval\nx: f32[" + std::to_string(rows) + "," + std::to_string(depth) +
                        "] = input \"x\"\nw: f32[" + std::to_string(columns) + "," + std::to_string(depth) +
                        "] = " + weight + " \"w\"\ny = linear(x, w, none)\nreturn output \"0\" = y\n",
                    make_gemm()) {}

  bool is_offered_on(const char* device, const Setting& setting) const {
    return offers(setting, MathMode::kFp32, device_limits(device).value());
  }
  std::string launch(const Setting& setting) const {
    std::string text;
    for (const std::string& line : to_text(kernel().draft(group(), setting).value()).launch) {
      text += line;
    }
    return text;
  }
};

TEST(RegisterProduct, IsOfferedWhereWgmmaIsAndTheWeightIsGiven) {
  EXPECT_TRUE(RegisterProduct(394, 2048, 512).is_offered_on("H200", kFourBlocks));
  EXPECT_FALSE(RegisterProduct(394, 2048, 512).is_offered_on("A100", kOneBlock));
  EXPECT_FALSE(RegisterProduct(394, 2048, 512, "input").allows(kOneBlock));
  EXPECT_FALSE(RegisterProduct(8, 2048, 512).is_offered_on("H200", kOneBlock)) << "few rows";
  EXPECT_TRUE(RegisterProduct(1, 3, 5).allows(kFourBlocks)) << "at reduced sizes the program's own setting stays";
}

TEST(RegisterProduct, SharesItsDepthWhereTilesAreFew) {
  EXPECT_FALSE(RegisterProduct(394, 256, 512).is_offered_on("H200", kFourBlocks));
  EXPECT_FALSE(RegisterProduct(4096, 2048, 4096).is_offered_on("H200", kFourBlocks));
  EXPECT_FALSE(RegisterProduct(394, 2048, 512).allows({"tf32x3_wgmma_128x64", 3}));
  EXPECT_EQ(RegisterProduct(394, 2048, 512).work(kFourBlocks).blocks, int64_t{4} * 4 * 8);
}

TEST(RegisterProduct, KeepsTheWeightInTheOrderInWhichItIsRead) {
  const RegisterProduct product(394, 100, 70);
  EXPECT_EQ(product.shape(kOneBlock).kept_bytes, int64_t{2} * 64 * 128 * 8);
  EXPECT_EQ(product.shape(kOneBlock).scratch_bytes, 0);
  const std::string text = product.launch(kOneBlock);
  EXPECT_NE(text.find("launch_arrange_rhs<stitch::RegisterTile<2, 64>, stitch::Layout::kContiguousK>(rhs, shape.n"),
            std::string::npos);
  EXPECT_NE(text.find("launch_gemm_kept_registers<stitch::RegisterTile<2, 64>, 1, "), std::string::npos);
  EXPECT_NE(text.find("args->kept, stream"), std::string::npos);
}

}  // namespace
}  // namespace stitch::kernels
