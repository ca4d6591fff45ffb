// SPDX-License-Identifier: Apache-2.0
// What tiles of a convolution are expected to reach, by how its windows are gathered.
#include <gtest/gtest.h>

#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

Work work_of(const std::string& node, const std::string& weight, const Setting& setting,
             const std::string& behind = "z = relu(y)\n", const std::string& extra = "") {
  const std::string text = "graph g mode=eval\nx: f32[16,64,64,64] = input \"x\"\nw: f32[" + weight +
                           "] = parameter \"w\"\n" + extra + "y = " + node + "\n" + behind +
                           "return output \"0\" = z\n";
  return AskedKernel(text, make_convolution()).work(setting);
}

const Setting kTiles{"tf32_64x64", 1};
constexpr const char* kForward = "conv2d(x, w, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)";

std::string back(const std::string& stride, const std::string& padding) {
  return "conv_transpose2d(x, w, none; stride=[" + stride + "], padding=[" + padding +
         "], output_padding=[0,0], dilation=[1,1], groups=1)";
}

TEST(Gathering, IsSparedWhereNoTapIs) {
  // Three taps of two phases are multiplied like four.
  EXPECT_GT(work_of(back("2,2", "1,1"), "64,64,3,3", kTiles).peak_share,
            work_of(back("2,2", "1,1"), "64,64,4,4", kTiles).peak_share);
}

TEST(Gathering, PhasesThatAreFarApartStorePartsOfSectors) {
  EXPECT_EQ(work_of(back("2,2", "1,1"), "64,64,3,3", kTiles).serial_bytes, 0);
  EXPECT_GT(work_of(back("5,5", "1,1"), "64,64,3,3", kTiles).serial_bytes, 0);
}

TEST(Gathering, AnEpilogueWaitsForATensorOfTheResultsSize) {
  const std::string other = "r: f32[16,64,64,64] = input \"r\"\n";
  EXPECT_EQ(work_of(kForward, "64,64,3,3", kTiles).serial_bytes, 0);
  EXPECT_GT(work_of(kForward, "64,64,3,3", kTiles, "z = add(y, r)\n", other).serial_bytes, 0);
}

TEST(Gathering, PartsOfADepthFindTheirPlacesAgain) {
  EXPECT_GT(work_of(kForward, "64,64,3,3", {"tf32_64x64_split_k", 2}).serial_bytes,
            3.0 * 4 * 16 * 64 * 64 * 64);  // as much as they write and read
}

}  // namespace
}  // namespace stitch::kernels
