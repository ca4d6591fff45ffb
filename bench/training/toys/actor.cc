// SPDX-License-Identifier: Apache-2.0
#include "toys/actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rl/value/fit.h"
#include "rl/value/moments.h"

namespace stitch::toys {

Table::Table(int64_t rows, int64_t columns)
    : values_(at::zeros({rows, columns}, at::kDouble).set_requires_grad(true)),
      mean_(at::zeros({rows, columns}, at::kDouble)),
      square_(at::zeros({rows, columns}, at::kDouble)) {}

void Table::step(const Tensor& loss, double learning_rate) {
  values_.mutable_grad() = Tensor();
  loss.backward();
  const at::NoGradGuard no_grad;
  const Tensor gradient = values_.grad();
  ++steps_;
  mean_ = 0.9 * mean_ + 0.1 * gradient;
  square_ = 0.999 * square_ + 0.001 * gradient.square();
  const auto steps = static_cast<double>(steps_);
  const Tensor mean = mean_ / (1 - std::pow(0.9, steps));
  const Tensor square = square_ / (1 - std::pow(0.999, steps));
  values_.sub_(learning_rate * mean / (square.sqrt() + 1e-8));
}

std::vector<std::vector<double>> probabilities(const Table& actor) {
  const at::NoGradGuard no_grad;
  const Tensor all = actor.values().softmax(1).contiguous();
  std::vector<std::vector<double>> result;
  for (int64_t row = 0; row < all.size(0); ++row) {
    const double* first = all.const_data_ptr<double>() + row * all.size(1);
    result.emplace_back(first, first + all.size(1));
  }
  return result;
}

Episode rollout(const Environment& environment, const std::vector<std::vector<double>>& policy, int64_t start,
                Stream& stream) {
  Episode episode;
  for (int64_t state = start; state >= 0 && static_cast<int64_t>(episode.states.size()) < environment.max_steps;) {
    const int64_t action = stream.choice(policy[static_cast<size_t>(state)]);
    episode.states.push_back(state);
    episode.actions.push_back(action);
    state = environment.next(state, action);
  }
  episode.reward = environment.reward(episode);
  return episode;
}

Batch batch_of(std::vector<Episode> episodes) {
  size_t longest = 0;
  for (const Episode& episode : episodes) {
    longest = std::max(longest, episode.states.size());
  }
  std::vector<int64_t> states;
  std::vector<int64_t> actions;
  std::vector<int64_t> mask;
  for (const Episode& episode : episodes) {
    for (size_t t = 0; t < longest; ++t) {
      const bool is_there = t < episode.states.size();
      states.push_back(is_there ? episode.states[t] : 0);
      actions.push_back(is_there ? episode.actions[t] : 0);
      mask.push_back(is_there ? 1 : 0);
    }
  }
  const auto columns = static_cast<int64_t>(longest);
  return {.episodes = std::move(episodes),
          .states = at::tensor(states).reshape({-1, columns}),
          .actions = at::tensor(actions).reshape({-1, columns}),
          .mask = at::tensor(mask).reshape({-1, columns}).gt(0)};
}

Tensor log_probs(const Table& actor, const Batch& batch) {
  return actor.values().log_softmax(1).index({batch.states, batch.actions});
}

Tensor values(const Table& critic, const Batch& batch) { return critic.values().select(1, 0).index({batch.states}); }

Tensor spread(const Batch& batch, const std::vector<double>& of_episode) {
  return at::tensor(of_episode, at::dtype(at::kDouble)).reshape({-1, 1}).expand_as(batch.states).contiguous();
}

void update_actor(Table& actor, const Batch& batch, const Tensor& advantages, const train::PolicyLossOptions& options,
                  double learning_rate, int passes) {
  const Tensor old_logp = log_probs(actor, batch).detach();
  for (int pass = 0; pass < passes; ++pass) {
    const train::PolicyInputs inputs{
        .logp = log_probs(actor, batch), .old_logp = old_logp, .advantages = advantages, .mask = batch.mask};
    actor.step(train::policy_loss(inputs, options, train::counts_of(batch.mask)).loss, learning_rate);
  }
}

void update_critic(Table& critic, const Batch& batch, const Tensor& targets, double learning_rate, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    train::ValueInputs inputs{.values = values(critic, batch), .targets = targets, .mask = batch.mask};
    critic.step(train::value_loss(inputs, {}, train::counts_of(batch.mask)).loss, learning_rate);
  }
}

Estimates estimates_of(const Table& critic, const Batch& batch, const rl::GaeOptions& options) {
  const auto columns = static_cast<size_t>(batch.states.size(1));
  const Tensor all_values = values(critic, batch).detach().contiguous();
  std::vector<double> advantages;
  std::vector<double> targets;
  std::vector<double> returns;
  std::vector<uint8_t> mask;
  for (size_t i = 0; i < batch.episodes.size(); ++i) {
    const size_t steps = batch.episodes[i].states.size();
    std::vector<double> rewards(columns, 0.0);
    rewards[steps - 1] = batch.episodes[i].reward;
    std::vector<uint8_t> is_step(columns, 0);
    std::fill(is_step.begin(), is_step.begin() + static_cast<std::ptrdiff_t>(steps), uint8_t{1});
    const double* first = all_values.const_data_ptr<double>() + i * columns;
    const rl::Gae estimate =
        rl::gae({.rewards = rewards, .values = {first, columns}, .is_model_token = is_step}, options);
    advantages.insert(advantages.end(), estimate.advantages.begin(), estimate.advantages.end());
    targets.insert(targets.end(), estimate.targets.begin(), estimate.targets.end());
    mask.insert(mask.end(), is_step.begin(), is_step.end());
    returns.insert(returns.end(), columns, batch.episodes[i].reward);
  }
  const double* first = all_values.const_data_ptr<double>();
  const rl::ValueFit fit = rl::value_fit(returns, {first, returns.size()}, mask);
  const std::vector<double> white = rl::whitened(advantages, mask, rl::moments_of(advantages, mask));
  const auto shape = batch.states.sizes();
  return {.advantages = at::tensor(white, at::dtype(at::kDouble)).reshape(shape),
          .targets = at::tensor(targets, at::dtype(at::kDouble)).reshape(shape),
          .explained_variance = fit.explained_variance.value_or(0)};
}

void record(const std::string& toy, const std::string& arm, uint64_t seed, int iteration,
            const std::vector<std::pair<std::string, double>>& measured) {
  std::string line =
      fmt::format(R"({{"toy": "{}", "arm": "{}", "seed": {}, "iteration": {})", toy, arm, seed, iteration);
  for (const auto& [name, value] : measured) {
    line += fmt::format(R"(, "{}": {:.6g})", name, value);
  }
  std::printf("%s}\n", line.c_str());
}

}  // namespace stitch::toys
