// SPDX-License-Identifier: Apache-2.0
// Every combination of the policy's loss, value and gradient, beside a second one that was written by cases in plain
// numbers; and what must not change them: padding, micro-batches, order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rl/testing/stream.h"
#include "train/algorithms/policy_loss.h"
#include "train/algorithms/value_loss.h"

namespace stitch::train {
namespace {

using rl::testing::Stream;
using Row = std::vector<double>;

constexpr int kSequences = 4;
constexpr int kTokens = 5;

// Row-major [kSequences, kTokens].
struct Numbers {
  Row logp;
  Row old_logp;
  Row advantages;
  Row reference;
  Row weights;
  Row entropy;
  std::vector<bool> mask;
};

Numbers drawn_numbers(uint64_t seed) {
  Stream stream(seed);
  Numbers numbers;
  for (int i = 0; i < kSequences * kTokens; ++i) {
    numbers.logp.push_back(-0.5 - 2 * stream.uniform());
    // Ratios on both sides of both clips, and beyond the dual one.
    numbers.old_logp.push_back(numbers.logp.back() + 0.7 * stream.normal() - (i == 7 ? 2 : 0));
    numbers.advantages.push_back(i == 7 ? -1.5 : stream.normal());
    numbers.reference.push_back(numbers.logp.back() + 0.5 * stream.normal());
    numbers.weights.push_back(2 * stream.uniform());
    numbers.entropy.push_back(stream.uniform());
    numbers.mask.push_back(i != 3 && i != 4 && i != 6 && i < 15);  // ragged, with a hole, and a sequence without tokens
  }
  return numbers;
}

Tensor tensor_of(const Row& row) { return at::tensor(row, at::dtype(at::kDouble)).reshape({-1, kTokens}); }

Tensor mask_of(const std::vector<bool>& mask) {
  const Row row(mask.begin(), mask.end());
  return tensor_of(row).gt(0.5);
}

PolicyInputs inputs_of(const Numbers& numbers, bool has_weights) {
  PolicyInputs inputs{.logp = tensor_of(numbers.logp).set_requires_grad(true),
                      .old_logp = tensor_of(numbers.old_logp),
                      .advantages = tensor_of(numbers.advantages),
                      .mask = mask_of(numbers.mask)};
  inputs.reference_logp = tensor_of(numbers.reference);
  inputs.entropy = tensor_of(numbers.entropy);
  if (has_weights) {
    inputs.weights = tensor_of(numbers.weights);
  }
  return inputs;
}

double ratio_by_cases(const Numbers& now, const Numbers& frozen, const PolicyLossOptions& options, size_t i) {
  if (options.ratio == Ratio::kToken) {
    return std::exp(now.logp[i] - now.old_logp[i]);
  }
  // exp(mean of the frozen log-ratios), moved by this token's log-probability alone.
  double product = 1;
  int count = 0;
  for (size_t k = i - i % kTokens; k < i - i % kTokens + kTokens; ++k) {
    if (now.mask[k]) {
      product *= std::exp(frozen.logp[k]) / std::exp(frozen.old_logp[k]);
      ++count;
    }
  }
  return std::pow(product, 1.0 / count) * std::exp(now.logp[i]) / std::exp(frozen.logp[i]);
}

// By cases of the advantage's sign. `frozen` is what no gradient goes through: it stays where `now` is moved.
double surrogate_by_cases(const Numbers& now, const Numbers& frozen, const PolicyLossOptions& options, size_t i) {
  const double ratio = ratio_by_cases(now, frozen, options, i);
  const double advantage = now.advantages[i];
  const double low = 1 - options.clip_low;
  const double high = 1 + options.clip_high;
  if (options.clip == Clip::kCispo) {
    const double weight = ratio_by_cases(frozen, frozen, options, i);
    return -(weight < low ? low : weight > high ? high : weight) * advantage * now.logp[i];
  }
  if (advantage >= 0) {
    return -advantage * (ratio < high ? ratio : high);
  }
  double effective = ratio > low ? ratio : low;
  if (options.clip_dual.has_value() && effective > *options.clip_dual) {
    effective = *options.clip_dual;
  }
  return -advantage * effective;
}

double divergence_by_cases(const Numbers& now, rl::KlPlacement placement, size_t i) {
  if (placement == rl::KlPlacement::kLossK2) {
    return std::pow(now.logp[i] - now.reference[i], 2) / 2;
  }
  if (placement == rl::KlPlacement::kLossK3) {
    const double ratio = std::exp(now.reference[i]) / std::exp(now.logp[i]);
    return ratio - std::log(ratio) - 1;
  }
  return 0;
}

// The weight of a token in the loss of the whole batch.
double share_of_token(const Numbers& now, const AggregationOptions& options, size_t i) {
  const auto count = [&](size_t from, size_t to) {
    return static_cast<double>(
        std::count(now.mask.begin() + static_cast<long>(from), now.mask.begin() + static_cast<long>(to), true));
  };
  const size_t row = i - i % kTokens;
  double sequences = 0;
  for (size_t s = 0; s < now.mask.size(); s += kTokens) {
    sequences += count(s, s + kTokens) > 0 ? 1 : 0;
  }
  switch (options.kind) {
    case Aggregation::kTokenMeanGlobal:
      return 1 / count(0, now.mask.size());
    case Aggregation::kSeqMeanTokenMean:
      return 1 / count(row, row + kTokens) / sequences;
    case Aggregation::kSumConst:
      return 1 / options.constant / sequences;
    case Aggregation::kTokenSum:
      break;
  }
  return 1;
}

double loss_by_cases(const Numbers& now, const Numbers& frozen, const PolicyLossOptions& options, bool has_weights) {
  double loss = 0;
  for (size_t i = 0; i < now.mask.size(); ++i) {
    if (now.mask[i]) {
      const double weight = has_weights ? now.weights[i] : 1;
      loss += share_of_token(now, options.aggregation, i) *
              (weight * surrogate_by_cases(now, frozen, options, i) +
               options.kl_coefficient * divergence_by_cases(now, options.kl, i) -
               options.entropy_coefficient * now.entropy[i]);
    }
  }
  return loss;
}

void for_every_combination(const std::function<void(const PolicyLossOptions&, bool has_weights)>& visit) {
  for (const Ratio ratio : {Ratio::kToken, Ratio::kSequence}) {
    for (const Clip clip : {Clip::kPpo, Clip::kCispo}) {
      for (const bool has_dual : {false, true}) {
        for (const Aggregation kind : {Aggregation::kTokenMeanGlobal, Aggregation::kSeqMeanTokenMean,
                                       Aggregation::kSumConst, Aggregation::kTokenSum}) {
          for (const rl::KlPlacement kl : {rl::KlPlacement::kOff, rl::KlPlacement::kRewardK1, rl::KlPlacement::kLossK2,
                                           rl::KlPlacement::kLossK3}) {
            for (const bool has_weights : {false, true}) {
              visit({.ratio = ratio,
                     .clip = clip,
                     .clip_dual = has_dual ? std::optional<double>(3) : std::nullopt,
                     .aggregation = {.kind = kind, .constant = 7},
                     .kl = kl,
                     .kl_coefficient = 0.3,
                     .entropy_coefficient = 0.01},
                    has_weights);
            }
          }
        }
      }
    }
  }
}

TEST(Losses, EveryCombinationIsWhatItsCasesSay) {
  const Numbers frozen = drawn_numbers(1);
  int combinations = 0;
  double clipped[3] = {};
  for_every_combination([&](const PolicyLossOptions& options, bool has_weights) {
    const PolicyInputs inputs = inputs_of(frozen, has_weights);
    const PolicyLoss result = policy_loss(inputs, options, counts_of(inputs.mask));
    EXPECT_NEAR(result.loss.item<double>(), loss_by_cases(frozen, frozen, options, has_weights), 1e-12);
    result.loss.backward();
    const Tensor gradient = inputs.logp.grad().reshape({-1});
    for (size_t i = 0; i < frozen.logp.size(); ++i) {
      const double step = 1e-5;
      Numbers now = frozen;
      now.logp[i] = frozen.logp[i] + step;
      const double above = loss_by_cases(now, frozen, options, has_weights);
      now.logp[i] = frozen.logp[i] - step;
      const double below = loss_by_cases(now, frozen, options, has_weights);
      EXPECT_NEAR(gradient[static_cast<int64_t>(i)].item<double>(), (above - below) / (2 * step), 1e-8) << i;
    }
    ++combinations;
    clipped[0] += result.sums.clipped_low;
    clipped[1] += result.sums.clipped_high;
    clipped[2] += result.sums.clipped_dual;
  });
  EXPECT_EQ(combinations, 256);
  for (const double one : clipped) {
    EXPECT_GT(one, 0);  // or the numbers do not reach what they are to test
  }
}

TEST(Losses, CountWhatIsClipped) {
  Numbers numbers = drawn_numbers(1);
  numbers.mask = {true, true, true, true, true, true, false, false, false, false};
  numbers.old_logp.assign(10, -1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Row ratios = {1.5, 1.5, 0.5, 0.5, 5, 1.1, nan, 9, 9, 9};
  numbers.logp.clear();
  for (const double ratio : ratios) {
    numbers.logp.push_back(-1 + std::log(ratio));
  }
  numbers.advantages = {1, -1, 1, -1, -1, 1, nan, 1, 1, 1};
  numbers.reference.assign(10, -1);
  numbers.entropy.assign(10, 0.5);
  const PolicyInputs inputs = inputs_of(numbers, false);
  const PolicySums ppo = policy_loss(inputs, {.clip_dual = 3}, counts_of(inputs.mask)).sums;
  EXPECT_EQ(ppo.tokens, 6);
  EXPECT_EQ(ppo.clipped_high, 1);
  EXPECT_EQ(ppo.clipped_low, 1);
  EXPECT_EQ(ppo.clipped_dual, 1);
  EXPECT_NEAR(ppo.largest_ratio, 5, 1e-12);
  EXPECT_NEAR(ppo.lowest_logp, -1 + std::log(0.5), 1e-12);
  EXPECT_NEAR(ppo.entropy, 3, 1e-12);
  double old_kl = 0;
  for (size_t i = 0; i < 6; ++i) {
    old_kl += ratios[i] - 1 - std::log(ratios[i]);
  }
  EXPECT_NEAR(ppo.old_kl, old_kl, 1e-12);
  const PolicySums cispo = policy_loss(inputs, {.clip = Clip::kCispo}, counts_of(inputs.mask)).sums;
  EXPECT_EQ(cispo.clipped_high, 3);
  EXPECT_EQ(cispo.clipped_low, 2);
  const PolicySums twice = ppo + ppo;
  EXPECT_EQ(twice.tokens, 12);
  EXPECT_EQ(twice.largest_ratio, ppo.largest_ratio);
}

TEST(Losses, WhatStandsAtMaskedTokensIsNeverRead) {
  for_every_combination([&](const PolicyLossOptions& options, bool has_weights) {
    Numbers numbers = drawn_numbers(2);
    const PolicyInputs clean = inputs_of(numbers, has_weights);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (size_t i = 0; i < numbers.mask.size(); ++i) {
      if (!numbers.mask[i]) {
        numbers.logp[i] = i % 2 == 0 ? nan : -std::numeric_limits<double>::infinity();
        numbers.old_logp[i] = numbers.advantages[i] = numbers.reference[i] = numbers.weights[i] = nan;
        numbers.entropy[i] = nan;
      }
    }
    const PolicyInputs dirty = inputs_of(numbers, has_weights);
    const PolicyLoss of_clean = policy_loss(clean, options, counts_of(clean.mask));
    const PolicyLoss of_dirty = policy_loss(dirty, options, counts_of(dirty.mask));
    of_clean.loss.backward();
    of_dirty.loss.backward();
    EXPECT_EQ(of_clean.loss.item<double>(), of_dirty.loss.item<double>());
    EXPECT_TRUE(at::equal(clean.logp.grad(), dirty.logp.grad()));
    EXPECT_TRUE(at::equal(dirty.logp.grad().masked_select(dirty.mask.logical_not()), at::zeros({8}, at::kDouble)));
    EXPECT_EQ(of_clean.sums.old_kl, of_dirty.sums.old_kl);
    EXPECT_EQ(of_clean.sums.entropy, of_dirty.sums.entropy);
  });
}

Tensor rows(const Tensor& tensor, const std::vector<int64_t>& which) {
  return tensor.defined() ? tensor.index_select(0, at::tensor(which)) : tensor;
}

// The gradient, accumulated over micro-batches of so many sequences in this order.
Tensor accumulated_gradient(const Numbers& numbers, const PolicyLossOptions& options, const std::vector<int64_t>& order,
                            size_t micro_batch) {
  const PolicyInputs all = inputs_of(numbers, true);
  BatchCounts whole;
  for (const int64_t one : order) {
    whole = whole + counts_of(rows(all.mask, {one}));
  }
  for (size_t at = 0; at < order.size(); at += micro_batch) {
    const size_t end = std::min(at + micro_batch, order.size());
    const std::vector<int64_t> which(order.begin() + static_cast<long>(at), order.begin() + static_cast<long>(end));
    PolicyInputs piece{.logp = rows(all.logp, which),
                       .old_logp = rows(all.old_logp, which),
                       .advantages = rows(all.advantages, which),
                       .mask = rows(all.mask, which)};
    piece.reference_logp = rows(all.reference_logp, which);
    piece.weights = rows(all.weights, which);
    piece.entropy = rows(all.entropy, which);
    policy_loss(piece, options, whole).loss.backward();
  }
  return all.logp.grad();
}

TEST(Losses, MicroBatchesAndTheirOrderChangeNothing) {
  Numbers numbers = drawn_numbers(3);
  const Numbers more = drawn_numbers(4);
  for (auto member : {&Numbers::logp, &Numbers::old_logp, &Numbers::advantages, &Numbers::reference, &Numbers::weights,
                      &Numbers::entropy}) {
    (numbers.*member).insert((numbers.*member).end(), (more.*member).begin(), (more.*member).end());
  }
  numbers.mask.insert(numbers.mask.end(), more.mask.begin(), more.mask.end());
  numbers.mask[21] = false;  // sequences of 3, 4, 5, 0, 2, 4, 5 and 0 tokens
  for (const Ratio ratio : {Ratio::kToken, Ratio::kSequence}) {
    for (const Aggregation kind : {Aggregation::kTokenMeanGlobal, Aggregation::kSeqMeanTokenMean,
                                   Aggregation::kSumConst, Aggregation::kTokenSum}) {
      const PolicyLossOptions options{.ratio = ratio,
                                      .aggregation = {.kind = kind, .constant = 5},
                                      .kl = rl::KlPlacement::kLossK3,
                                      .kl_coefficient = 0.1};
      const Tensor expected = accumulated_gradient(numbers, options, {0, 1, 2, 3, 4, 5, 6, 7}, 8);
      EXPECT_GT(expected.abs().max().item<double>(), 0);
      for (const size_t micro_batch : {1, 2, 3, 4}) {
        const Tensor got = accumulated_gradient(numbers, options, {5, 2, 7, 0, 3, 6, 1, 4}, micro_batch);
        EXPECT_LE((got - expected).abs().max().item<double>(), 1e-15);
      }
    }
  }
}

TEST(Losses, ABatchOfNothingIsNothing) {
  Numbers numbers = drawn_numbers(5);
  numbers.mask.assign(numbers.mask.size(), false);
  for (const Aggregation kind : {Aggregation::kTokenMeanGlobal, Aggregation::kSeqMeanTokenMean, Aggregation::kSumConst,
                                 Aggregation::kTokenSum}) {
    const PolicyInputs inputs = inputs_of(numbers, true);
    const PolicyLoss result = policy_loss(inputs, {.aggregation = {.kind = kind}}, counts_of(inputs.mask));
    result.loss.backward();
    EXPECT_EQ(result.loss.item<double>(), 0);
    EXPECT_EQ(inputs.logp.grad().abs().max().item<double>(), 0);
  }
}

TEST(Losses, NarrowTypesAreComputedInFloat) {
  const Tensor mask = at::ones({1, 1}, at::kBool);
  const Tensor logp = at::full({1, 1}, -1.0, at::kBFloat16);
  EXPECT_EQ(aggregate(logp, mask, {}, {.tokens = 1, .sequences = 1}).scalar_type(), at::kFloat);
  EXPECT_EQ(token_entropy(at::zeros({1, 8}, at::kBFloat16)).scalar_type(), at::kFloat);
}

TEST(Losses, EntropyIsThatOfTheDistributionAndForbiddenTokensAddNothing) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor logits =
      at::tensor(Row{1, 2, -infinity, 0, 0, -infinity}, at::dtype(at::kDouble)).reshape({2, 3}).set_requires_grad(true);
  const Tensor entropy = token_entropy(logits);
  const double p = 1 / (1 + std::exp(1));
  EXPECT_NEAR(entropy[0].item<double>(), -p * std::log(p) - (1 - p) * std::log(1 - p), 1e-14);
  EXPECT_NEAR(entropy[1].item<double>(), std::log(2), 1e-14);
  entropy.sum().backward();
  // d H / d z_i = -p_i (log p_i + H)
  const double h = entropy[0].item<double>();
  EXPECT_NEAR(logits.grad()[0][0].item<double>(), -p * (std::log(p) + h), 1e-14);
  EXPECT_EQ(logits.grad()[0][2].item<double>(), 0);
  EXPECT_NEAR(logits.grad()[1][0].item<double>(), 0, 1e-14);
}

TEST(Losses, TheCriticsClipIsThatOfItsCases) {
  Stream stream(6);
  for (const std::optional<double> clip : {std::optional<double>(), std::optional<double>(0.5)}) {
    Row values;
    Row old_values;
    Row targets;
    for (int i = 0; i < 3 * kTokens; ++i) {
      values.push_back(stream.normal());
      old_values.push_back(stream.normal());
      targets.push_back(stream.normal());
    }
    std::vector<bool> mask(values.size(), true);
    mask[2] = mask[11] = false;
    values[2] = targets[2] = std::numeric_limits<double>::quiet_NaN();
    ValueInputs inputs{.values = tensor_of(values).set_requires_grad(true),
                       .old_values = tensor_of(old_values),
                       .targets = tensor_of(targets),
                       .mask = mask_of(mask)};
    const ValueLoss result = value_loss(inputs, {.clip = clip}, counts_of(inputs.mask));
    result.loss.backward();
    double loss = 0;
    double clipped = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!mask[i]) {
        EXPECT_EQ(inputs.values.grad().reshape({-1})[static_cast<int64_t>(i)].item<double>(), 0);
        continue;
      }
      const double error = values[i] - targets[i];
      double chosen = error * error;
      double slope = error;
      if (clip.has_value() && std::abs(values[i] - old_values[i]) > *clip) {
        const double moved = old_values[i] + (values[i] > old_values[i] ? *clip : -*clip) - targets[i];
        if (moved * moved > chosen) {
          chosen = moved * moved;
          slope = 0;
          clipped += 1;
        }
      }
      loss += chosen / 2 / 13;
      EXPECT_NEAR(inputs.values.grad().reshape({-1})[static_cast<int64_t>(i)].item<double>(), slope / 13, 1e-12);
    }
    EXPECT_NEAR(result.loss.item<double>(), loss, 1e-12);
    EXPECT_EQ(result.tokens, 13);
    EXPECT_EQ(result.clipped, clipped);
    EXPECT_EQ(clip.has_value(), clipped > 0);
  }
}

TEST(Losses, NamesAreThoseOfTheConfiguration) {
  EXPECT_EQ(aggregation_from_string("sum_const").value(), Aggregation::kSumConst);
  EXPECT_EQ(aggregation_from_string("token_sum").value(), Aggregation::kTokenSum);
  EXPECT_EQ(aggregation_from_string("seq_mean_token_mean").value(), Aggregation::kSeqMeanTokenMean);
  EXPECT_EQ(aggregation_from_string("token_mean_global").value(), Aggregation::kTokenMeanGlobal);
  EXPECT_EQ(ratio_from_string("sequence").value(), Ratio::kSequence);
  EXPECT_EQ(ratio_from_string("token").value(), Ratio::kToken);
  EXPECT_EQ(clip_from_string("cispo").value(), Clip::kCispo);
  EXPECT_EQ(clip_from_string("ppo").value(), Clip::kPpo);
  EXPECT_FALSE(aggregation_from_string("token-mean").has_value());
  EXPECT_FALSE(ratio_from_string("gspo").has_value());
  EXPECT_FALSE(clip_from_string("").has_value());
}

}  // namespace
}  // namespace stitch::train
