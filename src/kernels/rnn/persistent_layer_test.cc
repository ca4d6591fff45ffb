// SPDX-License-Identifier: Apache-2.0
// For which layers and devices one launch of clusters is offered, and what it is expected to take.
#include "kernels/rnn/persistent_layer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/rnn/recurrent_layer.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// One direction, on random numbers nobody needs.
std::string text_of(const std::string& op, int gates, int units, int batch) {
  const std::string cell = op == "lstm_layer" ? "s, s" : "s";
  const std::string results = op == "lstm_layer" ? "top, last, cell" : "top, last";
  const std::string how = op == "rnn_layer" ? "; nonlinearity=\"tanh\"" : "";
  return fmt::format(
      "graph g mode=eval\ng: f32[512,{},{}] = input \"g\"\ns: f32[1,{},{}] = input \"s\"\n"
      "u: f32[{},{}] = parameter \"u\"\n{} = {}(g, {}, u, none, none, none, none{})\nreturn output \"0\" = top\n",
      batch, gates * units, batch, units, gates * units, units, results, op, cell, how);
}

std::vector<std::string> offered(const std::string& op, int gates, int units, int batch,
                                 const std::string& device = "H200") {
  const AskedKernel layer(text_of(op, gates, units, batch), make_recurrent_layer());
  return variants_of(layer.space(MathMode::kFp32, device_limits(device).value()), "cluster");
}

using Names = std::vector<std::string>;

TEST(PersistentLayer, IsOfferedWhereRegistersHoldTheWeights) {
  const Names all = {"cluster_rows_1", "cluster_rows_2", "cluster_rows_4"};
  EXPECT_EQ(offered("gru_layer", 3, 256, 10), all);
  EXPECT_EQ(offered("lstm_layer", 4, 128, 10), all);
  EXPECT_EQ(offered("lstm_layer", 4, 256, 10), (Names{"cluster_rows_1", "cluster_rows_2"}));
  EXPECT_EQ(offered("rnn_layer", 1, 512, 10), all);
  EXPECT_EQ(offered("gru_layer", 3, 257, 10), Names{});
  EXPECT_EQ(offered("rnn_layer", 1, 513, 10), Names{});
}

TEST(PersistentLayer, IsOfferedOnDevicesWithClusters) {
  EXPECT_EQ(offered("gru_layer", 3, 64, 1, "H100"), Names{"cluster_rows_1"});
  EXPECT_EQ(offered("gru_layer", 3, 64, 1, "A100"), Names{});
}

TEST(PersistentLayer, RunsItsStepsOneAfterAnother) {
  const AskedKernel layer(text_of("gru_layer", 3, 256, 10), make_recurrent_layer());
  const Work one = layer.work({"cluster_rows_1"});
  const Work four = layer.work({"cluster_rows_4"});
  EXPECT_EQ(one.launches, 1);
  EXPECT_NEAR(one.serial_us, 396, 40);  // measured, as is the next
  EXPECT_NEAR(four.serial_us, 829, 80);
  EXPECT_EQ(one.blocks, 9 * 10);
  EXPECT_EQ(four.blocks, 9 * 3);
  EXPECT_EQ(layer.shape({"cluster_rows_1"}).scratch_bytes, layer.shape({"rows_4"}).scratch_bytes);
}

}  // namespace
}  // namespace stitch::kernels
