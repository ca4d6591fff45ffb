// SPDX-License-Identifier: Apache-2.0
#include "train/optimizer/adamw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "train/model/golden_fixture.h"
#include "train/model/token_scores.h"

namespace stitch::train {
namespace {

// Ten steps of torch.optim.AdamW (N7); the state goes through its stored form in the middle.
TEST(AdamW, StepsAsTorchDoes) {
  const Golden golden = read_golden("qwen3_untied");
  Decoder decoder = golden.decoder();
  decoder.train_base(true);
  AdamW optimizer({.weight_decay = 0.1});
  for (int64_t step = 0; step < golden.at("losses").size(0); ++step) {
    clear_gradients(decoder.trainable());
    const Tensor scores = token_scores(decoder, golden.at("tokens"), golden.at("wanted")).log_probs;
    const Tensor loss = -scores.sum() / golden.at("wanted").sum();
    EXPECT_LE(distance(loss, golden.at("losses")[step]), 1e-5) << step;
    loss.backward();
    optimizer.step(decoder.trainable(), 1e-2);
    if (step == 5) {
      AdamW read({.weight_decay = 0.1});
      ASSERT_TRUE(read.load_state(stored_form(optimizer.state()), decoder.trainable()).has_value());
      optimizer = read;
    }
  }
  for (const auto& [name, parameter] : golden.below("after")) {
    EXPECT_LE(distance(decoder.trainable().at(name), parameter), 1e-5) << name;
  }
}

TEST(AdamW, RefusesAStateOfOtherParameters) {
  compute_reproducibly();
  const NamedTensors parameters = {{"a", at::ones({2}).requires_grad_(true)}};
  AdamW optimizer({});
  EXPECT_TRUE(optimizer.load_state({}, parameters).has_value());
  (parameters.at("a") * parameters.at("a")).sum().backward();
  optimizer.step(parameters, 0.1);
  const NamedTensors state = optimizer.state();
  EXPECT_TRUE(optimizer.load_state(state, parameters).has_value());
  EXPECT_FALSE(optimizer.load_state(state, {{"b", parameters.at("a")}}).has_value());
  EXPECT_FALSE(optimizer.load_state(state, {{"a", at::ones({3})}}).has_value());
  NamedTensors half = state;
  half.erase("a.step");
  EXPECT_FALSE(optimizer.load_state(half, parameters).has_value());
}

TEST(AdamW, GradientsAreClippedTogether) {
  compute_reproducibly();
  const NamedTensors parameters = {{"a", at::ones({1}).requires_grad_(true)},
                                   {"b", at::ones({1}).requires_grad_(true)}};
  (3 * parameters.at("a") + 4 * parameters.at("b")).sum().backward();
  EXPECT_NEAR(clip_gradients(parameters, 0), 5, 1e-9);
  EXPECT_NEAR(clip_gradients(parameters, 1), 5, 1e-9);
  EXPECT_NEAR(parameters.at("a").grad().item<double>(), 0.6, 1e-5);
  EXPECT_NEAR(clip_gradients(parameters, 1), 1, 1e-5);
  EXPECT_NEAR(clip_gradients(parameters, 100), 1, 1e-5);  // smaller ones stay
  EXPECT_NEAR(parameters.at("a").grad().item<double>(), 0.6, 1e-5);
  clear_gradients(parameters);
  EXPECT_EQ(clip_gradients(parameters, 1), 0);
}

}  // namespace
}  // namespace stitch::train
