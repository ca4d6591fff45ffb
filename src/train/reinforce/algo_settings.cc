// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/algo_settings.h"

namespace stitch::train {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 24;

// A word that a function of src/rl or src/train/algorithms knows, whose sentence says which there are.
template <typename Value>
void read_known(Section& section, const char* key, const std::string& usual, Result<Value> (*from)(const std::string&),
                Value& value) {
  std::string word = usual;
  section.read(key, word);
  const Result<Value> found = from(word);
  if (found.has_value()) {
    value = *found;
  } else {
    section.refuse(key, "cannot be taken: " + found.error().message + "; " + found.error().remedy);
  }
}

void read_optional(Section& section, const char* key, double least, double most, std::optional<double>& value) {
  if (section.has(key)) {
    section.read(key, value.emplace(least), least, most);
  }
}

void read_loss(Section& section, AlgoSettings& settings) {
  PolicyLossOptions& loss = settings.loss;
  read_known(section, "ratio", "token", ratio_from_string, loss.ratio);
  read_known(section, "clip", "ppo", clip_from_string, loss.clip);
  section.read("clip_low", loss.clip_low, 0, 1);
  section.read("clip_high", loss.clip_high, 0, 1e6);
  read_optional(section, "clip_dual", 1, 1e6, loss.clip_dual);
  read_known(section, "agg", "token_mean_global", aggregation_from_string, loss.aggregation.kind);
  section.read("agg_constant", loss.aggregation.constant, 1e-9, 1e9);
  read_known(section, "kl", "off", rl::kl_placement_from_string, loss.kl);
  section.read("kl_coef", loss.kl_coefficient, 0, 1e6);
  section.read("entropy_coef", loss.entropy_coefficient, -1e6, 1e6);
  if (loss.kl == rl::KlPlacement::kOff && loss.kl_coefficient != 0) {
    section.refuse("kl_coef", "stands for a divergence that is off: give 'algo.kl', too");
  }
}

void read_importance(Section& section, rl::ImportanceOptions& importance) {
  read_known(section, "is", "off", rl::importance_correction_from_string, importance.correction);
  section.read("is_cap", importance.cap, 1, 1e9);
  section.read("is_geo_low", importance.geometric_low, 0, 1);
  section.read("is_geo_high", importance.geometric_high, 1, 1e9);
}

void read_advantage(Section& section, AlgoSettings& settings, bool is_ppo) {
  const std::vector<std::string> words = {"grpo", "dr_grpo", "rloo", "trloo", "gae"};  // in the order of Advantage
  auto advantage = static_cast<size_t>(is_ppo ? Advantage::kGae : Advantage::kGrpo);
  section.read("advantage", advantage, words);
  settings.advantage = static_cast<Advantage>(advantage);
  if ((settings.advantage == Advantage::kGae) != is_ppo) {
    section.refuse("advantage", is_ppo ? "is gae in ppo; the others are of grpo" : "is gae, which is of ppo");
  }
  constexpr rl::GroupBaseline kBaselines[] = {rl::GroupBaseline::kGrpo, rl::GroupBaseline::kDrGrpo,
                                              rl::GroupBaseline::kRloo};
  if (advantage < std::size(kBaselines)) {
    settings.group.baseline = kBaselines[advantage];
  }
  section.read("std_eps", settings.group.std_eps, 0, 1);
}

}  // namespace

void read_algo_settings(Section& parent, AlgoSettings& settings, bool is_ppo) {
  Section section = parent.child("algo");
  read_advantage(section, settings, is_ppo);
  settings.group_size = is_ppo ? 1 : settings.group_size;
  section.read("group_size", settings.group_size, is_ppo ? 1 : 2, kMaxCount);
  section.read("prompts_per_step", settings.prompts_per_step, 1, kMaxCount);
  section.read("epochs", settings.epochs, 1, 1000);
  section.read("minibatch", settings.minibatch, 0, kMaxCount);
  read_loss(section, settings);
  read_importance(section, settings.importance);
  section.read("drop_zero_variance", settings.drop_zero_variance);
  section.read("refill_max", settings.refill_max, 0, kMaxCount);
  read_known(section, "truncated", "keep", rl::truncated_from_string, settings.truncated);
  section.read("overlong_buffer", settings.overlong_buffer, 0, kMaxCount);
  parent.add(std::move(section));
}

void read_ppo_settings(Section& parent, PpoSettings& settings) {
  Section section = parent.child("ppo");
  read_critic_settings(section, settings);
  section.read("lam_actor", settings.gae.lambda_actor, 0, 1);
  read_optional(section, "lam_adaptive_alpha", 1e-9, 1e9, settings.gae.adaptive_alpha);
  section.read("whiten", settings.is_whitened);
  read_optional(section, "ev_gate", -1e9, 1, settings.ev_gate);
  section.read("critic_warmup", settings.critic_warmup, 0, kMaxCount);
  section.read("critic_lr", settings.critic_rate, 0, 10);
  parent.add(std::move(section));
}

void read_critic_settings(Section& section, PpoSettings& settings) {
  section.read("gamma", settings.gae.gamma, 0, 1);
  section.read("lam_critic", settings.gae.lambda_critic, 0, 1);
  read_optional(section, "value_clip", 1e-9, 1e9, settings.value_clip);
  section.read("critic", settings.critic);
}

}  // namespace stitch::train
