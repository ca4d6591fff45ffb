// SPDX-License-Identifier: Apache-2.0
// Logits, log-probabilities and gradients against what transformers and peft compute (N4, N5, N6, N8, N9, N11 and N12
// of the list of exactness tests).
#include "train/model/decoder.h"

#include <gtest/gtest.h>

#include "train/model/golden_fixture.h"
#include "train/model/token_scores.h"

namespace stitch::train {
namespace {

Tensor loss_of(const Decoder& decoder, const Tensor& tokens, const Tensor& wanted, const Pass& pass = {},
               const ScoreSettings& settings = {}) {
  return -token_scores(decoder, tokens, wanted, pass, settings).log_probs.sum() / wanted.sum();
}

NamedTensors gradients_of(const NamedTensors& parameters) {
  NamedTensors found;
  for (const auto& [name, parameter] : parameters) {
    found[name] = parameter.grad().clone();
    parameter.mutable_grad().reset();
  }
  return found;
}

NamedTensors gradients(const Decoder& decoder, const Tensor& tokens, const Tensor& wanted, const Pass& pass = {},
                       const ScoreSettings& settings = {}) {
  loss_of(decoder, tokens, wanted, pass, settings).backward();
  return gradients_of(decoder.trainable());
}

class OfTransformers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Golden, OfTransformers, testing::ValuesIn(kGoldens));

TEST_P(OfTransformers, LogitsAndLogProbs) {
  const Golden golden = read_golden(GetParam());
  const Decoder decoder = golden.decoder();
  const Tensor logits = decoder.logits(decoder.hidden(golden.at("tokens")));
  EXPECT_LE(distance(logits, golden.at("logits")), 1e-5);
  const Tensor everywhere = at::ones_like(golden.at("wanted"));
  const Tensor log_probs = token_scores(decoder, golden.at("tokens"), everywhere).log_probs;
  EXPECT_LE(distance(log_probs, golden.at("log_probs")), 1e-5);
}

TEST_P(OfTransformers, LossAndEveryGradient) {
  const Golden golden = read_golden(GetParam());
  Decoder decoder = golden.decoder();
  decoder.train_base(true);
  const Tensor loss = loss_of(decoder, golden.at("tokens"), golden.at("wanted"));
  EXPECT_LE(distance(loss, golden.at("loss")), 1e-6);
  loss.backward();
  const NamedTensors ours = gradients_of(decoder.trainable());
  const NamedTensors theirs = golden.below("grad");
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, gradient] : theirs) {
    EXPECT_LE(distance(ours.at(name), gradient), 1e-5) << name;
    EXPECT_LE(relative_distance(ours.at(name), gradient), 1e-4) << name;
  }
}

TEST(Decoder, AdapterOfPeft) {
  const Golden golden = read_golden("qwen3_untied");
  Decoder decoder = golden.decoder();
  ASSERT_TRUE(decoder.load_adapter(adapter_of(3, 5), golden.below("lora")).has_value());
  EXPECT_LE(distance(decoder.logits(decoder.hidden(golden.at("tokens"))), golden.at("lora_logits")), 1e-5);
  const NamedTensors ours = gradients(decoder, golden.at("tokens"), golden.at("wanted"));
  const NamedTensors theirs = golden.below("lora_grad");
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, gradient] : theirs) {
    EXPECT_LE(relative_distance(ours.at(name), gradient), 1e-4) << name;
  }
  // The reference policy is the base alone, and what is merged is what was added.
  const Tensor base = decoder.hidden(golden.at("tokens"), {.adapter = false});
  EXPECT_TRUE(at::equal(decoder.logits(base), golden.decoder().logits(golden.decoder().hidden(golden.at("tokens")))));
  decoder.merge_adapter();
  EXPECT_EQ(decoder.adapter(), nullptr);
  EXPECT_LE(distance(decoder.logits(decoder.hidden(golden.at("tokens"))), golden.at("lora_logits")), 1e-5);
}

TEST(Decoder, WhatIsDrawnIsPlacedOneByOne) {
  const auto narrow = [](const Tensor& drawn) { return drawn.to(at::kBFloat16); };
  const auto placed = Decoder::random_placed(tiny_config(), 3, 0.3, narrow);
  ASSERT_TRUE(placed.has_value());
  for (const auto& [name, parameter] : Decoder::random(tiny_config(), 3, 0.3).base_parameters()) {
    EXPECT_TRUE(at::equal(placed->base_parameters().at(name), parameter.to(at::kBFloat16))) << name;
  }
  const auto too_large = [](const Tensor&) { return at::empty({int64_t{1} << 60U}); };
  const auto full = Decoder::random_placed(tiny_config(), 3, 0.3, too_large);
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, ErrorCode::kEnvironment);
  EXPECT_NE(full.error().message.find("there is no room for"), std::string::npos) << full.error().message;
}

TEST(Decoder, AFreshAdapterChangesNothing) {
  compute_reproducibly();
  const Tensor tokens = at::arange(8, at::kLong).unsqueeze(0);
  Decoder decoder = Decoder::random(tiny_config(), 3, 0.3);
  const Tensor before = decoder.logits(decoder.hidden(tokens));
  decoder.add_adapter(adapter_of(2, 4), 5);
  EXPECT_TRUE(at::equal(decoder.logits(decoder.hidden(tokens)), before));
  const NamedTensors found = gradients(decoder, tokens, at::ones({1, 7}, at::kBool));
  EXPECT_EQ(found.size(), 2 * 2 * kLinears.size());
  for (const auto& [name, gradient] : found) {  // B is zero, so what reaches A is, too
    EXPECT_EQ(gradient.abs().max().item<double>() > 0, name.ends_with("lora_B.weight")) << name;
  }
  for (const auto& [name, parameter] : decoder.base_parameters()) {
    EXPECT_FALSE(parameter.requires_grad()) << name;
  }
}

TEST(Decoder, RankStabilisedAdaptersAreScaledByTheRoot) {
  compute_reproducibly();
  const Tensor tokens = at::arange(8, at::kLong).unsqueeze(0);
  Decoder decoder = Decoder::random(tiny_config(), 3, 0.3);
  decoder.add_adapter(adapter_of(4, 2), 5);
  NamedTensors adapter = decoder.adapter_parameters();
  for (auto& [name, tensor] : adapter) {
    tensor = tensor.detach() + 0.1;
  }
  ASSERT_TRUE(decoder.load_adapter(adapter_of(4, 4), adapter).has_value());
  const Tensor plain = decoder.hidden(tokens);
  weights::AdapterConfig stabilised = adapter_of(4, 2);
  stabilised.is_rank_stabilised = true;
  ASSERT_TRUE(decoder.load_adapter(stabilised, adapter).has_value());
  EXPECT_TRUE(at::equal(decoder.hidden(tokens), plain));
}

// In fp64, by central differences, on parameters of every kind.
TEST(Decoder, GradientsAreTheSlopes) {
  compute_reproducibly();
  NamedTensors wide;
  for (const auto& [name, parameter] : Decoder::random(tiny_config(), 11, 0.3).base_parameters()) {
    wide[name] = parameter.to(at::kDouble);
  }
  wide.emplace("lm_head.weight", wide.at("model.embed_tokens.weight") + 0.1);
  Decoder decoder = Decoder::from_parameters(tiny_config(), wide).value();
  decoder.train_base(true);
  const Tensor tokens = at::tensor({3, 1, 4, 1, 5, 9, 2, 6}, at::kLong).unsqueeze(0);
  const Tensor wanted = at::ones({1, 7}, at::kBool);
  const NamedTensors found = gradients(decoder, tokens, wanted);
  const double step = 1e-5;
  const at::NoGradGuard no_gradients;
  int64_t place = 0;
  for (const auto& [name, parameter] : decoder.trainable()) {
    for (int draw = 0; draw < 8; ++draw) {
      place = (place * 31 + 7) % parameter.numel();
      const Tensor element = parameter.flatten()[place];
      const double kept = element.item<double>();
      element.fill_(kept + step);
      const double above = loss_of(decoder, tokens, wanted).item<double>();
      element.fill_(kept - step);
      const double below = loss_of(decoder, tokens, wanted).item<double>();
      element.fill_(kept);
      const double slope = (above - below) / (2 * step);
      EXPECT_NEAR(found.at(name).flatten()[place].item<double>(), slope, 1e-6 * std::max(1e-2, std::abs(slope)))
          << name << " at " << place;
    }
  }
}

TEST(Decoder, RecomputedBlocksHaveTheSameGradientsToTheBit) {
  const Golden golden = read_golden("qwen3_tied");
  for (const bool with_adapter : {false, true}) {
    Decoder decoder = golden.decoder();
    decoder.train_base(true);
    if (with_adapter) {
      decoder.add_adapter(adapter_of(2, 4), 5);
    }
    const NamedTensors kept = gradients(decoder, golden.at("tokens"), golden.at("wanted"));
    const NamedTensors again = gradients(decoder, golden.at("tokens"), golden.at("wanted"), {.recompute_blocks = true});
    ASSERT_EQ(kept.size(), again.size());
    for (const auto& [name, gradient] : kept) {
      EXPECT_TRUE(at::equal(again.at(name), gradient)) << name;
    }
  }
}

// Gradients have the weights' type, and are those of fp32 to within what bf16 holds.
TEST(Decoder, LayersComputeInBf16WhileWeightsStayInFp32) {
  const Golden golden = read_golden("qwen3_tied");
  Decoder decoder = golden.decoder();
  decoder.train_base(true);
  const Tensor wide = decoder.hidden(golden.at("tokens")).detach();
  const NamedTensors exact = gradients(decoder, golden.at("tokens"), golden.at("wanted"));
  decoder.compute_in(at::kBFloat16);
  const Tensor mixed = decoder.hidden(golden.at("tokens")).detach();
  EXPECT_EQ(mixed.scalar_type(), at::kFloat);
  EXPECT_GT(distance(mixed, wide), 1e-5) << "nothing was rounded";
  EXPECT_LE(relative_distance(mixed, wide), 0.02);
  for (const bool recompute : {false, true}) {
    const NamedTensors rounded =
        gradients(decoder, golden.at("tokens"), golden.at("wanted"), {.recompute_blocks = recompute});
    ASSERT_EQ(rounded.size(), exact.size());
    for (const auto& [name, gradient] : exact) {
      EXPECT_EQ(rounded.at(name).scalar_type(), at::kFloat) << name;
      EXPECT_LE(relative_distance(rounded.at(name), gradient), 0.1) << name;
    }
  }
  EXPECT_EQ(decoder.make_cache(1, 4).layers[0].keys.scalar_type(), at::kBFloat16);
  EXPECT_EQ(decoder.twin().compute_type(), at::kBFloat16);
}

TEST(Decoder, ChunksOfTheHeadMakeNoDifference) {
  const Golden golden = read_golden("qwen3_untied");
  Decoder decoder = golden.decoder();
  decoder.train_base(true);
  const NamedTensors whole = gradients(decoder, golden.at("tokens"), golden.at("wanted"));
  const auto scores = [&](int64_t chunk) {
    const ScoreSettings settings{.temperature = 0.7, .chunk = chunk, .with_entropy = true};
    return token_scores(decoder, golden.at("tokens"), golden.at("wanted"), {}, settings);
  };
  for (const int64_t chunk : {1, 7}) {
    const NamedTensors found = gradients(decoder, golden.at("tokens"), golden.at("wanted"), {}, {.chunk = chunk});
    for (const auto& [name, gradient] : whole) {
      EXPECT_LE(relative_distance(found.at(name), gradient), 1e-6) << name << ", chunks of " << chunk;
    }
    EXPECT_LE(distance(scores(chunk).log_probs, scores(1024).log_probs), 1e-6);
    EXPECT_LE(distance(scores(chunk).entropies, scores(1024).entropies), 1e-6);
  }
  const Tensor all = at::log_softmax(decoder.logits(decoder.hidden(golden.at("tokens"))) / 0.7, -1).narrow(1, 0, 10);
  const Tensor entropies = -(all.exp() * all).sum(-1) * golden.at("wanted");
  EXPECT_LE(distance(scores(3).entropies, entropies), 1e-6);
}

TEST(Decoder, RefusesParametersThatDoNotFit) {
  const Golden golden = read_golden("qwen3_untied");
  const auto refused = [&](const NamedTensors& parameters) {
    const auto made = Decoder::from_parameters(golden.config, parameters);
    return made.has_value() ? "taken" : made.error().message;
  };
  NamedTensors parameters = golden.below("param");
  const Tensor norm = parameters.at("model.norm.weight");
  parameters.erase("model.norm.weight");
  EXPECT_EQ(refused(parameters), "parameter model.norm.weight is missing");
  parameters["model.norm.weight"] = at::ones({17});
  EXPECT_EQ(refused(parameters), "parameter model.norm.weight has shape [17] where [16] belongs");
  parameters["model.norm.weight"] = at::ones({16}, at::kLong);
  EXPECT_EQ(refused(parameters), "parameter model.norm.weight is not of a floating-point type");
  parameters["model.norm.weight"] = norm;
  parameters["model.layers.2.input_layernorm.weight"] = norm;
  EXPECT_EQ(refused(parameters), "parameter model.layers.2.input_layernorm.weight is none of this model");
}

TEST(Decoder, ValuesStartAtZeroAndHaveGradients) {
  compute_reproducibly();
  Decoder decoder = Decoder::random(tiny_config(), 3, 0.3);
  decoder.add_value_head();
  const Tensor values = decoder.values(decoder.hidden(at::arange(8, at::kLong).unsqueeze(0)));
  EXPECT_EQ(values.sizes().vec(), (std::vector<int64_t>{1, 8}));
  EXPECT_EQ(values.abs().max().item<double>(), 0);
  (values - 1).square().sum().backward();
  EXPECT_GT(decoder.value_parameters().at("score.weight").grad().abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace stitch::train
