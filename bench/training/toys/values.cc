// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "rl/testing/tabular.h"
#include "toys/critic.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace values_toy {

constexpr int kTokens = 4;
constexpr int kLength = 4;
constexpr int kIterations = 600;

using Policy = rl::testing::TabularPolicy;

// Value of each prefix, by sequence and place: what sequences that begin like this one earn on average.
std::vector<std::vector<double>> exact_values(const Policy& policy, const std::vector<double>& rewards) {
  std::vector<std::vector<double>> values(rewards.size(), std::vector<double>(kLength, 0.0));
  int together = policy.sequences();  // sequences with the same prefix lie beside each other
  for (size_t t = 0; t < kLength; ++t, together /= kTokens) {
    for (int first = 0; first < policy.sequences(); first += together) {
      double mass = 0;
      double sum = 0;
      for (int i = first; i < first + together; ++i) {
        mass += policy.probability(i);
        sum += policy.probability(i) * rewards[static_cast<size_t>(i)];
      }
      for (int i = first; i < first + together; ++i) {
        values[static_cast<size_t>(i)][t] = sum / mass;
      }
    }
  }
  return values;
}

Rollouts sequences(const Policy& policy, const std::vector<int>& drawn, const std::vector<double>& rewards) {
  std::vector<Question> questions;
  for (const int sequence : drawn) {
    const std::vector<int> tokens = policy.tokens_of(sequence);
    questions.push_back({{kBegin}, {tokens.begin(), tokens.end()}});
  }
  Rollouts rollouts = given_rollouts(questions);
  for (const int sequence : drawn) {
    rollouts.rewards.push_back(rewards[static_cast<size_t>(sequence)]);
  }
  return rollouts;
}

// Expected over the policy, by all sequences: 1 - E(R - V)^2 / Var(R), both without their means, over all places; and
// the root of E(V - exact V)^2.
struct Fit {
  double explained_variance = 0;
  double error = 0;
};
Fit fit_of(const Policy& policy, const std::vector<double>& rewards, const std::vector<std::vector<double>>& values,
           const std::vector<std::vector<double>>& exact) {
  double mean_error = 0;
  double mean_return = 0;
  double squares_error = 0;
  double squares_return = 0;
  double distance = 0;
  for (size_t i = 0; i < rewards.size(); ++i) {
    for (size_t t = 0; t < kLength; ++t) {
      const double weight = policy.probability(static_cast<int>(i)) / kLength;
      const double error = rewards[i] - values[i][t];
      mean_error += weight * error;
      mean_return += weight * rewards[i];
      squares_error += weight * error * error;
      squares_return += weight * rewards[i] * rewards[i];
      distance += weight * (values[i][t] - exact[i][t]) * (values[i][t] - exact[i][t]);
    }
  }
  return {1 - (squares_error - mean_error * mean_error) / (squares_return - mean_return * mean_return),
          std::sqrt(distance)};
}

std::vector<std::vector<double>> by_sequence(const Tensor& values) {
  const Tensor wide = values.to(at::kDouble).contiguous();
  std::vector<std::vector<double>> result;
  for (int64_t i = 0; i < wide.size(0); ++i) {
    const double* row = wide.const_data_ptr<double>() + i * wide.size(1);
    result.emplace_back(row, row + wide.size(1));
  }
  return result;
}

}  // namespace values_toy

void run_values(const std::string& arm, uint64_t seed) {
  using namespace values_toy;
  Stream stream(seed);
  Policy policy(kTokens, kLength);
  policy.draw(seed, 0.5);
  std::vector<double> rewards;
  std::vector<int> everything;
  std::vector<double> chances;
  for (int i = 0; i < policy.sequences(); ++i) {
    rewards.push_back(stream.uniform());
    everything.push_back(i);
    chances.push_back(policy.probability(i));
  }
  const auto exact = exact_values(policy, rewards);
  const double most = fit_of(policy, rewards, exact, exact).explained_variance;
  const Rollouts all = sequences(policy, everything, rewards);
  Learner critic = critic_of(fresh_learner(seed).model, 0, 1e-3, stream);
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    critic.learning_rate = iteration < kIterations / 2 ? 1e-3 : 3e-4;
    if (iteration % 20 == 0) {
      const at::NoGradGuard no_grad;
      const Fit fit = fit_of(policy, rewards, by_sequence(values_of(critic.model, all)), exact);
      record("values", arm, seed, iteration,
             {{"explained_variance", fit.explained_variance}, {"exact", most}, {"error", fit.error}});
    }
    std::vector<int> drawn;
    for (int i = 0; i < kBatch; ++i) {
      drawn.push_back(stream.choice(chances));
    }
    const Rollouts rollouts = sequences(policy, drawn, rewards);
    critic_step(critic, rollouts, critique_of(critic.model, rollouts).targets);
  }
}

}  // namespace stitch::toys
