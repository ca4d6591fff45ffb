// SPDX-License-Identifier: Apache-2.0
// The loss of the policy: ratio, clip, divergence and entropy, for GRPO and PPO alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "rl/correction/divergence.h"
#include "train/algorithms/aggregate.h"

namespace stitch::train {

enum class Ratio {
  // r_t = exp(logp_t - old_logp_t) (PPO, Schulman et al. 2017). Bias off policy: the tokens before t were drawn from
  // the old
  // policy and are not corrected for. None on policy.
  kToken,
  // s = exp(mean over the sequence's tokens of logp - old_logp), at each token as stopped(s) * exp(logp_t -
  // stopped(logp_t))
  // (GSPO, Zheng et al. 2025): its value is s, its gradient s * grad logp_t. With seq_mean_token_mean that is the
  // gradient
  // of s. Bias off policy: s is the sequence's ratio to the power 1 / length, not the ratio.
  kSequence,
};

enum class Clip {
  // -min(r A, clip(r, 1 - low, 1 + high) A) (PPO). Bias: tokens beyond the clip on the side they are pushed to teach
  // nothing; rare tokens meet it first. high above low ("clip-higher", DAPO) leaves them more room to grow.
  kPpo,
  // -stopped(clip(r, 1 - low, 1 + high)) A logp (CISPO, MiniMax 2025). Bias: that of truncated weights; every token
  // teaches.
  kCispo,
};

struct PolicyLossOptions {
  Ratio ratio = Ratio::kToken;
  Clip clip = Clip::kPpo;
  double clip_low = 0.2;
  double clip_high = 0.28;
  // Of kPpo: the loss of a token with A < 0 is at most -dual * A (Ye et al. 2020); above 1, 3 as a rule. Bias: tokens
  // that have become far likelier, and are wrong, teach nothing.
  std::optional<double> clip_dual = {};
  AggregationOptions aggregation = {};
  // kRewardK1 adds nothing here: whoever makes rewards has taken it off them (rl::rewards_less_kl, rl::sequence_k1).
  rl::KlPlacement kl = rl::KlPlacement::kOff;
  double kl_coefficient = 0;
  // The mean entropy, aggregated as the rest, is subtracted with this. Bias: J of another objective, which prefers
  // randomness by this much a token; its gradient misses that later tokens' entropy depends on this one.
  double entropy_coefficient = 0;
};

// All [sequences, tokens], logp and entropy with a gradient and the rest without.
struct PolicyInputs {
  Tensor logp;      // of the tokens, under the policy that learns
  Tensor old_logp;  // under the policy at the time of the rollout, computed by the trainer
  Tensor advantages;
  Tensor mask;                 // bool: tokens that the model wrote, of samples that are learned from
  Tensor reference_logp = {};  // where kl is a loss
  Tensor weights = {};         // rl::importance_weights(); undefined: 1
  Tensor entropy = {};         // token_entropy(), where its coefficient is not 0 or it is to be reported
};

// Over this piece's tokens, for metrics: sums add up over pieces, and are divided by `tokens` at the end.
struct PolicySums {
  double tokens = 0;
  double clipped_low = 0;  // tokens without a gradient since r < 1 - low; of kCispo with r cut there
  double clipped_high = 0;
  double clipped_dual = 0;
  double old_kl = 0;        // k3 of KL(old || policy): how far the update has gone
  double reference_kl = 0;  // k3 of KL(policy || reference), where there is one
  double entropy = 0;
  double largest_ratio = 0;  // these two are no sums: the extreme one
  double lowest_logp = 0;
};

PolicySums operator+(const PolicySums& a, const PolicySums& b);

struct PolicyLoss {
  Tensor loss;  // a scalar: this piece's share, to be minimised
  PolicySums sums;
};

// Log-ratios are cut at +-rl::kMaxLogRatio, beyond which there is no gradient.
PolicyLoss policy_loss(const PolicyInputs& inputs, const PolicyLossOptions& options, const BatchCounts& whole);

// The surrogate of each token alone, weighted; 0 at masked tokens.
Tensor policy_loss_of_tokens(const PolicyInputs& inputs, const PolicyLossOptions& options);
// k2 or k3 of each token with its gradient, by `placement`; rl::KlPlacement says what each is worth.
Tensor divergence_of_tokens(const Tensor& logp, const Tensor& reference_logp, rl::KlPlacement placement);

// Of logits [..., vocabulary]: -sum of p log p, in nats. Tokens that a grammar forbids, with logits of -inf, add 0.
Tensor token_entropy(const Tensor& logits);

// Cross entropy of tokens that somebody else wrote, or that earned something (SFT, RFT): -logp, aggregated. Bias of RFT
// against J: its gradient is that of log(chance of success), which counts hard prompts more, and it learns nothing from
// failures.
Tensor supervised_loss(const Tensor& logp, const Tensor& mask, const AggregationOptions& options,
                       const BatchCounts& whole);

// "token", "sequence"; "ppo", "cispo".
Result<Ratio> ratio_from_string(const std::string& name);
Result<Clip> clip_from_string(const std::string& name);

}  // namespace stitch::train
