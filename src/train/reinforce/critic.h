// SPDX-License-Identifier: Apache-2.0
// PPO's critic: a decoder with a value head that learns on its own, in the same checkpoints as the policy.
#pragma once

#include <filesystem>

#include "train/loop/trainer.h"

namespace stitch::train {

class Critic final : public CheckpointPart {
 public:
  // `model` has a value head. `peak_rate` takes the place of the schedule's own.
  Critic(Decoder model, const LoopSettings& settings, double peak_rate);

  const Decoder& model() const { return model_; }
  // One update down the gradients that its parameters hold, with the learning rate of that step. Gives their norm;
  // kEnvironment when it is not finite.
  Result<double> descend(int64_t step);

  // critic/adapter or critic/model, critic/value_head.safetensors and critic/optim.safetensors below `folder`.
  Result<void> write(const std::filesystem::path& folder) const override;
  Result<void> read(const std::filesystem::path& folder) override;

 private:
  Decoder model_;
  AdamW optimizer_;
  rl::LearningRateSchedule schedule_;
  double max_gradient_norm_;
  std::string base_;  // of the adapter
};

// A twin of the policy with a new value head; or, where `path` names a checkpoint's folder, what lies in its critic/,
// else what `value` wrote there.
Result<Decoder> starting_critic(const Decoder& policy, const std::filesystem::path& path);

}  // namespace stitch::train
