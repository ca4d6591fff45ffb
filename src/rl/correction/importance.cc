// SPDX-License-Identifier: Apache-2.0
#include "rl/correction/importance.h"

#include <algorithm>
#include <cmath>

#include "base/error/check.h"
#include "rl/correction/divergence.h"

namespace stitch::rl {
namespace {

struct SequenceRatio {
  double log_ratio = 0;  // sum over model tokens
  int64_t tokens = 0;
};

SequenceRatio sequence_ratio(std::span<const double> old_logp, std::span<const double> sampler_logp,
                             std::span<const uint8_t> mask) {
  SequenceRatio ratio;
  for (size_t t = 0; t < mask.size(); ++t) {
    if (mask[t] != 0) {
      ratio.log_ratio += old_logp[t] - sampler_logp[t];
      ++ratio.tokens;
    }
  }
  return ratio;
}

double bounded_exp(double log_ratio) { return std::exp(std::clamp(log_ratio, -kMaxLogRatio, kMaxLogRatio)); }

// The weight that all tokens of a sequence share.
double sequence_weight(const SequenceRatio& ratio, const ImportanceOptions& options) {
  if (options.correction == ImportanceCorrection::kSequenceTruncated) {
    return bounded_exp(ratio.log_ratio);
  }
  const double mean = ratio.tokens > 0 ? ratio.log_ratio / static_cast<double>(ratio.tokens) : 0;
  const double geometric = bounded_exp(mean);
  return geometric >= options.geometric_low && geometric <= options.geometric_high ? 1 : 0;
}

}  // namespace

ImportanceWeights importance_weights(std::span<const double> old_logp, std::span<const double> sampler_logp,
                                     std::span<const uint8_t> mask, const ImportanceOptions& options) {
  STITCH_CHECK(old_logp.size() == mask.size() && sampler_logp.size() == mask.size())
      << "two log-probabilities and a mask for each token";
  const bool is_off = options.correction == ImportanceCorrection::kOff;
  const SequenceRatio ratio = sequence_ratio(old_logp, sampler_logp, mask);
  ImportanceWeights result{.weights = std::vector<double>(mask.size(), 0.0)};
  if (!is_off && !std::isfinite(ratio.log_ratio)) {
    result.is_dropped = true;
    return result;
  }
  const bool is_by_token = options.correction == ImportanceCorrection::kTokenTruncated;
  const double shared = is_off || is_by_token ? 1 : sequence_weight(ratio, options);
  result.is_dropped = options.correction == ImportanceCorrection::kSequenceMaskGeometric && shared == 0;
  for (size_t t = 0; t < mask.size(); ++t) {
    if (mask[t] == 0) {
      continue;
    }
    const double weight = is_by_token ? bounded_exp(old_logp[t] - sampler_logp[t]) : shared;
    const bool is_capped = is_by_token || options.correction == ImportanceCorrection::kSequenceTruncated;
    result.truncated += is_capped && weight > options.cap ? 1 : 0;
    result.weights[t] = is_capped ? std::min(weight, options.cap) : weight;
  }
  return result;
}

Result<ImportanceCorrection> importance_correction_from_string(const std::string& name) {
  if (name == "off") {
    return ImportanceCorrection::kOff;
  }
  if (name == "token_tis") {
    return ImportanceCorrection::kTokenTruncated;
  }
  if (name == "seq_tis") {
    return ImportanceCorrection::kSequenceTruncated;
  }
  if (name == "seq_mask_geo") {
    return ImportanceCorrection::kSequenceMaskGeometric;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no correction of importance", "algo.is",
                 "use off, token_tis, seq_tis or seq_mask_geo");
}

}  // namespace stitch::rl
