// SPDX-License-Identifier: Apache-2.0
// Expected gradients of the estimators by summing over every group that can be drawn, against the gradient of J: what
// the headers say of bias, as numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "rl/advantage/group.h"
#include "rl/advantage/turns.h"
#include "rl/correction/divergence.h"
#include "rl/correction/importance.h"
#include "rl/testing/stream.h"
#include "rl/testing/tabular.h"

namespace stitch::rl {
namespace {

using stitch::rl::testing::cosine;
using stitch::rl::testing::norm;
using stitch::rl::testing::relative_distance;
using stitch::rl::testing::Stream;
using stitch::rl::testing::TabularPolicy;

constexpr double kExact = 1e-12;

// 27 sequences of 3 tokens, each with a reward of its own.
struct Problem {
  TabularPolicy policy{3, 3};
  std::vector<double> rewards;
};

Problem drawn_problem(uint64_t seed) {
  Problem problem;
  problem.policy.draw(seed, 1);
  Stream stream(seed + 1000);
  for (int s = 0; s < problem.policy.sequences(); ++s) {
    problem.rewards.push_back(stream.uniform());
  }
  return problem;
}

// Sum over all pairs of sequences of their probability times sum(A_i * grad log p_i) / 2.
std::vector<double> expected_gradient_of_pairs(const Problem& problem, const GroupOptions& options) {
  const TabularPolicy& policy = problem.policy;
  std::vector<double> gradient(policy.logits().size(), 0.0);
  for (int a = 0; a < policy.sequences(); ++a) {
    for (int b = 0; b < policy.sequences(); ++b) {
      const std::optional<double> rewards[] = {problem.rewards[static_cast<size_t>(a)],
                                               problem.rewards[static_cast<size_t>(b)]};
      const auto advantages = group_advantages(rewards, options);
      const double probability = policy.probability(a) * policy.probability(b);
      policy.add_gradient(a, probability * *advantages[0] / 2, gradient);
      policy.add_gradient(b, probability * *advantages[1] / 2, gradient);
    }
  }
  return gradient;
}

TEST(Expectation, RlooAndScaledDrGrpoAreTheGradientOfTheExpectedReward) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem = drawn_problem(seed);
    const auto truth = problem.policy.gradient_of_expectation(problem.rewards);
    const auto rloo = expected_gradient_of_pairs(problem, {.baseline = GroupBaseline::kRloo});
    auto dr_grpo = expected_gradient_of_pairs(problem, {.baseline = GroupBaseline::kDrGrpo});
    for (double& one : dr_grpo) {
      one *= 2;  // G / (G - 1)
    }
    EXPECT_LE(relative_distance(rloo, truth), kExact);
    EXPECT_LE(relative_distance(dr_grpo, truth), kExact);
  }
}

TEST(Expectation, GrpoPointsElsewhere) {
  const Problem problem = drawn_problem(1);
  const auto truth = problem.policy.gradient_of_expectation(problem.rewards);
  const double direction = cosine(expected_gradient_of_pairs(problem, {.baseline = GroupBaseline::kGrpo}), truth);
  EXPECT_GT(direction, 0.9);
  EXPECT_LT(direction, 0.9999);
}

TEST(Expectation, TheGradientOfTheExpectedRewardIsThatOfFiniteDifferences) {
  Problem problem = drawn_problem(2);
  const auto truth = problem.policy.gradient_of_expectation(problem.rewards);
  for (size_t i = 0; i < truth.size(); i += 5) {
    const double step = 1e-5;
    problem.policy.logits()[i] += step;
    const double above = problem.policy.expectation(problem.rewards);
    problem.policy.logits()[i] -= 2 * step;
    const double below = problem.policy.expectation(problem.rewards);
    problem.policy.logits()[i] += step;
    EXPECT_NEAR(truth[i], (above - below) / (2 * step), 1e-9);
  }
}

// Two turns of one token each. Token 0 in the first turn ends it, where `can_stop`.
struct Turns {
  bool can_stop = false;
  std::vector<double> first;   // earned by the first turn, by its token
  std::vector<double> second;  // by the second, by both
};

std::vector<double> returns_of(const Turns& turns, const std::vector<int>& tokens) {
  const double first = turns.first[static_cast<size_t>(tokens[0])];
  if (turns.can_stop && tokens[0] == 0) {
    return {first};
  }
  const double second = turns.second[static_cast<size_t>(tokens[0] * 3 + tokens[1])];
  return {first + second, second};
}

// By turn, so that the scale of each can be looked at.
std::vector<std::vector<double>> expected_gradient_of_turns(const TabularPolicy& policy, const Turns& turns) {
  std::vector<std::vector<double>> by_turn(2, std::vector<double>(policy.logits().size(), 0.0));
  for (int a = 0; a < policy.sequences(); ++a) {
    for (int b = 0; b < policy.sequences(); ++b) {
      const std::optional<std::vector<double>> returns[] = {returns_of(turns, policy.tokens_of(a)),
                                                            returns_of(turns, policy.tokens_of(b))};
      const auto advantages = trloo(returns);
      const double probability = policy.probability(a) * policy.probability(b);
      for (size_t t = 0; t < advantages[0]->size(); ++t) {
        policy.add_token_gradient(a, static_cast<int>(t), probability * (*advantages[0])[t] / 2, by_turn[t]);
      }
      for (size_t t = 0; t < advantages[1]->size(); ++t) {
        policy.add_token_gradient(b, static_cast<int>(t), probability * (*advantages[1])[t] / 2, by_turn[t]);
      }
    }
  }
  return by_turn;
}

// The true gradient, by turn: E[G_t grad log p(turn t)].
std::vector<std::vector<double>> true_gradient_of_turns(const TabularPolicy& policy, const Turns& turns) {
  std::vector<std::vector<double>> by_turn(2, std::vector<double>(policy.logits().size(), 0.0));
  for (int s = 0; s < policy.sequences(); ++s) {
    const auto returns = returns_of(turns, policy.tokens_of(s));
    for (size_t t = 0; t < returns.size(); ++t) {
      policy.add_token_gradient(s, static_cast<int>(t), policy.probability(s) * returns[t], by_turn[t]);
    }
  }
  return by_turn;
}

Turns drawn_turns(uint64_t seed, bool can_stop) {
  Stream stream(seed);
  Turns turns;
  turns.can_stop = can_stop;
  for (int i = 0; i < 3; ++i) {
    turns.first.push_back(stream.uniform());
  }
  for (int i = 0; i < 9; ++i) {
    turns.second.push_back(stream.uniform());
  }
  return turns;
}

TEST(Expectation, TurnByTurnIsExactWhereEverySampleReachesTheTurn) {
  TabularPolicy policy(3, 2);
  policy.draw(7, 1);
  const Turns turns = drawn_turns(8, false);
  const auto truth = true_gradient_of_turns(policy, turns);
  const auto expected = expected_gradient_of_turns(policy, turns);
  EXPECT_LE(relative_distance(expected[0], truth[0]), kExact);
  EXPECT_LE(relative_distance(expected[1], truth[1]), kExact);
}

TEST(Expectation, ATurnThatFewReachIsScaledByTheChanceThatAnotherReachesIt) {
  TabularPolicy policy(3, 2);
  policy.draw(7, 1);
  const Turns turns = drawn_turns(8, true);
  auto truth = true_gradient_of_turns(policy, turns);
  const auto expected = expected_gradient_of_turns(policy, turns);
  EXPECT_LE(relative_distance(expected[0], truth[0]), kExact);
  double reaches = 0;
  for (int s = 0; s < policy.sequences(); ++s) {
    reaches += policy.tokens_of(s)[0] != 0 ? policy.probability(s) : 0;
  }
  for (double& one : truth[1]) {
    one *= reaches;
  }
  EXPECT_LT(reaches, 0.95);
  EXPECT_LE(relative_distance(expected[1], truth[1]), kExact);
}

// The gradient of J, estimated with samples of another policy that are weighted.
std::vector<double> off_policy_gradient(const Problem& problem, const TabularPolicy& sampler,
                                        const ImportanceOptions& options) {
  std::vector<double> gradient(problem.policy.logits().size(), 0.0);
  const std::vector<uint8_t> mask(3, 1);
  // The best baseline that does not depend on the sample; without one, weights that are cut bias by R's level as well.
  const double baseline = problem.policy.expectation(problem.rewards);
  for (int s = 0; s < problem.policy.sequences(); ++s) {
    const auto weights =
        importance_weights(problem.policy.token_log_probs(s), sampler.token_log_probs(s), mask, options).weights;
    for (int t = 0; t < 3; ++t) {
      const double advantage = problem.rewards[static_cast<size_t>(s)] - baseline;
      problem.policy.add_token_gradient(s, t, sampler.probability(s) * weights[static_cast<size_t>(t)] * advantage,
                                        gradient);
    }
  }
  return gradient;
}

TEST(Expectation, SequenceWeightsRemoveTheBiasOfAnotherSamplerAndTheCapBringsItBack) {
  double off = 0;
  double by_token = 0;
  double cap_low = 0;
  double cap_high = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const Problem problem = drawn_problem(seed);
    TabularPolicy sampler = problem.policy;
    sampler.perturb(seed + 50, 0.5);
    const auto truth = problem.policy.gradient_of_expectation(problem.rewards);
    const auto error = [&](ImportanceCorrection correction, double cap) {
      return relative_distance(off_policy_gradient(problem, sampler, {.correction = correction, .cap = cap}), truth);
    };
    EXPECT_LE(error(ImportanceCorrection::kSequenceTruncated, 1e9), kExact);
    off += error(ImportanceCorrection::kOff, 0) / 8;
    by_token += error(ImportanceCorrection::kTokenTruncated, 2) / 8;
    cap_low += error(ImportanceCorrection::kSequenceTruncated, 1.2) / 8;
    cap_high += error(ImportanceCorrection::kSequenceTruncated, 2) / 8;
  }
  RecordProperty("off", std::to_string(off));
  RecordProperty("token, cap 2", std::to_string(by_token));
  RecordProperty("sequence, cap 1.2", std::to_string(cap_low));
  RecordProperty("sequence, cap 2", std::to_string(cap_high));
  EXPECT_GT(off, 0.1);
  EXPECT_LT(cap_low, off);
  EXPECT_LT(cap_high, cap_low);
  EXPECT_GT(by_token, cap_high);
}

TEST(Expectation, K1AndK3AreUnbiasedAndK2IsNot) {
  const Problem problem = drawn_problem(3);
  TabularPolicy reference = problem.policy;
  reference.perturb(99, 1);
  double truth = 0;
  double k1 = 0;
  double k2 = 0;
  double k3 = 0;
  for (int s = 0; s < problem.policy.sequences(); ++s) {
    const double p = problem.policy.probability(s);
    const double logp = std::log(p);
    const double reference_logp = std::log(reference.probability(s));
    truth += p * (logp - reference_logp);
    k1 += p * kl_k1(logp, reference_logp);
    k2 += p * kl_k2(logp, reference_logp);
    k3 += p * kl_k3(logp, reference_logp);
  }
  EXPECT_NEAR(k1, truth, kExact);
  EXPECT_NEAR(k3, truth, kExact);
  EXPECT_GT(std::abs(k2 - truth), 0.01);
}

TEST(Expectation, K1InTheRewardLeadsToGibbs) {
  TabularPolicy policy(6, 1);
  const std::vector<double> rewards = {0, 1, 0.3, 0.9, 0.5, 0.2};
  const std::vector<double> reference = {0.3, 0.05, 0.2, 0.15, 0.2, 0.1};
  const double beta = 0.3;
  for (int step = 0; step < 200; ++step) {
    std::vector<double> shaped;
    for (int a = 0; a < 6; ++a) {
      const std::vector<double> logp = policy.token_log_probs(a);
      const std::vector<double> reference_logp = {std::log(reference[static_cast<size_t>(a)])};
      const std::vector<uint8_t> mask = {1};
      shaped.push_back(rewards[static_cast<size_t>(a)] - beta * sequence_k1(logp, reference_logp, mask));
    }
    const auto gradient = policy.gradient_of_expectation(shaped);
    // Divided by the probability: the natural gradient, which has the same fixed point and gets there sooner.
    std::vector<double> probabilities;
    for (int a = 0; a < 6; ++a) {
      probabilities.push_back(policy.probability(a));
    }
    for (size_t a = 0; a < 6; ++a) {
      policy.logits()[a] += gradient[a] / probabilities[a];
    }
  }
  double total = 0;
  for (size_t a = 0; a < 6; ++a) {
    total += reference[a] * std::exp(rewards[a] / beta);
  }
  for (int a = 0; a < 6; ++a) {
    const auto i = static_cast<size_t>(a);
    EXPECT_NEAR(policy.probability(a), reference[i] * std::exp(rewards[i] / beta) / total, kExact);
  }
}

}  // namespace
}  // namespace stitch::rl
