// SPDX-License-Identifier: Apache-2.0
// Losses whose gradients are summed over everything that can be sampled, against closed forms; and the numbers that
// TRL's and verl's formulas give, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "rl/testing/tabular.h"
#include "train/algorithms/policy_loss.h"
#include "train/algorithms/value_loss.h"

namespace stitch::train {
namespace {

using rl::testing::relative_distance;
using rl::testing::TabularPolicy;
using Row = std::vector<double>;

Tensor matrix(const Row& row, int64_t columns) {
  return at::tensor(row, at::dtype(at::kDouble)).reshape({-1, columns});
}

// d(weighted loss of tokens) / d(logits), through the gradient by each token's log-probability.
Row through(const TabularPolicy& policy, const Tensor& by_logp) {
  Row gradient(policy.logits().size(), 0.0);
  for (int s = 0; s < policy.sequences(); ++s) {
    for (int t = 0; t < policy.length(); ++t) {
      policy.add_token_gradient(s, t, by_logp[s][t].item<double>(), gradient);
    }
  }
  return gradient;
}

struct Enumerated {
  TabularPolicy policy{3, 3};
  Row rewards;
  Row probabilities;
  PolicyInputs inputs;
};

// All 27 sequences, with the logp of `policy` and old_logp of `old`.
Enumerated enumerated(const TabularPolicy& policy, const TabularPolicy& old) {
  Enumerated all;
  all.policy = policy;
  Row logp;
  Row old_logp;
  Row advantages;
  for (int s = 0; s < policy.sequences(); ++s) {
    const Row row = policy.token_log_probs(s);
    const Row old_row = old.token_log_probs(s);
    logp.insert(logp.end(), row.begin(), row.end());
    old_logp.insert(old_logp.end(), old_row.begin(), old_row.end());
    all.rewards.push_back(std::sin(1.7 * s) + (s % 4 == 0 ? 1 : 0));
    advantages.insert(advantages.end(), 3, all.rewards.back());
    all.probabilities.push_back(old.probability(s));
  }
  all.inputs = {.logp = matrix(logp, 3).set_requires_grad(true),
                .old_logp = matrix(old_logp, 3),
                .advantages = matrix(advantages, 3),
                .mask = at::ones({policy.sequences(), 3}, at::kBool)};
  return all;
}

Row expected_gradient(const Enumerated& all, const PolicyLossOptions& options) {
  const Tensor losses = policy_loss_of_tokens(all.inputs, options);
  all.inputs.logp.mutable_grad() = Tensor();
  (losses * matrix(all.probabilities, 1)).sum().backward();
  Row gradient = through(all.policy, all.inputs.logp.grad());
  for (double& one : gradient) {
    one = -one;  // of what is maximised
  }
  return gradient;
}

TEST(Exactness, OnPolicyEveryRatioAndClipIsReinforce) {
  TabularPolicy policy(3, 3);
  policy.draw(1, 1);
  const Enumerated all = enumerated(policy, policy);
  const Row truth = policy.gradient_of_expectation(all.rewards);
  for (const Ratio ratio : {Ratio::kToken, Ratio::kSequence}) {
    for (const Clip clip : {Clip::kPpo, Clip::kCispo}) {
      EXPECT_LE(relative_distance(expected_gradient(all, {.ratio = ratio, .clip = clip}), truth), 1e-12);
    }
  }
  EXPECT_LE(relative_distance(expected_gradient(all, {.clip_dual = 3}), truth), 1e-12);
}

TEST(Exactness, WholeSequenceWeightsMakeTheLossExactForAnotherSampler) {
  TabularPolicy policy(3, 3);
  policy.draw(2, 1);
  TabularPolicy sampler = policy;
  sampler.perturb(3, 0.5);
  Enumerated all = enumerated(policy, policy);
  const Row truth = policy.gradient_of_expectation(all.rewards);
  Row weights;
  for (int s = 0; s < policy.sequences(); ++s) {
    all.probabilities[static_cast<size_t>(s)] = sampler.probability(s);
    weights.insert(weights.end(), 3, policy.probability(s) / sampler.probability(s));
  }
  EXPECT_GT(relative_distance(expected_gradient(all, {}), truth), 0.05);
  all.inputs.weights = matrix(weights, 3);
  EXPECT_LE(relative_distance(expected_gradient(all, {}), truth), 1e-12);
}

TEST(Exactness, TheSequenceRatiosGradientIsThatOfItsValue) {
  TabularPolicy policy(3, 3);
  policy.draw(4, 1);
  TabularPolicy old = policy;
  old.perturb(5, 0.1);
  const Enumerated all = enumerated(policy, old);
  // Mean over a sequence's tokens of the surrogate, without a clip: -A exp(mean log-ratio).
  const PolicyLossOptions options{.ratio = Ratio::kSequence, .clip_low = 1, .clip_high = 1e6};
  policy_loss_of_tokens(all.inputs, options).mean(1).sum().backward();
  const Tensor logp = all.inputs.logp.detach().clone().set_requires_grad(true);
  ((logp - all.inputs.old_logp).mean(1).exp() * -all.inputs.advantages.select(1, 0)).sum().backward();
  EXPECT_LE((logp.grad() - all.inputs.logp.grad()).abs().max().item<double>(), 1e-14);
}

// The policy at which J - coefficient * divergence, as a loss, is stationary, found by natural gradients.
Row fixed_point(const Row& rewards, const Row& reference, double beta, rl::KlPlacement placement) {
  TabularPolicy policy(6, 1);
  for (int step = 0; step < 400; ++step) {
    Row logp;
    Row reference_logp;
    Row probabilities;
    for (int a = 0; a < 6; ++a) {
      logp.push_back(policy.token_log_probs(a)[0]);
      reference_logp.push_back(std::log(reference[static_cast<size_t>(a)]));
      probabilities.push_back(policy.probability(a));
    }
    PolicyInputs inputs{.logp = matrix(logp, 1).set_requires_grad(true),
                        .old_logp = matrix(logp, 1),
                        .advantages = matrix(rewards, 1),
                        .mask = at::ones({6, 1}, at::kBool)};
    const Tensor losses = policy_loss_of_tokens(inputs, {}) +
                          beta * divergence_of_tokens(inputs.logp, matrix(reference_logp, 1), placement);
    (losses * matrix(probabilities, 1)).sum().backward();
    const Row gradient = through(policy, inputs.logp.grad());
    for (size_t a = 0; a < 6; ++a) {
      policy.logits()[a] -= 0.5 * gradient[a] / probabilities[a];
    }
  }
  Row result;
  for (int a = 0; a < 6; ++a) {
    result.push_back(policy.probability(a));
  }
  return result;
}

TEST(Exactness, K2LeadsToGibbsAndK3ElsewhereAsItsFormulaSays) {
  const Row rewards = {0, 1, 0.3, 0.9, 0.5, 0.2};
  const Row reference = {0.3, 0.05, 0.2, 0.15, 0.2, 0.1};
  const double beta = 0.5;
  double total = 0;
  Row gibbs;
  for (size_t a = 0; a < 6; ++a) {
    gibbs.push_back(reference[a] * std::exp(rewards[a] / beta));
    total += gibbs.back();
  }
  for (double& one : gibbs) {
    one /= total;
  }
  const Row of_k2 = fixed_point(rewards, reference, beta, rl::KlPlacement::kLossK2);
  const Row of_k3 = fixed_point(rewards, reference, beta, rl::KlPlacement::kLossK3);
  double j = 0;
  for (size_t a = 0; a < 6; ++a) {
    j += of_k3[a] * rewards[a];
  }
  double distance = 0;
  for (size_t a = 0; a < 6; ++a) {
    EXPECT_NEAR(of_k2[a], gibbs[a], 1e-12);
    EXPECT_NEAR(of_k3[a], beta * reference[a] / (beta + j - rewards[a]), 1e-12);
    distance = std::max(distance, std::abs(of_k3[a] - gibbs[a]));
  }
  EXPECT_GT(distance, 0.02);
}

// Two samples of 2 and 1 tokens: A = 1 with ratios 1.5 and 0.5; A = -0.5 with ratio 0.9. Clips 0.2 and 0.28 leave
// surrogates of 1.28, 0.5 and -0.45; their mean log-ratio gives the first sequence the ratio sqrt(0.75).
struct Published {
  PolicyInputs inputs;
  double of(const PolicyLossOptions& options) const {
    return policy_loss(inputs, options, counts_of(inputs.mask)).loss.item<double>();
  }
};

Published published() {
  return {{.logp = matrix({std::log(0.3), std::log(0.1), std::log(0.45), 0}, 2).set_requires_grad(true),
           .old_logp = matrix({std::log(0.2), std::log(0.2), std::log(0.5), 0}, 2),
           .advantages = matrix({1, 1, -0.5, -0.5}, 2),
           .mask = matrix({1, 1, 1, 0}, 2).gt(0.5)}};
}

TEST(Published, LossesOfTrl) {
  Published one = published();
  // grpo: mean over sequences of token means: (-(1.28 + 0.5) / 2 + 0.45) / 2
  EXPECT_NEAR(one.of({.aggregation = {Aggregation::kSeqMeanTokenMean, 1}}), -0.22, 1e-12);
  // dapo: over all active tokens: (-1.28 - 0.5 + 0.45) / 3
  EXPECT_NEAR(one.of({.aggregation = {Aggregation::kTokenMeanGlobal, 1}}), -1.33 / 3, 1e-12);
  // dr_grpo: over batch * longest completion, here 2 * 4: -1.33 / 8
  EXPECT_NEAR(one.of({.aggregation = {Aggregation::kSumConst, 4}}), -0.16625, 1e-12);
  // importance_sampling_level = sequence, grpo: (-0.8660254037844386 + 0.45) / 2
  EXPECT_NEAR(one.of({.ratio = Ratio::kSequence, .aggregation = {Aggregation::kSeqMeanTokenMean, 1}}),
              -0.2080127018922193, 1e-12);
  // beta = 0.04 with a reference of 0.6, 0.1, 0.45: the first token's k3 is 2 - 1 - ln 2 = 0.3068528194400547
  one.inputs.reference_logp = matrix({std::log(0.6), std::log(0.1), std::log(0.45), 0}, 2);
  EXPECT_NEAR(
      one.of(
          {.aggregation = {Aggregation::kTokenMeanGlobal, 1}, .kl = rl::KlPlacement::kLossK3, .kl_coefficient = 0.04}),
      -1.33 / 3 + 0.04 * 0.3068528194400547 / 3, 1e-12);
}

TEST(Published, LossesOfVerl) {
  Published one = published();
  // token-mean over the global batch; seq-mean-token-sum: (-1.78 + 0.45) / 2
  EXPECT_NEAR(one.of({}), -0.4433333333333333, 1e-12);
  EXPECT_NEAR(one.of({.aggregation = {Aggregation::kSumConst, 1}}), -0.665, 1e-12);
  EXPECT_NEAR(one.of({.aggregation = {Aggregation::kTokenSum, 1}}), -1.33, 1e-12);
  // rollout_is = token with weights 2, 0.25 and 1: (-2.56 - 0.125 + 0.45) / 3
  one.inputs.weights = matrix({2, 0.25, 1, 0}, 2);
  EXPECT_NEAR(one.of({}), -0.745, 1e-12);
  // clip_ratio_c = 3: a ratio of 5 with A = -0.5 costs 1.5 and not 2.5
  one.inputs.weights = Tensor();
  one.inputs.logp = matrix({std::log(0.3), std::log(0.1), std::log(0.5), 0}, 2);
  one.inputs.old_logp = matrix({std::log(0.2), std::log(0.2), std::log(0.1), 0}, 2);
  EXPECT_NEAR(one.of({.clip_dual = 3}), (-1.78 + 1.5) / 3, 1e-12);
  EXPECT_NEAR(one.of({}), (-1.78 + 2.5) / 3, 1e-12);
  // The value loss, cliprange_value 0.5: old 1, new 2, target 3: max(1, 1.5^2) / 2; old 0, new 0.25, target 1: 0.75^2 /
  // 2
  const ValueInputs values{.values = matrix({2, 0.25}, 2),
                           .old_values = matrix({1, 0}, 2),
                           .targets = matrix({3, 1}, 2),
                           .mask = at::ones({1, 2}, at::kBool)};
  EXPECT_NEAR(value_loss(values, {.clip = 0.5}, counts_of(values.mask)).loss.item<double>(), (1.125 + 0.28125) / 2,
              1e-12);
}

}  // namespace
}  // namespace stitch::train
