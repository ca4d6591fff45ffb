// SPDX-License-Identifier: Apache-2.0
// Which products have a setting that splits its operands into planes, which keeps those of its weight, and how much
// memory the planes get.
#include "kernels/gemm/planes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/text/parser.h"
#include "kernels/gemm/gemm.h"

namespace stitch::kernels {
namespace {

class LinearProduct {
 public:
  LinearProduct(int64_t rows, int64_t depth, int64_t columns, const std::string& dtype = "f32",
                const std::string& weight = "input")
      : graph_(ir::parse("graph g mode=eval\nx: " + dtype + "[" + std::to_string(rows) + "," + std::to_string(depth) +
                             "] = input \"x\"\nw: " + dtype + "[" + std::to_string(columns) + "," +
                             std::to_string(depth) + "] = " + weight +
                             " \"w\"\ny = linear(x, w, none)\nreturn output \"0\" = y\n",
                         "sample")
                   .value()),
        group_(make_group(graph_, ir::NodeId{0}, {ir::NodeId{0}}, {graph_.inputs[0].value, graph_.inputs[1].value},
                          graph_.nodes[0].outputs)) {}

  bool offers(const char* device, const Setting& setting = kSetting) const {
    const std::vector<Setting> space = kernel_->space(group_, device_limits(device).value(), MathMode::kFp32);
    return std::find(space.begin(), space.end(), setting) != space.end();
  }
  bool allows(const Setting& setting = kSetting) const { return kernel_->allows(group_, setting); }
  StepShape shape(const Setting& setting = kSetting) const { return kernel_->shape(group_, setting).value(); }
  int64_t scratch_bytes() const { return shape().scratch_bytes; }
  Work work(const Setting& setting) const { return kernel_->work(group_, setting); }

 private:
  inline static const Setting kSetting{"fp16x3_128x256", 1};
  ir::Graph graph_;
  Group group_;
  std::unique_ptr<KernelTemplate> kernel_ = make_gemm();
};

TEST(PlanesProduct, IsOfferedWhereWgmmaIs) {
  const LinearProduct product(4096, 512, 1024);
  EXPECT_TRUE(product.offers("H200"));
  EXPECT_TRUE(product.offers("H100"));
  EXPECT_FALSE(product.offers("A100"));
  EXPECT_FALSE(product.offers("B200"));
}

TEST(PlanesProduct, IsOfferedToLargeProductsOfFloats) {
  EXPECT_FALSE(LinearProduct(64, 512, 1024).offers("H200"));
  EXPECT_TRUE(LinearProduct(64, 512, 1024).allows());
  EXPECT_FALSE(LinearProduct(4096, 512, 1024, "bf16").offers("H200"));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024, "bf16").allows());
}

// Blocks of 64 rows by 32 of depth, 4 bytes an element, and 4 bytes a row, for either operand.
TEST(PlanesProduct, HasMemoryForWholeBlocksThatGrowsByTheRow) {
  EXPECT_GE(LinearProduct(65, 33, 1).scratch_bytes(), (128 * 64 + 64 * 64) * 4 + 66 * 4);
  const int64_t one = LinearProduct(1, 96, 64).scratch_bytes();
  const int64_t two = LinearProduct(2, 96, 64).scratch_bytes();
  EXPECT_EQ(LinearProduct(1000, 96, 64).scratch_bytes(), one + 999 * (two - one));
}

const Setting kCalled{"fp16x3_128x256", 1};
const Setting kKept{"fp16x3_128x256_kept", 1};

TEST(PlanesProduct, KeepsThePlanesOfAParameter) {
  const LinearProduct product(4096, 512, 1024, "f32", "parameter");
  EXPECT_TRUE(product.offers("H200", kKept));
  EXPECT_TRUE(product.allows(kKept));
  EXPECT_FALSE(LinearProduct(4096, 512, 1024).offers("H200", kKept));
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
