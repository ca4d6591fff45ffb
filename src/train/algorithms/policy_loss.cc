// SPDX-License-Identifier: Apache-2.0
#include "train/algorithms/policy_loss.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::train {
namespace {

Tensor bounded_log_ratio(const Tensor& a, const Tensor& b) {
  return (a - b).clamp(-rl::kMaxLogRatio, rl::kMaxLogRatio);
}

// What each token's surrogate is made of, 0 (or a ratio of 1) where masked.
struct Surrogate {
  Tensor logp;
  Tensor ratio;
  Tensor advantages;
  Tensor losses;
};

Tensor ratio_of(const Tensor& logp, const Tensor& old_logp, const Tensor& mask, Ratio kind) {
  if (kind == Ratio::kToken) {
    return bounded_log_ratio(logp, old_logp).exp();
  }
  const Tensor mean = (logp - old_logp).sum(1, true) / mask.sum(1, true).clamp_min(1);
  return (mean.detach() + logp - logp.detach()).clamp(-rl::kMaxLogRatio, rl::kMaxLogRatio).exp();
}

Surrogate surrogate_of(const PolicyInputs& inputs, const PolicyLossOptions& options) {
  Surrogate result;
  const Tensor& mask = inputs.mask;
  result.logp = unmasked(inputs.logp, mask);
  result.advantages = unmasked(inputs.advantages, mask).detach();
  const Tensor old_logp = unmasked(inputs.old_logp, mask).detach();
  result.ratio = ratio_of(result.logp, old_logp, mask, options.ratio);
  const Tensor& advantages = result.advantages;
  const Tensor clipped = result.ratio.clamp(1 - options.clip_low, 1 + options.clip_high);
  if (options.clip == Clip::kCispo) {
    result.losses = -clipped.detach() * advantages * result.logp;
  } else {
    result.losses = at::maximum(-result.ratio * advantages, -clipped * advantages);
    if (options.clip_dual.has_value()) {
      const Tensor bounded = at::minimum(result.losses, -*options.clip_dual * advantages);
      result.losses = at::where(advantages.lt(0), bounded, result.losses);
    }
  }
  if (inputs.weights.defined()) {
    result.losses = result.losses * unmasked(inputs.weights, mask).detach();
  }
  return result;
}

double count(const Tensor& mask) { return mask.sum().item<double>(); }

// k3 of KL(p || q) from tokens of p, summed over those that the mask has.
double k3_sum(const Tensor& p, const Tensor& q, const Tensor& mask) {
  const Tensor d = bounded_log_ratio(unmasked(p, mask).detach(), unmasked(q, mask).detach());
  return (at::expm1(-d) + d).clamp_max(rl::kMaxK3).sum().item<double>();
}

PolicySums sums_of(const PolicyInputs& inputs, const PolicyLossOptions& options, const Surrogate& surrogate) {
  const at::NoGradGuard no_grad;
  PolicySums sums;
  const Tensor& mask = inputs.mask;
  sums.tokens = count(mask);
  if (sums.tokens == 0) {
    return sums;
  }
  const Tensor& ratio = surrogate.ratio;
  const Tensor is_low = mask & ratio.lt(1 - options.clip_low);
  const Tensor is_high = mask & ratio.gt(1 + options.clip_high);
  const bool is_ppo = options.clip == Clip::kPpo;
  sums.clipped_low = count(is_ppo ? is_low & surrogate.advantages.lt(0) : is_low);
  sums.clipped_high = count(is_ppo ? is_high & surrogate.advantages.gt(0) : is_high);
  if (is_ppo && options.clip_dual.has_value()) {
    sums.clipped_dual = count(mask & surrogate.advantages.lt(0) & ratio.gt(*options.clip_dual));
  }
  sums.old_kl = k3_sum(inputs.old_logp, inputs.logp, mask);
  if (inputs.reference_logp.defined()) {
    sums.reference_kl = k3_sum(inputs.logp, inputs.reference_logp, mask);
  }
  if (inputs.entropy.defined()) {
    sums.entropy = unmasked(inputs.entropy, mask).sum().item<double>();
  }
  sums.largest_ratio = at::where(mask, ratio, 0).max().item<double>();
  sums.lowest_logp = surrogate.logp.min().item<double>();
  return sums;
}

}  // namespace

PolicySums operator+(const PolicySums& a, const PolicySums& b) {
  return {.tokens = a.tokens + b.tokens,
          .clipped_low = a.clipped_low + b.clipped_low,
          .clipped_high = a.clipped_high + b.clipped_high,
          .clipped_dual = a.clipped_dual + b.clipped_dual,
          .old_kl = a.old_kl + b.old_kl,
          .reference_kl = a.reference_kl + b.reference_kl,
          .entropy = a.entropy + b.entropy,
          .largest_ratio = std::max(a.largest_ratio, b.largest_ratio),
          .lowest_logp = std::min(a.lowest_logp, b.lowest_logp)};
}

Tensor policy_loss_of_tokens(const PolicyInputs& inputs, const PolicyLossOptions& options) {
  return surrogate_of(inputs, options).losses;
}

Tensor divergence_of_tokens(const Tensor& logp, const Tensor& reference_logp, rl::KlPlacement placement) {
  const Tensor d = bounded_log_ratio(logp, reference_logp.detach());
  if (placement == rl::KlPlacement::kLossK2) {
    return d * d / 2;
  }
  STITCH_CHECK(placement == rl::KlPlacement::kLossK3) << "no loss stands for a divergence that is off or in the reward";
  return (at::expm1(-d) + d).clamp_max(rl::kMaxK3);
}

PolicyLoss policy_loss(const PolicyInputs& inputs, const PolicyLossOptions& options, const BatchCounts& whole) {
  const Surrogate surrogate = surrogate_of(inputs, options);
  PolicyLoss result;
  result.loss = aggregate(surrogate.losses, inputs.mask, options.aggregation, whole);
  if (options.kl == rl::KlPlacement::kLossK2 || options.kl == rl::KlPlacement::kLossK3) {
    STITCH_CHECK(inputs.reference_logp.defined()) << "a divergence needs the reference's log-probabilities";
    const Tensor reference = unmasked(inputs.reference_logp, inputs.mask);
    const Tensor divergence = divergence_of_tokens(surrogate.logp, reference, options.kl);
    result.loss = result.loss + options.kl_coefficient * aggregate(divergence, inputs.mask, options.aggregation, whole);
  }
  if (options.entropy_coefficient != 0) {
    STITCH_CHECK(inputs.entropy.defined()) << "an entropy bonus needs the entropies of the tokens";
    result.loss =
        result.loss - options.entropy_coefficient * aggregate(inputs.entropy, inputs.mask, options.aggregation, whole);
  }
  result.sums = sums_of(inputs, options, surrogate);
  return result;
}

Tensor token_entropy(const Tensor& logits) {
  const bool is_wide = logits.scalar_type() == at::kDouble || logits.scalar_type() == at::kFloat;
  const Tensor logp = (is_wide ? logits : logits.to(at::kFloat)).log_softmax(-1);
  // 0 * -inf would be NaN, and its gradient too.
  return -(logp.exp() * at::where(logp.isfinite(), logp, 0)).sum(-1);
}

Tensor supervised_loss(const Tensor& logp, const Tensor& mask, const AggregationOptions& options,
                       const BatchCounts& whole) {
  return aggregate(-unmasked(logp, mask), mask, options, whole);
}

Result<Ratio> ratio_from_string(const std::string& name) {
  if (name == "token") {
    return Ratio::kToken;
  }
  if (name == "sequence") {
    return Ratio::kSequence;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no ratio of policies", "algo.ratio", "use token or sequence");
}

Result<Clip> clip_from_string(const std::string& name) {
  if (name == "ppo") {
    return Clip::kPpo;
  }
  if (name == "cispo") {
    return Clip::kCispo;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no clip", "algo.clip", "use ppo or cispo");
}

}  // namespace stitch::train
