// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/policy_settings.h"

#include <algorithm>

#include "base/json/json.h"
#include "train/loop/training_data.h"

namespace stitch::train {

void read_source_settings(Section& section, SourceSettings& settings) {
  read_prompt_settings(section, settings.prompts);
  read_rollout_settings(section, settings.rollout);
  read_evaluator_settings(section, settings.evaluator);
}

void refuse_server_without_adapter(Section& section, const SourceSettings& settings, const LoopSettings& loop) {
  const bool is_adapted = loop.lora.has_value() || !loop.model.adapter.empty();
  if (!settings.rollout.server.url.empty() && !is_adapted) {
    section.refuse("rollout", "has 'server', to which adapters are published; add 'lora', or draw here");
  }
}

void read_policy_settings(Section& section, PolicySettings& settings, bool is_ppo) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  settings.loop.micro_batch = 8;
  read_loop_settings(section, settings.loop, BatchKind::kDrawn);
  read_source_settings(section, settings.source);
  read_algo_settings(section, settings.algo, is_ppo);
  if (is_ppo) {
    read_ppo_settings(section, settings.ppo.emplace());
  }
  Section held_out = section.child("held_out");
  held_out.read("every", settings.held_out.every, 1, kMaxCount);
  held_out.read("samples", settings.held_out.samples, 1, kMaxCount);
  held_out.read("temperature", settings.held_out.temperature, 0, 100);
  section.add(std::move(held_out));
  refuse_server_without_adapter(section, settings.source, settings.loop);
}

Json PromptSource::inputs() const {
  return {{"prompts", train.sha256}, {"held_out", held_out.sha256}, {"tokenizer", reader.tokenizer_sha256()}};
}

Json PromptSource::counts() const {
  Json counts = {{"train", to_json(train)}};
  if (!held_out.prompts.empty()) {
    counts["held_out"] = to_json(held_out);
  }
  return counts;
}

Result<PromptSource> open_source(SourceSettings& settings, const LoopSettings& loop) {
  STITCH_ASSIGN(const weights::ModelConfig model, model_config_of(loop.model, loop.base));
  STITCH_ASSIGN(LessonReader reader, open_lessons(settings.prompts.source, loop.base, model.vocab_size));
  // One position at least is left for the answer.
  const int64_t most = std::min(settings.prompts.max_tokens, model.max_positions - 1);
  const auto read = [&](const std::string& file) {
    return read_prompt_file(reader, loop.base / file, model.vocab_size, most);
  };
  STITCH_ASSIGN(PromptFile train, read(settings.prompts.train));
  PromptFile held_out{.prompts = {}, .sha256 = {}, .left_out = {}};
  if (!settings.prompts.held_out.empty()) {
    STITCH_ASSIGN(held_out, read(settings.prompts.held_out));
  }
  STITCH_ASSIGN(auto evaluator, make_evaluator(settings.evaluator, loop.base));
  SampleSettings& sampling = settings.rollout.sampling;
  sampling.seed = static_cast<uint64_t>(loop.seed);
  sampling.stop_tokens = model.eos_tokens;
  sampling.stop_tokens.push_back(reader.end_of_turn());
  return PromptSource{std::move(reader), std::move(train), std::move(held_out), std::move(evaluator), nullptr};
}

Json without_addresses(Json resolved) {
  if (resolved.contains("evaluator")) {
    for (const char* key : {"url", "token_file", "deadline_s", "timeout_s", "most_unjudged"}) {
      resolved["evaluator"].erase(key);
    }
  }
  if (resolved.contains("rollout") && resolved["rollout"].contains("server")) {
    for (const char* key : {"url", "token_file", "deadline_s"}) {
      resolved["rollout"]["server"].erase(key);
    }
  }
  return resolved;
}

}  // namespace stitch::train
