// SPDX-License-Identifier: Apache-2.0
#include "toys/critic.h"

#include "rl/value/fit.h"
#include "rl/value/moments.h"

namespace stitch::toys {

Learner critic_of(const train::Decoder& actor, double head_deviation, double learning_rate, Stream& stream) {
  Learner critic{copy_of(actor)};
  critic.begin(learning_rate);
  critic.model.train_base(true);
  critic.model.add_value_head();
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : critic.model.value_parameters()) {
    for (int64_t i = 0; name.ends_with("weight") && i < tensor.numel(); ++i) {
      tensor.view({-1})[i] = head_deviation * stream.normal();
    }
  }
  return critic;
}

Tensor values_of(const train::Decoder& critic, const Rollouts& rollouts) {
  return critic.values(critic.hidden(rollouts.tokens)).narrow(1, 0, rollouts.tokens.size(1) - 1);
}

Critique critique_of(const train::Decoder& critic, const Rollouts& rollouts) {
  Tensor values;
  {
    const at::NoGradGuard no_grad;
    values = values_of(critic, rollouts).to(at::kDouble).contiguous();
  }
  const auto columns = static_cast<size_t>(values.size(1));
  const double* first = values.const_data_ptr<double>();
  const Tensor wide_mask = rollouts.mask.to(at::kByte).contiguous();
  const std::span<const uint8_t> mask(wide_mask.const_data_ptr<uint8_t>(), rollouts.rewards.size() * columns);
  std::vector<double> advantages;
  std::vector<double> targets;
  for (size_t i = 0; i < rollouts.rewards.size(); ++i) {
    std::vector<double> rewards(columns, 0.0);
    rewards.back() = rollouts.rewards[i];
    const rl::Gae one = rl::gae({.rewards = rewards,
                                 .values = {first + i * columns, columns},
                                 .is_model_token = mask.subspan(i * columns, columns)},
                                {.lambda_actor = 0.95, .lambda_critic = 1});
    advantages.insert(advantages.end(), one.advantages.begin(), one.advantages.end());
    targets.insert(targets.end(), one.targets.begin(), one.targets.end());
  }
  const rl::ValueFit fit = rl::value_fit(targets, {first, targets.size()}, mask);
  const auto white = rl::whitened(advantages, mask, rl::moments_of(advantages, mask));
  return {.advantages = at::tensor(white, at::dtype(at::kFloat)).reshape(values.sizes()),
          .targets = at::tensor(targets, at::dtype(at::kFloat)).reshape(values.sizes()),
          .explained_variance = fit.explained_variance.value_or(0)};
}

void critic_step(Learner& critic, const Rollouts& rollouts, const Tensor& targets) {
  train::ValueInputs inputs{.values = values_of(critic.model, rollouts), .targets = targets, .mask = rollouts.mask};
  critic.step(train::value_loss(inputs, {}, train::counts_of(inputs.mask)).loss);
}

void run_ppo(Learner& actor, Stream& stream, int length, const PpoSettings& settings,
             const std::vector<Question>& held_out, const std::string& toy, const std::string& arm, uint64_t seed) {
  Learner critic = critic_of(actor.model, settings.head_deviation, settings.critic_rate, stream);
  const auto fresh = [&] {
    return judged_rollouts(actor.model, drawn_questions(stream, kBatch, length), stream.bits());
  };
  for (int i = 0; i < settings.pretraining; ++i) {
    const Rollouts rollouts = fresh();
    critic_step(critic, rollouts, critique_of(critic.model, rollouts).targets);
  }
  double updates = 0;
  for (int iteration = 0; iteration <= settings.iterations; ++iteration) {
    const Rollouts rollouts = fresh();
    const Critique critique = critique_of(critic.model, rollouts);
    const bool is_open =
        !settings.has_gate || rl::is_gate_open({.explained_variance = critique.explained_variance}, 0.0);
    updates += is_open ? 1 : 0;
    if (iteration % 5 == 0) {
      const Skill skill = skill_of(actor.model, held_out);
      record(toy, arm, seed, iteration,
             {{"success", skill.success},
              {"greedy", skill.greedy},
              {"explained_variance", critique.explained_variance},
              {"is_actor_updated", updates / (iteration == 0 ? 1 : 5)}});
      updates = 0;
      if (skill.greedy >= settings.enough) {
        return;
      }
    }
    if (is_open) {
      update_policy(actor, rollouts, critique.advantages, {});
    }
    critic_step(critic, rollouts, critique.targets);
    critic_step(critic, rollouts, critique.targets);
  }
}

}  // namespace stitch::toys
