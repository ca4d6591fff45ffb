// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/reinforce.h"

#include <cstdio>

#include "base/json/json.h"
#include "train/reinforce/open_drawer.h"
#include "train/reinforce/policy_step.h"

namespace stitch::train {
namespace {

// Steps that were done twice, since the run was killed between, were paid for twice: this file is not cut.
Result<void> book(const PolicyStep& step, const Json& metrics, const std::filesystem::path& run) {
  const StepCosts& costs = step.costs();
  const Json line = {
      {"step", metrics["step"]},
      {"seconds", {{"rollout", costs.rollout}, {"evaluation", costs.evaluation}, {"update", costs.update}}},
      {"tokens", metrics["tokens"]},
      {"prompt_tokens", metrics["prompt_tokens"]}};
  const auto written = append_line(run / "costs.jsonl", line.dump());
  return written.has_value() ? Result<void>() : Result<void>(failure(written.error()));
}

Result<Json> run_steps(const PolicySettings& settings, PromptSource& source, Trainer& trainer, Critic* critic,
                       const std::optional<Reference>& reference) {
  const std::filesystem::path run = settings.loop.resolve(settings.loop.run);
  PolicyStep step(settings, source, trainer, critic, reference);
  Json metrics = Json::object();
  while (!trainer.is_done()) {
    STITCH_ASSIGN(metrics, step.run());
    STITCH_TRY(book(step, metrics, run));
    std::fprintf(stderr, "%s\n", live_line(metrics, settings.loop.steps).c_str());
    STITCH_TRY(trainer.leave_step());
  }
  Json answer = {{"run", run.string()}, {"step", trainer.step()}};
  answer["checkpoint"] = (run / "ckpt" / ("step-" + std::to_string(trainer.step()))).string();
  answer["last"] = metrics;
  answer["prompts"] = source.counts();
  return answer;
}

Result<Json> run_policy(const Configuration& config, bool is_ppo) {
  PolicySettings settings;
  settings.loop.base = config.base;
  Section section(config.json.get(), config.where);
  read_policy_settings(section, settings, is_ppo);
  STITCH_TRY(section.finish());

  const LoopSettings& loop = settings.loop;
  STITCH_ASSIGN(PromptSource source, open_source(settings.source, loop));
  STITCH_ASSIGN(Decoder model, starting_model(loop));
  std::optional<Critic> critic;
  if (is_ppo) {
    const PpoSettings& ppo = *settings.ppo;
    const double rate = ppo.critic_rate > 0 ? ppo.critic_rate : 2 * loop.optimizer.schedule.peak;
    STITCH_ASSIGN(Decoder start, starting_critic(model, ppo.critic.empty() ? "" : loop.base / ppo.critic));
    critic.emplace(std::move(start), loop, rate);
  }
  CheckpointPart* const part = critic.has_value() ? &*critic : nullptr;
  STITCH_ASSIGN(Trainer trainer,
                Trainer::open(loop, without_addresses(section.resolved()), source.inputs(), std::move(model), part));
  STITCH_TRY(trainer.keep_text_of(settings.source.prompts.source));
  STITCH_TRY(trainer.tell_begin({{"step", 0}, {"prompts", source.counts()}}));
  STITCH_ASSIGN(source.drawer, open_drawer(settings.source.rollout.server, source, loop, trainer.model()));
  STITCH_ASSIGN(const auto reference, reference_of(settings, trainer.model()));
  return run_steps(settings, source, trainer, critic.has_value() ? &*critic : nullptr, reference);
}

}  // namespace

Result<Json> run_grpo(const Configuration& config) { return run_policy(config, false); }
Result<Json> run_ppo(const Configuration& config) { return run_policy(config, true); }

}  // namespace stitch::train
