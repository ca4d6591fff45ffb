// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/critic.h"

#include <cmath>
#include <system_error>

namespace stitch::train {
namespace {

constexpr const char* kFolder = "critic";

}  // namespace

Critic::Critic(Decoder model, const LoopSettings& settings, double peak_rate)
    : model_(std::move(model)),
      optimizer_(settings.optimizer.adamw),
      schedule_(settings.optimizer.schedule),
      max_gradient_norm_(settings.optimizer.max_gradient_norm),
      base_(settings.model.path) {
  schedule_.peak = peak_rate;
}

Result<double> Critic::descend(int64_t step) {
  const NamedTensors parameters = model_.trainable();
  const double norm = clip_gradients(parameters, max_gradient_norm_);
  if (!std::isfinite(norm)) {
    return failure(ErrorCode::kEnvironment,
                   "the critic's gradients of step " + std::to_string(step) + " are not finite", "",
                   "go on from the latest checkpoint with a lower 'ppo.critic_lr'");
  }
  optimizer_.step(parameters, rl::learning_rate(schedule_, step));
  clear_gradients(parameters);
  return norm;
}

Result<void> Critic::write(const std::filesystem::path& folder) const {
  STITCH_TRY(write_weights(folder / kFolder, model_, base_));
  return write_tensors(folder / kFolder / "optim.safetensors", optimizer_.state());
}

Result<void> Critic::read(const std::filesystem::path& folder) {
  STITCH_TRY(read_weights(folder / kFolder, model_));
  STITCH_ASSIGN(const NamedTensors state, read_tensors(folder / kFolder / "optim.safetensors"));
  return optimizer_.load_state(state, model_.trainable());
}

Result<Decoder> starting_critic(const Decoder& policy, const std::filesystem::path& path) {
  Decoder critic = policy.twin();
  critic.add_value_head();
  if (!path.empty()) {
    std::error_code error;
    const bool is_of_ppo = std::filesystem::is_directory(path / kFolder, error);
    STITCH_TRY(read_weights(is_of_ppo ? path / kFolder : path, critic));
  }
  return critic;
}

}  // namespace stitch::train
