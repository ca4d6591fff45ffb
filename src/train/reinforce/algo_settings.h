// SPDX-License-Identifier: Apache-2.0
// "algo" and "ppo" of a configuration: how rewards become an update.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rl/advantage/group.h"
#include "rl/correction/importance.h"
#include "rl/schedule/overlong.h"
#include "rl/value/gae.h"
#include "train/algorithms/policy_loss.h"
#include "train/settings/section.h"

namespace stitch::train {

enum class Advantage { kGrpo, kDrGrpo, kRloo, kTrloo, kGae };

struct AlgoSettings {
  Advantage advantage = Advantage::kGrpo;
  rl::GroupOptions group{};
  int64_t group_size = 8;  // answers to one prompt
  int64_t prompts_per_step = 8;
  int64_t epochs = 1;     // over what a step drew
  int64_t minibatch = 0;  // samples of one update; 0: all of them
  PolicyLossOptions loss{};
  rl::ImportanceOptions importance{};
  bool drop_zero_variance = true;
  int64_t refill_max = 0;  // prompts more that a step may draw for groups that were left out
  rl::Truncated truncated = rl::Truncated::kKeep;
  int64_t overlong_buffer = 0;  // of truncated = shape: tokens before the limit from which on it costs
};

struct PpoSettings {
  rl::GaeOptions gae{};
  bool is_whitened = true;
  std::optional<double> ev_gate{};     // least explained variance for an update of the actor
  int64_t critic_warmup = 0;           // first steps, of the critic alone
  std::optional<double> value_clip{};  // none: values are not clipped
  double critic_rate = 0;              // learning rate, times the schedule's share; 0: twice the actor's
  std::string critic{};                // a folder of a checkpoint that `value` or `ppo` wrote; empty: a new head
};

// For groups (grpo) or with a critic (ppo).
void read_algo_settings(Section& parent, AlgoSettings& settings, bool is_ppo);
void read_ppo_settings(Section& parent, PpoSettings& settings);
// Of the section "ppo" what is about a critic alone: gamma, lam_critic, value_clip, critic.
void read_critic_settings(Section& section, PpoSettings& settings);

}  // namespace stitch::train
