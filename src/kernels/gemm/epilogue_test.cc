// SPDX-License-Identifier: Apache-2.0
// What a product's epilogue is expected to wait for.
#include "kernels/template/epilogue.h"

#include <gtest/gtest.h>

#include "kernels/gemm/gemm.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// A product of 64 batches, and what follows it, to `result`.
class Followed : public AskedKernel {
 public:
  Followed(const std::string& result_type, const std::string& nodes)
      : AskedKernel("graph g mode=eval\nx: f32[64,128,256] = input \"x\"\nw: f32[64,256,512] = input \"w\"\nr: f32[" +
                        result_type + "] = input \"r\"\ny = matmul(x, w)\n" + nodes + "return output \"0\" = z\n",
                    make_gemm()) {}
};

const Setting kTiles{"tf32x3_64x64", 1};
const Setting kParts{"tf32x3_64x64_split_k", 2};

TEST(Epilogue, CountsOperandsOfTheResultsSizeAlone) {
  EXPECT_EQ(large_operands_behind(Followed("64,128,512", "z = add(y, r)\n").group()), 1);
  EXPECT_EQ(large_operands_behind(Followed("512", "z = add(y, r)\n").group()), 0);
}

TEST(Epilogue, WaitsWhereResultsAreStoredInAnotherOrder) {
  const Followed straight("64,128,512", "z = add(y, r)\n");
  const Followed turned("128,64,512", "p = permute(y; dims=[1,0,2])\nz = add(p, r)\n");
  EXPECT_FALSE(stores_apart(straight.group()));
  ASSERT_TRUE(stores_apart(turned.group()));
  EXPECT_GT(turned.work(kTiles).serial_bytes, 2 * straight.work(kTiles).serial_bytes);
  // The launch that adds the parts of a depth has an epilogue of its own.
  EXPECT_EQ(turned.work(kParts).serial_bytes, straight.work(kParts).serial_bytes);
}

TEST(Product, PaysForColumnsThatHangOver) {
  const auto share_of = [](int64_t columns) {
    const std::string text = "graph g mode=eval\nx: f32[64,256] = input \"x\"\nw: f32[" + std::to_string(columns) +
                             ",256] = input \"w\"\ny = linear(x, w, none)\nreturn output \"0\" = y\n";
    return AskedKernel(text, make_gemm()).work(kTiles).peak_share;
  };
  EXPECT_LT(share_of(16), 0.9 * share_of(64));
}

TEST(Product, GivesTheLibraryABiasThatAReshapeMakes) {
  const auto asked = [](const std::string& bias) {
    return std::make_unique<AskedKernel>(
        "graph g mode=eval\nx: f32[64,256] = input \"x\"\nw: f32[512,256] = input \"w\"\nb: f32[1,512] = input "
        "\"b\"\n" +
            bias + "y = linear(x, w, c)\nreturn output \"0\" = y\n",
        make_gemm(), RootNode::kLast);
  };
  const auto seen = asked("c = reshape(b; shape=[512])\n");
  EXPECT_EQ(variants_of(seen->libraries(MathMode::kTf32), "cublaslt_tf32").size(), 2U);
  for (const Setting& setting : seen->libraries(MathMode::kTf32)) {
    seen->shape(setting);
  }
  // What has to be computed is the second kernel's.
  const auto computed = asked("r = reshape(b; shape=[512])\nc = mul(r, 2.0)\n");
  EXPECT_EQ(variants_of(computed->libraries(MathMode::kTf32)), std::vector<std::string>{"cublaslt_tf32_then"});
}

}  // namespace
}  // namespace stitch::kernels
