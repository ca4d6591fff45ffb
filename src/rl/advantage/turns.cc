// SPDX-License-Identifier: Apache-2.0
#include "rl/advantage/turns.h"

#include <algorithm>
#include <cmath>

#include "rl/value/moments.h"

namespace stitch::rl {
namespace {

bool is_judged(const std::optional<std::vector<double>>& sample) {
  return sample.has_value() && std::all_of(sample->begin(), sample->end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::vector<double> returns_to_go(std::span<const double> turn_rewards, double gamma) {
  std::vector<double> returns(turn_rewards.size());
  double later = 0;
  for (size_t t = turn_rewards.size(); t-- > 0;) {
    later = turn_rewards[t] + gamma * later;
    returns[t] = later;
  }
  return returns;
}

std::vector<std::optional<std::vector<double>>> trloo(std::span<const std::optional<std::vector<double>>> returns) {
  std::vector<std::optional<std::vector<double>>> advantages(returns.size());
  size_t most_turns = 0;
  for (size_t i = 0; i < returns.size(); ++i) {
    if (is_judged(returns[i])) {
      advantages[i].emplace(returns[i]->size(), 0.0);
      most_turns = std::max(most_turns, returns[i]->size());
    }
  }
  for (size_t t = 0; t < most_turns; ++t) {
    std::vector<double> reached;
    for (size_t i = 0; i < returns.size(); ++i) {
      if (advantages[i].has_value() && t < returns[i]->size()) {
        reached.push_back((*returns[i])[t]);
      }
    }
    const Moments moments = moments_of(reached);
    for (size_t i = 0; i < returns.size(); ++i) {
      if (advantages[i].has_value() && t < returns[i]->size() && moments.count > 1) {
        (*advantages[i])[t] = ((*returns[i])[t] - moments.mean) * moments.count / (moments.count - 1);
      }
    }
  }
  return advantages;
}

}  // namespace stitch::rl
