// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/variants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/attention/attention.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

std::string attention_program(int64_t features, int64_t value_features, const char* type = "f32") {
  return fmt::format(
      "graph g mode=eval\nq: {2}[2,4,512,{0}] = input \"q\"\nk: {2}[2,2,500,{0}] = input \"k\"\n"
      "v: {2}[2,2,500,{1}] = input \"v\"\n"
      "y = scaled_dot_product_attention(q, k, v, none; is_causal=false, scale=0.1, enable_gqa=true)\n"
      "return output \"0\" = y\n",
      features, value_features, type);
}

std::vector<std::string> offered_parts(const std::string& program, MathMode math = MathMode::kFp32,
                                       const std::string& device = "H200") {
  const AskedKernel asked(program, make_attention());
  return variants_of(asked.space(math, device_limits(device).value()), "flash_fp16");
}

using Names = std::vector<std::string>;

TEST(AttentionVariants, FitTheLargerOfBothHeads) {
  EXPECT_EQ(offered_parts(attention_program(20, 32)), Names{"flash_fp16x3_32"});
  EXPECT_EQ(offered_parts(attention_program(33, 20)), Names{"flash_fp16x3_64"});
  EXPECT_EQ(offered_parts(attention_program(64, 65)), Names{"flash_fp16x3_96"});
  EXPECT_EQ(offered_parts(attention_program(97, 96)), Names{"flash_fp16x3_128"});
}

TEST(AttentionVariants, MultiplyPartsOfFloatsByWarpgroups) {
  const std::string floats = attention_program(64, 64);
  EXPECT_EQ(offered_parts(floats, MathMode::kTf32), (Names{"flash_fp16x3_64", "flash_fp16_64"}));
  EXPECT_EQ(offered_parts(floats, MathMode::kKernelBench), Names{"flash_fp16x3_64"});
  EXPECT_EQ(offered_parts(floats, MathMode::kFp32, "A100"), Names{});
  const std::string halves = attention_program(64, 64, "f16");
  EXPECT_EQ(offered_parts(halves, MathMode::kReduced), Names{});
  EXPECT_FALSE(AskedKernel(halves, make_attention()).allows({"flash_fp16x3_64"}));
}

// As runtime/kernels/attention/key_planes.cuh lays tiles of 64 keys and of their values out.
TEST(AttentionVariants, HaveRoomForKeysAndValuesInParts) {
  const AskedKernel asked(attention_program(96, 96), make_attention());
  constexpr int64_t kTiles = 2 * 2 * 8, kTileBytes = 64 * 96 * 4 + 128;
  EXPECT_EQ(asked.shape({"flash_fp16x3_96"}).scratch_bytes, kTiles * 2 * kTileBytes);
  EXPECT_EQ(asked.shape({"flash_tf32x3_128"}).scratch_bytes, 0);
}

}  // namespace
}  // namespace stitch::kernels
