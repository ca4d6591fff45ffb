// SPDX-License-Identifier: Apache-2.0
#include "rl/correction/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error/check.h"
#include "rl/correction/divergence.h"
#include "rl/value/moments.h"

namespace stitch::rl {
namespace {

constexpr double kHarmlessPerToken = 0.01;
constexpr double kHarmlessPerSequence = 0.5;

// The smallest value that a share of all do not exceed.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  const auto wanted = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(wanted, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Of weights exp(log_ratio). They are scaled by the largest, which changes no share and cannot overflow.
double effective_share(const std::vector<double>& log_ratios) {
  if (log_ratios.empty()) {
    return 0;
  }
  const double largest = *std::max_element(log_ratios.begin(), log_ratios.end());
  double sum = 0;
  double squares = 0;
  for (const double log_ratio : log_ratios) {
    const double weight = std::exp(log_ratio - largest);
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / (squares * static_cast<double>(log_ratios.size()));
}

// Adds one sequence's tokens; its summed log-ratio goes to `sequence_ratios` where it has any.
void add(const LogProbPair& pair, Mismatch& total, std::vector<double>& distances,
         std::vector<double>& sequence_ratios) {
  STITCH_CHECK(pair.old_logp.size() == pair.mask.size() && pair.sampler_logp.size() == pair.mask.size())
      << "two log-probabilities and a mask for each token";
  double sum = 0;
  bool has_tokens = false;
  for (size_t t = 0; t < pair.mask.size(); ++t) {
    if (pair.mask[t] == 0) {
      continue;
    }
    const double log_ratio = pair.old_logp[t] - pair.sampler_logp[t];
    if (!std::isfinite(log_ratio)) {
      ++total.not_finite;
      continue;
    }
    has_tokens = true;
    distances.push_back(std::abs(log_ratio));
    total.k3 += kl_k3(pair.sampler_logp[t], pair.old_logp[t]);
    sum += log_ratio;
  }
  if (has_tokens) {
    sequence_ratios.push_back(sum);
    total.sequence_max_abs = std::max(total.sequence_max_abs, std::abs(sum));
  }
}

}  // namespace

Mismatch mismatch_of(std::span<const LogProbPair> sequences) {
  Mismatch total;
  std::vector<double> distances;
  std::vector<double> sequence_ratios;
  for (const LogProbPair& pair : sequences) {
    add(pair, total, distances, sequence_ratios);
  }
  total.tokens = static_cast<int64_t>(distances.size());
  total.sequences = static_cast<int64_t>(sequence_ratios.size());
  if (!distances.empty()) {
    total.mean_abs = moments_of(distances).mean;
    total.p99_abs = quantile(distances, 0.99);
    total.max_abs = *std::max_element(distances.begin(), distances.end());
    total.k3 /= static_cast<double>(distances.size());
    total.sequence_std = std::sqrt(moments_of(sequence_ratios).variance());
    total.effective_share = effective_share(sequence_ratios);
  }
  return total;
}

std::string advice(const Mismatch& mismatch) {
  if (mismatch.not_finite > 0) {
    return fmt::format(
        "{} tokens have a log-probability that is no number: the sampler's answers cannot be trained on.",
        mismatch.not_finite);
  }
  if (!(mismatch.sequence_max_abs <= kHarmlessPerSequence)) {
    return fmt::format(
        "Sampler and trainer differ by {:.2g} nats over a sequence: look for a template that is encoded "
        "again, raw log-probabilities, a stale adapter, or top-p and top-k; until then use seq_mask_geo.",
        mismatch.sequence_max_abs);
  }
  if (!(mismatch.mean_abs <= kHarmlessPerToken)) {
    return fmt::format(
        "Sampler and trainer differ by {:.2g} nats a token: token_tis does not remove that, seq_tis does.",
        mismatch.mean_abs);
  }
  return "";
}

}  // namespace stitch::rl
