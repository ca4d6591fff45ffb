// SPDX-License-Identifier: Apache-2.0
// What the skeleton of stacked layers takes and why not, and when cuDNN is a setting of it.
#include "kernels/rnn/recurrent_stack.h"

#include <gtest/gtest.h>

#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

class StackOfLayers : public AskedKernel {
 public:
  // The last of `lines` is the top layer, whose output the program hands back.
  explicit StackOfLayers(const std::string& lines)
      : AskedKernel(
            "graph g mode=eval\nx: f32[5,3,6] = input \"x\"\ns: f32[1,3,4] = input \"s\"\n"
            "b: f32[4] = parameter \"b\"\nw: f32[4,6] = parameter \"w\"\nu: f32[4,4] = parameter \"u\"\n" +
                lines + "return output \"0\" = top\n",
            make_recurrent_stack(), RootNode::kLast) {}

  std::string refusal() const { return kernel().fits(group()).reason; }
};

std::string layer(const std::string& name, const std::string& gates, const std::string& bias = "none",
                  const std::string& how = "tanh") {
  return name + ", " + name + "_last = rnn_layer(" + gates + ", s, u, " + bias + ", none, none, none; nonlinearity=\"" +
         how + "\")\n";
}

const std::string kBelow = "g0 = linear(x, w, b)\n" + layer("below", "g0", "b");

TEST(RecurrentStack, TakesLayersWithTheProductsOfTheirInputsAlone) {
  const std::string product = "g1 = linear(below, u, b)\n";
  EXPECT_EQ(StackOfLayers(kBelow + product + layer("top", "g1", "b")).refusal(), "");
  EXPECT_EQ(StackOfLayers(kBelow + product + layer("top", "g1", "b", "relu")).refusal(),
            "below is another kind of layer than the one above it");
  EXPECT_EQ(StackOfLayers(kBelow + product + "e = relu(g1)\n" + layer("top", "e")).refusal(),
            "e is no product of the layer's input in the step itself");
  EXPECT_EQ(StackOfLayers(kBelow + "r = relu(below)\ng1 = linear(r, u, b)\n" + layer("top", "g1")).refusal(),
            "top stands on no other layer of the step, or on too many");
  EXPECT_EQ(StackOfLayers(kBelow + product + "r = relu(below)\n" + layer("top", "g1", "b")).refusal(),
            "r follows from a layer under the last one");
}

TEST(RecurrentStack, AWaveIsALaunchAndAsManyMoreAsThereAreLayersBelow) {
  const StackOfLayers two(kBelow + "g1 = linear(below, u, b)\n" + layer("top", "g1", "b"));
  EXPECT_EQ(two.work({"wave_rows_4"}).launches, 5 + 1 + 2);  // five steps, one layer below, two fillings
  EXPECT_EQ(two.shape({"wave_rows_4"}).scratch_bytes, 3 * 2 * 3 * 4 * 4);
  EXPECT_GT(two.shape({"cudnn_fp32"}).scratch_bytes, int64_t{33} << 20);
}

TEST(RecurrentStack, CudnnIsOfferedByTheModesRoundingWhereEveryLayerHasBothBiasesOrNone) {
  const StackOfLayers whole(kBelow + "g1 = linear(below, u, b)\n" + layer("top", "g1", "b"));
  const StackOfLayers half(kBelow + "g1 = linear(below, u, none)\n" + layer("top", "g1", "b"));
  const std::vector<Setting> exact = {{"cudnn_fp32", 1}, {"cudnn_fp32_2", 1}};
  const std::vector<Setting> rounded = {{"cudnn_tf32", 1}, {"cudnn_tf32_2", 1}};
  EXPECT_EQ(whole.libraries(MathMode::kFp32), exact);
  EXPECT_EQ(whole.libraries(MathMode::kKernelBench), exact);
  EXPECT_EQ(whole.libraries(MathMode::kTf32), rounded);
  EXPECT_TRUE(half.libraries(MathMode::kFp32).empty());
}

TEST(RecurrentStack, PaysWhereAStepOfALayerIsSmall) {
  const auto pays = [](int batch, int units) {
    const std::string states = std::to_string(batch) + "," + std::to_string(units);
    const std::string weight = "[" + std::to_string(units) + "," + std::to_string(units) + "]";
    const auto graph = ir::parse("graph g mode=eval\ng: f32[3," + states + "] = input \"g\"\ns: f32[1," + states +
                                     "] = input \"s\"\nu: f32" + weight +
                                     " = parameter \"u\"\ntop, last = rnn_layer(g, s, u, none, none, none, none; "
                                     "nonlinearity=\"tanh\")\nreturn output \"0\" = top\n",
                                 "sample");
    return stack_pays(*graph, graph->nodes[0]);
  };
  EXPECT_TRUE(pays(10, 256));
  EXPECT_TRUE(pays(16, 512));
  EXPECT_FALSE(pays(32, 512));
  EXPECT_FALSE(pays(10, 1024));
}

}  // namespace
}  // namespace stitch::kernels
