// SPDX-License-Identifier: Apache-2.0
// For which stacks and devices one launch of clusters is offered, and what it is expected to take.
#include "kernels/rnn/stack_clusters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/rnn/recurrent_stack.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

struct Layers {
  std::string op = "gru_layer";
  int gates = 3;
  int units = 256;
  int batch = 10;
  int count = 6;
  std::string nonlinearity = "tanh";
};

std::string text_of(const Layers& layers) {
  const std::string results = layers.op == "lstm_layer" ? "{0}, {0}_last, {0}_cell" : "{0}, {0}_last";
  const std::string states = layers.op == "lstm_layer" ? "s, s" : "s";
  const std::string how = layers.op == "rnn_layer" ? "; nonlinearity=\"" + layers.nonlinearity + "\"" : "";
  const int width = layers.gates * layers.units;
  std::string text = fmt::format(
      "graph g mode=eval\nx: f32[512,{0},{1}] = input \"x\"\ns: f32[1,{0},{1}] = input \"s\"\n"
      "w: f32[{2},{1}] = parameter \"w\"\nb: f32[{2}] = parameter \"b\"\n",
      layers.batch, layers.units, width);
  std::string below = "x";
  for (int i = 0; i < layers.count; ++i) {
    const std::string name = fmt::format("layer_{}", i);
    text += fmt::format("g{} = linear({}, w, b)\n", i, below);
    text += fmt::format(fmt::runtime(results), name) +
            fmt::format(" = {}(g{}, {}, w, b, none, none, none{})\n", layers.op, i, states, how);
    below = name;
  }
  return text + "return output \"0\" = " + below + "\n";
}

std::vector<std::string> offered(const Layers& layers, const std::string& device = "H200") {
  const AskedKernel stack(text_of(layers), make_recurrent_stack(), RootNode::kLast);
  return variants_of(stack.space(MathMode::kFp32, device_limits(device).value()), "cluster");
}

using Names = std::vector<std::string>;

TEST(StackClusters, AreOfferedWhereAllRunAtOnceWithSamplesSharedEvenly) {
  EXPECT_EQ(offered({}), Names{"cluster_rows_5"});
  EXPECT_EQ(offered({"lstm_layer", 4, 256, 16}), Names{"cluster_rows_8"});
  EXPECT_EQ(offered({"rnn_layer", 1, 9, 1, 2}), Names{"cluster_rows_1"});
  EXPECT_EQ(offered({"gru_layer", 3, 100, 20, 4}), Names{"cluster_rows_7"});
  EXPECT_EQ(offered({"gru_layer", 3, 100, 20, 5}), Names{});  // 15 clusters
}

TEST(StackClusters, AreNotOfferedForStatesWithoutBoundsOrMoreUnitsThanBlocksHold) {
  EXPECT_EQ(offered({"rnn_layer", 1, 64, 4, 2, "relu"}), Names{});
  EXPECT_EQ(offered({"gru_layer", 3, 257, 10, 2}), Names{});
  EXPECT_EQ(offered({}, "A100"), Names{});
}

TEST(StackClusters, ServeOtherBatchesByTheSameCode) {
  const AskedKernel stack(text_of({}), make_recurrent_stack(), RootNode::kLast);
  const AskedKernel larger(text_of({"gru_layer", 3, 256, 40}), make_recurrent_stack(), RootNode::kLast);
  EXPECT_TRUE(stack.allows({"cluster_rows_7", 1}));
  EXPECT_FALSE(stack.allows({"cluster_rows_7", 2}));
  EXPECT_TRUE(larger.allows({"cluster_rows_5", 1}));
  const auto bytes_of = [](int batch) {
    const AskedKernel asked(text_of({"gru_layer", 3, 256, batch}), make_recurrent_stack(), RootNode::kLast);
    return asked.shape({"cluster_rows_5", 1}).scratch_bytes;
  };
  EXPECT_EQ(bytes_of(12) - bytes_of(11), bytes_of(11) - bytes_of(10));
}

TEST(StackClusters, TakeAsLongAsTheWaysOfOneLayersStates) {
  const AskedKernel two(text_of({"gru_layer", 3, 256, 10, 2}), make_recurrent_stack(), RootNode::kLast);
  const AskedKernel six(text_of({}), make_recurrent_stack(), RootNode::kLast);
  const Setting setting{"cluster_rows_5", 1};
  EXPECT_EQ(six.work(setting).blocks, 9 * 12);
  EXPECT_LT(six.work(setting).serial_us, 1.2 * two.work(setting).serial_us);
}

}  // namespace
}  // namespace stitch::kernels
