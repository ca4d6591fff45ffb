// SPDX-License-Identifier: Apache-2.0
#include "train/sampler/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "train/model/golden_fixture.h"
#include "train/model/token_scores.h"

namespace stitch::train {
namespace {

const std::vector<SampleRequest> kRagged = {
    {{3}, 10}, {{1, 2, 3, 4, 5, 6, 7}, 11}, {{9, 9, 2}, 12}, {{0, 15, 1, 1, 8}, 13}};

SampleSettings settings_of(double temperature, int64_t tokens) {
  SampleSettings settings;
  settings.restriction.temperature = temperature;
  settings.max_tokens = tokens;
  settings.seed = 4;
  return settings;
}

// The log-probabilities of a sample by one full forward pass over it alone.
Tensor forward_scores(const Decoder& decoder, const SampleRequest& request, const Sample& sample, double temperature) {
  std::vector<int64_t> all = request.prompt;
  all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
  const auto count = static_cast<int64_t>(sample.tokens.size());
  Tensor wanted = at::zeros({1, static_cast<int64_t>(all.size()) - 1}, at::kBool);
  wanted.narrow(1, wanted.size(1) - count, count).fill_(true);
  const at::NoGradGuard no_gradients;
  const Tensor tokens = at::tensor(all, at::kLong).unsqueeze(0);
  return token_scores(decoder, tokens, wanted, {}, {.temperature = temperature})
      .log_probs[0]
      .narrow(0, wanted.size(1) - count, count);
}

TEST(Sample, RecordsWhatAFullForwardPassGives) {
  compute_reproducibly();
  Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  for (const double temperature : {1.0, 0.6}) {
    SampleSettings settings = settings_of(temperature, 20);
    settings.stop_tokens = {5, 6};  // samples end apart, and leave the batch
    const auto samples = sample(decoder, kRagged, settings).value();
    std::set<size_t> lengths;
    for (size_t i = 0; i < samples.size(); ++i) {
      const Tensor recorded = at::tensor(samples[i].log_probs);
      EXPECT_LE(distance(recorded, forward_scores(decoder, kRagged[i], samples[i], temperature)), 1e-4) << i;
      lengths.insert(samples[i].tokens.size());
      const bool stopped = samples[i].tokens.back() == 5 || samples[i].tokens.back() == 6;
      EXPECT_EQ(samples[i].finish_reason, stopped ? FinishReason::kStop : FinishReason::kLength);
      EXPECT_TRUE(stopped || samples[i].tokens.size() == 20);
    }
    EXPECT_GT(lengths.size(), 1U);
  }
}

TEST(Sample, TheBatchDoesNotChangeWhatIsDrawn) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const auto together = sample(decoder, kRagged, settings_of(1, 24)).value();
  for (size_t i = 0; i < kRagged.size(); ++i) {
    const auto alone = sample(decoder, {&kRagged[i], 1}, settings_of(1, 24)).value();
    EXPECT_EQ(alone[0].tokens, together[i].tokens) << i;
  }
  SampleSettings other = settings_of(1, 24);
  other.seed = 5;
  EXPECT_NE(sample(decoder, kRagged, other).value()[0].tokens, together[0].tokens);
}

TEST(Sample, GreedyTakesTheLikeliest) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const auto samples = sample(decoder, kRagged, settings_of(0, 6)).value();
  std::vector<int64_t> tokens = kRagged[1].prompt;
  const at::NoGradGuard no_gradients;
  for (int i = 0; i < 6; ++i) {
    const Tensor hidden = decoder.hidden(at::tensor(tokens, at::kLong).unsqueeze(0));
    tokens.push_back(decoder.logits(hidden).select(1, hidden.size(1) - 1).argmax(-1).item<int64_t>());
  }
  EXPECT_EQ(std::vector<int64_t>(tokens.begin() + 7, tokens.end()), samples[1].tokens);
}

TEST(Sample, EndsWhereTheModelHasNoPositionLeft) {
  compute_reproducibly();
  weights::ModelConfig config = tiny_config();
  config.max_positions = 9;
  const auto samples = sample(Decoder::random(config, 3, 0.6), kRagged, settings_of(1, 1000)).value();
  EXPECT_EQ(samples[0].tokens.size(), 8U);
  EXPECT_EQ(samples[1].tokens.size(), 2U);
}

TEST(Sample, AMaskDecidesWhichTokensMayFollow) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const TokenMask only_one = [](size_t request, std::span<const int64_t> tokens) {
    Tensor allowed = at::zeros({16}, at::kBool);
    allowed[static_cast<int64_t>((request + tokens.size()) % 16)] = true;
    return request == 2 ? Tensor() : allowed;
  };
  const auto samples = sample(decoder, kRagged, settings_of(1, 4), only_one).value();
  EXPECT_EQ(samples[1].tokens, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(samples[1].log_probs, (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(samples[2].tokens, sample(decoder, kRagged, settings_of(1, 4)).value()[2].tokens);
  const TokenMask nothing = [](size_t, std::span<const int64_t>) { return at::zeros({16}, at::kBool); };
  EXPECT_FALSE(sample(decoder, kRagged, settings_of(1, 4), nothing).has_value());
}

TEST(Sample, RefusesWhatNoModelCanContinue) {
  compute_reproducibly();
  Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const auto refused = [&](std::vector<int64_t> prompt) {
    const std::vector<SampleRequest> requests = {{std::move(prompt), 0}};
    const auto samples = sample(decoder, requests, settings_of(1, 4));
    return samples.has_value() ? "taken" : samples.error().message;
  };
  EXPECT_EQ(refused({}), "prompt 0 is empty");
  EXPECT_EQ(refused({16}), "prompt 0 has token 16 of a vocabulary of 16");
  EXPECT_EQ(refused({-1}), "prompt 0 has token -1 of a vocabulary of 16");
  EXPECT_EQ(refused(std::vector<int64_t>(64, 1)), "prompt 0 has 64 tokens, and the model has 64 positions");
  EXPECT_EQ(refused({1}), "taken");
  decoder.base_parameters().at("model.norm.weight").fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(refused({1}), "the model's logits are not finite");
}

}  // namespace
}  // namespace stitch::train
