// SPDX-License-Identifier: Apache-2.0
// All that `train grpo` and `train ppo` are told.
#pragma once

#include <optional>

#include "train/loop/loop_settings.h"
#include "train/reinforce/algo_settings.h"
#include "train/rollout/evaluator_settings.h"
#include "train/rollout/roll_out.h"

namespace stitch::train {

// "held_out": how prompts that are not trained on are answered now and then.
struct HeldOutSettings {
  int64_t every = 10;  // steps
  int64_t samples = 1;
  double temperature = 0;
};

// What draws and judges: of grpo, ppo, rft and value.
struct SourceSettings {
  PromptSettings prompts{};
  RolloutSettings rollout{};
  EvaluatorSettings evaluator{};
};
void read_source_settings(Section& section, SourceSettings& settings);
// A server is sent adapters: a run without one has nothing to send.
void refuse_server_without_adapter(Section& section, const SourceSettings& settings, const LoopSettings& loop);

struct PolicySettings {
  LoopSettings loop{};
  SourceSettings source{};
  AlgoSettings algo{};
  std::optional<PpoSettings> ppo{};  // with a critic
  HeldOutSettings held_out{};
};
void read_policy_settings(Section& section, PolicySettings& settings, bool is_ppo);

// What a source is opened to.
struct PromptSource {
  LessonReader reader;
  PromptFile train;
  PromptFile held_out;  // may be empty
  std::unique_ptr<rewards::Evaluator> evaluator;
  std::unique_ptr<Drawer> drawer{};  // of answers; none: the sampler here

  // What a run is known by, which goes on with no others: SHA-256 of each file.
  Json inputs() const;
  Json counts() const;
};

// Its sampler stops at the model's own ends and at that of a turn; `settings` are told so, and the seed.
Result<PromptSource> open_source(SourceSettings& settings, const LoopSettings& loop);

// Settings that say where evaluator and server are and how long they may take, and not what they do: a run goes on with
// others.
Json without_addresses(Json resolved);

}  // namespace stitch::train
