// SPDX-License-Identifier: Apache-2.0
// How far the policy that sampled is from the trainer's own, logged at every step before anything is corrected.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stitch::rl {

// One sequence's log-probabilities under the trainer at the rollout's weights, and as the sampler told them.
struct LogProbPair {
  std::span<const double> old_logp;
  std::span<const double> sampler_logp;
  std::span<const uint8_t> mask;
};

struct Mismatch {
  int64_t tokens = 0;
  int64_t sequences = 0;   // with a model token
  int64_t not_finite = 0;  // tokens left out: a log-probability that is no number
  double mean_abs = 0;     // nats a token, of |log p_old - log p_sampler|
  double p99_abs = 0;      // the smallest of them that 99 % do not exceed
  double max_abs = 0;
  double k3 = 0;            // estimate of KL(sampler || old), nats a token
  double sequence_std = 0;  // of the sequences' summed log-ratios; 0 for fewer than two
  double sequence_max_abs = 0;
  double effective_share = 0;  // (sum w)^2 / (n sum w^2) of whole-sequence weights: 1 is on policy
};

Mismatch mismatch_of(std::span<const LogProbPair> sequences);

// What to do about it, a sentence; empty while it is harmless. From 0.01 nats a token on average it is worth a cap on
// tokens, and where sequences differ by more than 0.5 nats their cause has to be found.
std::string advice(const Mismatch& mismatch);

}  // namespace stitch::rl
