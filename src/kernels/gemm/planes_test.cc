// SPDX-License-Identifier: Apache-2.0
// Which products have a setting that splits its operands into planes, which keeps those of its weight, and how much
// memory the planes get.
#include "kernels/gemm/planes.h"

#include <gtest/gtest.h>

#include "kernels/gemm/gemm.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

const Setting kCalled{"fp16x3_128x256", 1};
const Setting kKept{"fp16x3_128x256_kept", 1};

class LinearProduct : public AskedKernel {
 public:
  LinearProduct(int64_t rows, int64_t depth, int64_t columns, const std::string& dtype = "f32",
                const std::string& weight = "input")
      : AskedKernel("graph g mode=eval\nx: " + dtype + "[" + std::to_string(rows) + "," + std::to_string(depth) +
                        "] = input \"x\"\nw: " + dtype + "[" + std::to_string(columns) + "," + std::to_string(depth) +
                        "] = " + weight + " \"w\"\ny = linear(x, w, none)\nreturn output \"0\" = y\n",
                    make_gemm()) {}

  bool is_offered_on(const char* device, const Setting& setting = kCalled) const {
    return offers(setting, MathMode::kFp32, device_limits(device).value());
  }
  int64_t scratch_bytes() const { return shape(kCalled).scratch_bytes; }
};

TEST(PlanesProduct, IsOfferedWhereWgmmaIs) {
  const LinearProduct product(4096, 512, 1024);
  EXPECT_TRUE(product.is_offered_on("H200"));
  EXPECT_TRUE(product.is_offered_on("H100"));
  EXPECT_FALSE(product.is_offered_on("A100"));
  EXPECT_FALSE(product.is_offered_on("B200"));
}

TEST(PlanesProduct, IsOfferedToLargeProductsOfFloats) {
  EXPECT_FALSE(LinearProduct(64, 512, 1024).is_offered_on("H200"));
  EXPECT_TRUE(LinearProduct(64, 512, 1024).allows(kCalled));
  EXPECT_TRUE(LinearProduct(4096, 64, 1024).is_offered_on("H200"));
  EXPECT_FALSE(LinearProduct(4096, 48, 1024).is_offered_on("H200"));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024, "bf16").is_offered_on("H200"));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024, "bf16").allows(kCalled));
}

// Blocks of 64 rows by 32 of depth, 4 bytes an element, and 4 bytes a row, for either operand.
TEST(PlanesProduct, HasMemoryForWholeBlocksThatGrowsByTheRow) {
  EXPECT_GE(LinearProduct(65, 33, 1).scratch_bytes(), (128 * 64 + 64 * 64) * 4 + 66 * 4);
  const int64_t one = LinearProduct(1, 96, 64).scratch_bytes();
  const int64_t two = LinearProduct(2, 96, 64).scratch_bytes();
  EXPECT_EQ(LinearProduct(1000, 96, 64).scratch_bytes(), one + 999 * (two - one));
}

TEST(PlanesProduct, KeepsThePlanesOfAParameter) {
  const LinearProduct product(4096, 512, 1024, "f32", "parameter");
  EXPECT_TRUE(product.is_offered_on("H200", kKept));
  EXPECT_TRUE(product.allows(kKept));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024).is_offered_on("H200", kKept));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024).allows(kKept));
}

TEST(PlanesProduct, MakesKeptPlanesInNoCall) {
  const LinearProduct product(128, 512, 4096, "f32", "parameter");
  EXPECT_EQ(product.shape(kCalled).kept_bytes, 0);
  EXPECT_GE(product.shape(kKept).kept_bytes, 4096 * 512 * 4 + 4096 * 4);
  EXPECT_EQ(product.shape(kKept).kept_bytes + product.shape(kKept).scratch_bytes, product.shape(kCalled).scratch_bytes);
  EXPECT_LT(product.work(kKept).serial_bytes, product.work(kCalled).serial_bytes / 20);
  EXPECT_LT(product.work(kKept).launches, product.work(kCalled).launches);
}

}  // namespace
}  // namespace stitch::kernels
