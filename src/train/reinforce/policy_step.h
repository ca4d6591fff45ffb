// SPDX-License-Identifier: Apache-2.0
// One step of a loop that learns from rewards, from its prompts to its metrics.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "train/loop/order.h"
#include "train/loop/trainer.h"
#include "train/reinforce/credit.h"
#include "train/reinforce/critic.h"
#include "train/reinforce/policy_settings.h"
#include "train/reinforce/step_metrics.h"

namespace stitch::train {

// The policy that a divergence is taken from: where the run began. It shares what is frozen with the trained one.
struct Reference {
  Decoder model;
  bool adapter = true;
};
// None where there is no divergence. `now` is the model that is trained, at any step.
Result<std::optional<Reference>> reference_of(const PolicySettings& settings, const Decoder& now);

// Seconds by part, of one step.
struct StepCosts {
  double rollout = 0;  // evaluation left out
  double evaluation = 0;
  double update = 0;  // scores and gradients
};

class PolicyStep {
 public:
  // All of them outlive this; `critic` is there in ppo.
  PolicyStep(const PolicySettings& settings, PromptSource& source, Trainer& trainer, Critic* critic,
             const std::optional<Reference>& reference);

  // Draws, judges, learns, and ends the trainer's step with its metrics, which it gives. kEnvironment when more answers
  // than 'evaluator.most_unjudged' have no reward: nothing is learned from such a step.
  Result<Json> run();
  const StepCosts& costs() const { return costs_; }

 private:
  struct Drawn {
    std::vector<RolloutGroup> groups;
    rl::FilteredGroups filtered;
  };
  Result<Drawn> draw();
  Result<void> draw_more(const std::vector<const Prompt*>& prompts, Drawn& drawn);
  Result<void> keep(const std::vector<RolloutGroup>& groups, const char* folder, int64_t step) const;
  std::vector<const Prompt*> refill_prompts(int64_t count, int64_t drawn) const;
  Json score(std::vector<Credited>& credited);
  Result<UpdateTotals> update(const std::vector<Credited>& credited, bool is_actor_held);
  Result<void> update_once(const LearnedSamples& samples, bool is_actor_held, UpdateTotals& totals);
  std::vector<const Credited*> shuffled(const std::vector<Credited>& credited, int64_t epoch) const;
  Result<void> add_held_out(Json& metrics);
  PassSettings pass_settings() const;

  const PolicySettings& settings_;
  PromptSource& source_;
  Trainer& trainer_;
  Critic* critic_;
  const std::optional<Reference>& reference_;
  ShuffledOrder order_;
  StepCosts costs_{};
};

}  // namespace stitch::train
