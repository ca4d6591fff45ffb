// SPDX-License-Identifier: Apache-2.0
#include "rl/value/gae.h"

#include <algorithm>

#include "base/error/check.h"

namespace stitch::rl {
namespace {

// What the environment paid from each model token up to the next; 0 at masked tokens.
std::vector<double> credited_rewards(const Trajectory& trajectory) {
  std::vector<double> credited(trajectory.rewards.size(), 0.0);
  std::optional<size_t> last_model_token;
  for (size_t t = 0; t < credited.size(); ++t) {
    if (trajectory.is_model_token[t] != 0) {
      last_model_token = t;
    }
    if (last_model_token.has_value()) {
      credited[*last_model_token] += trajectory.rewards[t];
    }
  }
  return credited;
}

std::vector<double> advantages_of(const Trajectory& trajectory, const std::vector<double>& rewards, double gamma,
                                  double lambda) {
  std::vector<double> advantages(rewards.size(), 0.0);
  double next_value = trajectory.value_after;
  double next_advantage = 0;
  for (size_t t = rewards.size(); t-- > 0;) {
    if (trajectory.is_model_token[t] == 0) {
      continue;
    }
    const double error = rewards[t] + gamma * next_value - trajectory.values[t];
    next_advantage = error + gamma * lambda * next_advantage;
    next_value = trajectory.values[t];
    advantages[t] = next_advantage;
  }
  return advantages;
}

}  // namespace

double lambda_of_actor(const GaeOptions& options, int64_t model_tokens) {
  if (!options.adaptive_alpha.has_value()) {
    return options.lambda_actor;
  }
  const double scaled_length = *options.adaptive_alpha * static_cast<double>(model_tokens);
  return scaled_length > 1 ? 1 - 1 / scaled_length : 0;
}

Gae gae(const Trajectory& trajectory, const GaeOptions& options) {
  const size_t tokens = trajectory.rewards.size();
  STITCH_CHECK(trajectory.values.size() == tokens && trajectory.is_model_token.size() == tokens)
      << "a reward, a value and a mask for each token";
  const auto& mask = trajectory.is_model_token;
  const int64_t model_tokens = std::count_if(mask.begin(), mask.end(), [](uint8_t one) { return one != 0; });
  const std::vector<double> rewards = credited_rewards(trajectory);
  Gae result;
  result.advantages = advantages_of(trajectory, rewards, options.gamma, lambda_of_actor(options, model_tokens));
  result.targets = advantages_of(trajectory, rewards, options.gamma, options.lambda_critic);
  for (size_t t = 0; t < tokens; ++t) {
    if (mask[t] != 0) {
      result.targets[t] += trajectory.values[t];
    }
  }
  return result;
}

}  // namespace stitch::rl
