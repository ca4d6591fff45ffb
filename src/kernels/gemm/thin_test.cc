// SPDX-License-Identifier: Apache-2.0
// Which products have a setting of little depth, and when it pays.
#include "kernels/gemm/thin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/gemm/gemm.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

class Product : public AskedKernel {
 public:
  Product(int64_t rows, int64_t depth, int64_t columns)
      : AskedKernel("graph g mode=eval\na: f32[" + std::to_string(rows) + "," + std::to_string(depth) +
                        "] = input \"a\"\nb: f32[" + std::to_string(depth) + "," + std::to_string(columns) +
                        "] = input \"b\"\ny = matmul(a, b)\nreturn output \"0\" = y\n",
                    make_gemm()) {}

  // Whether a line of the step's launch has `text`.
  bool launches(const char* variant, const std::string& text) const {
    const std::vector<std::string> lines = to_text(kernel().draft(group(), {variant}).value()).launch;
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
};

TEST(ThinProduct, IsASettingUpToADepthOf64) {
  EXPECT_TRUE(Product(4096, 64, 4096).offers({"tf32x3_thin"}));
  EXPECT_TRUE(Product(4096, 64, 4096).allows({"tf32x3_thin"}));
  EXPECT_FALSE(Product(4096, 65, 4096).offers({"tf32x3_thin"}));
  EXPECT_FALSE(Product(4096, 65, 4096).allows({"tf32x3_thin"}));
}

TEST(ThinProduct, IsNotOfferedWhereABlockHardlyWalks) {
  EXPECT_FALSE(Product(64, 64, 4096).offers({"tf32x3_thin"}));
  EXPECT_FALSE(Product(4096, 64, 64).offers({"tf32x3_thin"}));
  EXPECT_TRUE(Product(4096, 64, 64).allows({"tf32x3_thin"}));
}

TEST(ThinProduct, RoundsOnlyWhereTheModeMay) {
  const Product product(4096, 32, 4096);
  EXPECT_FALSE(product.offers({"tf32_thin"}));
  EXPECT_FALSE(product.offers({"tf32_thin"}, MathMode::kKernelBench));
  EXPECT_TRUE(product.offers({"tf32_thin"}, MathMode::kTf32));
}

TEST(ThinProduct, IsCompiledForTheDepthAtHand) {
  EXPECT_TRUE(Product(8, 32, 8).launches("tf32x3_thin", "launch_gemm_mma_thin<stitch::Tf32x3, 32"));
  EXPECT_TRUE(Product(8, 33, 8).launches("tf32_thin", "launch_gemm_mma_thin<stitch::Tf32, 64"));
}

}  // namespace
}  // namespace stitch::kernels
