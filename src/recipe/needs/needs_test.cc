// SPDX-License-Identifier: Apache-2.0
#include "recipe/needs/needs.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "recipe/needs/dry_run.h"

namespace stitch::recipe {
namespace {

constexpr double kGiga = 1e9;

ModelSizes qwen3_32b() {
  return {.vocabulary = 151936,
          .hidden = 5120,
          .intermediate = 25600,
          .layers = 64,
          .heads = 64,
          .kv_heads = 8,
          .head_dim = 128,
          .max_positions = 40960,
          .ties_embeddings = false};
}

TEST(Needs, OfQwen3WithLoraAreThoseReckonedByHand) {
  const Stage stage{
      .name = "", .verb = "grpo", .keys = Json::parse(R"({"steps": 100, "model": {"path": "x", "dtype": "bfloat16"},
                      "lora": {"r": 128}, "prompts": {"max_tokens": 8192},
                      "rollout": {"max_tokens": 16384, "batch": 8},
                      "algo": {"prompts_per_step": 16, "group_size": 6},
                      "micro_batch": 1, "recompute_blocks": true})")};
  const Needs needs = needs_of(stage, qwen3_32b());
  EXPECT_NEAR(needs.parameters, 32.8e9, 0.1e9);
  EXPECT_NEAR(needs.trained_parameters, 1.07e9, 0.01e9);  // 16.8 M a layer
  EXPECT_NEAR(needs.weight_bytes / kGiga, 65.5, 0.1);
  EXPECT_NEAR(needs.optimizer_bytes / kGiga, 17.2, 0.1);
  EXPECT_NEAR(needs.activation_bytes / kGiga, 16 + 8, 1);  // inputs of all blocks, and one block again
  EXPECT_NEAR(needs.head_bytes / kGiga, 1.24, 0.02);
  EXPECT_NEAR(needs.cache_bytes / kGiga, 51.5, 0.1);
  EXPECT_EQ(needs.samples, 96);
  EXPECT_EQ(needs.tokens, 96 * 24576);
  EXPECT_EQ(needs.drawn_tokens, 96 * 16384);
}

TEST(Needs, WithoutAnAdapterAllWeightsAreTrainedAndAReferenceIsACopy) {
  const auto keys = [](const char* kl) {
    return Json::parse(std::string(R"({"steps": 1, "model": {"path": "x"}, "algo": {"kl": ")") + kl + R"("}})");
  };
  const Needs plain = needs_of({"", "grpo", keys("off")}, qwen3_32b());
  const Needs held = needs_of({"", "grpo", keys("loss_k3")}, qwen3_32b());
  EXPECT_EQ(plain.weight_bytes, 0);
  EXPECT_EQ(plain.optimizer_bytes, plain.parameters * 16);
  EXPECT_EQ(held.weight_bytes, held.parameters * 4);
}

TEST(Needs, OfFewerStoredBlocksAreLess) {
  Json keys = Json::parse(R"({"steps": 1, "batch": 4, "model": {"path": "x"}, "lora": {"r": 8}})");
  const Needs stored = needs_of({"", "sft", keys}, qwen3_32b());
  keys["recompute_blocks"] = true;
  const Needs again = needs_of({"", "sft", keys}, qwen3_32b());
  EXPECT_LT(again.activation_bytes, stored.activation_bytes / 10);
  EXPECT_GT(again.flops, stored.flops);
  EXPECT_EQ(stored.cache_bytes, 0);
}

// Every recipe of configs/ is one, and those of the papers have the published values.
TEST(Recipes, AreTaken) {
  const std::filesystem::path folder = std::string(STITCH_SOURCE_DIR) + "/configs";
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      ++count;
      const Result<DryRunReport> report = dry_run({.config = entry.path()});
      ASSERT_TRUE(report.has_value()) << entry.path() << ": " << report.error().message;
      for (const PlannedStage& each : report->stages) {
        EXPECT_LE(each.needs.bytes(), report->device_bytes) << entry.path() << " " << each.stage.name;
        EXPECT_FALSE(each.stage.verb.empty()) << entry.path();
      }
    }
  }
  EXPECT_GE(count, 4u);
  const DryRunReport paper = dry_run({.config = folder / "stitchcuda-grpo.json"}).value();
  const Json& keys = paper.stages.front().stage.keys;
  EXPECT_EQ(number_at(keys, "lora.r", 0), 128);
  EXPECT_EQ(number_at(keys, "algo.kl_coef", 0), 0.03);
  EXPECT_EQ(number_at(keys, "optimizer.learning_rate", 0), 1e-6);
  EXPECT_EQ(paper.stages.front().needs.samples, 96);
  const DryRunReport chain = dry_run({.config = folder / "cuda-agent.json"}).value();
  ASSERT_EQ(chain.stages.size(), 4u);
  EXPECT_EQ(chain.stages[1].stage.verb, "rft");
  EXPECT_EQ(chain.stages[1].needs.drawn_tokens, 0);
  EXPECT_EQ(chain.stages[3].needs.trained_parameters, chain.stages[0].needs.trained_parameters);  // its adapter
  EXPECT_EQ(number_at(chain.stages[3].stage.keys, "ppo.critic_lr", 0),
            2 * number_at(chain.stages[3].stage.keys, "optimizer.learning_rate", 0));
}

}  // namespace
}  // namespace stitch::recipe
