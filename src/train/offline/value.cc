// SPDX-License-Identifier: Apache-2.0
#include "train/offline/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <system_error>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "rl/value/fit.h"
#include "rl/value/gae.h"
#include "train/loop/order.h"
#include "train/offline/gather.h"
#include "train/reinforce/critic.h"
#include "train/reinforce/update.h"

namespace stitch::train {
namespace {

struct ValueSettings {
  LoopSettings loop{};
  GatherSettings gather{};
  PpoSettings ppo{};  // gamma, lambda of the critic, clip of values, the critic to begin from
  double gate = 0;
  double held_out_share = 0.2;
  int64_t every = 10;  // steps between two looks at what is held out
};

void read_value_settings(Section& section, ValueSettings& settings) {
  constexpr int64_t kMaxSteps = int64_t{1} << 40;
  settings.loop.micro_batch = 8;
  read_loop_settings(section, settings.loop);
  read_gather_settings(section, settings.gather, settings.loop);
  Section ppo = section.child("ppo");
  read_critic_settings(ppo, settings.ppo);
  section.add(std::move(ppo));
  section.require("value");
  Section value = section.child("value");
  value.require("ev_gate");
  value.read("ev_gate", settings.gate, -1e9, 1);
  value.read("held_out_share", settings.held_out_share, 0.01, 0.99);
  value.read("every", settings.every, 1, kMaxSteps);
  section.add(std::move(value));
}

std::vector<uint8_t> mask_of(const TrainingRecord& record) {
  std::vector<uint8_t> mask(record.mask.size());
  std::copy(record.mask.begin(), record.mask.end(), mask.begin());
  return mask;
}

// GAE's targets with the critic's lambda; with a lambda of 1 the returns, whatever the values are.
std::vector<double> targets_of(const RolloutRecord& record, const std::vector<double>& values,
                               const rl::GaeOptions& options) {
  const std::vector<uint8_t> mask = mask_of(record.record);
  std::vector<double> rewards(mask.size(), 0.0);
  rewards.back() = *record.reward;  // credited to the last token that the model wrote
  return rl::gae({.rewards = rewards, .values = values, .is_model_token = mask}, options).targets;
}

// Records with a reward, of the tasks that are trained on and of those that are not.
struct Split {
  std::vector<const RolloutRecord*> train, held_out;
};

// By task, so that no question of a task is on both sides; by prompt where there is one task alone.
Result<Split> split(const RolloutFile& file, const ValueSettings& settings) {
  const std::vector<size_t> prompts = prompt_numbers(file);
  std::set<std::string> tasks;
  for (const RolloutRecord& record : file.records) {
    tasks.insert(record.task);
  }
  const auto name_of = [&](size_t i) { return tasks.size() > 1 ? file.records[i].task : std::to_string(prompts[i]); };
  std::map<uint64_t, std::string> order;  // by a hash
  std::map<std::string, std::vector<const RolloutRecord*>> judged;
  for (size_t i = 0; i < file.records.size(); ++i) {
    if (file.records[i].reward.has_value()) {
      judged[name_of(i)].push_back(&file.records[i]);
      order[derived_seed(static_cast<uint64_t>(settings.loop.seed), "held out of values: " + name_of(i), 0)] =
          name_of(i);
    }
  }
  if (judged.size() < 2) {
    return failure(ErrorCode::kFileInvalid,
                   "there is one prompt with judged answers, or none: a critic cannot be measured on another",
                   settings.loop.run, "draw answers to several prompts");
  }
  const auto wanted = static_cast<size_t>(std::lround(settings.held_out_share * static_cast<double>(judged.size())));
  size_t left = std::clamp<size_t>(wanted, 1, judged.size() - 1);
  Split sides;
  for (const auto& [hash, name] : order) {
    auto& side = left > 0 ? sides.held_out : sides.train;
    left -= left > 0 ? 1 : 0;
    side.insert(side.end(), judged[name].begin(), judged[name].end());
  }
  return sides;
}

class ValueLoop {
 public:
  ValueLoop(const ValueSettings& settings, Trainer& trainer, const Split& sides)
      : settings_(settings),
        trainer_(trainer),
        sides_(sides),
        order_(sides.train.size(), static_cast<uint64_t>(settings.loop.seed)) {
    pass_.micro_batch = settings.loop.micro_batch;
    pass_.pass.recompute_blocks = settings.loop.recompute_blocks;
  }

  rl::ValueFit held_out_fit() const { return fit_of(sides_.held_out, values(sides_.held_out)); }
  bool is_look_due(int64_t step) const { return step >= settings_.loop.steps || step % settings_.every == 0; }
  bool passes(const rl::ValueFit& fit) const { return rl::is_gate_open(fit, settings_.gate); }

  // One update of the critic, down the gradients of one batch; metrics so far.
  Result<Json> learn() {
    std::vector<const RolloutRecord*> batch;
    for (const size_t place : order_.of_step(trainer_.step(), settings_.loop.batch)) {
      batch.push_back(sides_.train[place]);
    }
    const auto before = values(batch);
    std::vector<LearnedSample> samples(batch.size());
    LearnedSamples all;
    for (size_t i = 0; i < batch.size(); ++i) {
      samples[i].record = &batch[i]->record;
      samples[i].old_values = before[i];
      samples[i].targets = targets_of(*batch[i], before[i], settings_.ppo.gae);
      all.push_back(&samples[i]);
    }
    const ValueShare share = accumulate_value(trainer_.model(), all, {.clip = settings_.ppo.value_clip}, pass_);
    Json metrics = {{"loss", share.loss}, {"tokens", share.tokens}};
    metrics["critic"] = fit_json(fit_of(batch, before));
    metrics["learning_rate"] = trainer_.learning_rate();
    STITCH_ASSIGN(const double norm, trainer_.descend());
    metrics["gradient_norm"] = norm;
    return metrics;
  }

  static Json fit_json(const rl::ValueFit& fit) {
    return {{"explained_variance", fit.explained_variance.has_value() ? Json(*fit.explained_variance) : Json()},
            {"bias", fit.bias},
            {"mean_return", fit.mean_return}};
  }

 private:
  std::vector<std::vector<double>> values(const std::vector<const RolloutRecord*>& records) const {
    std::vector<const TrainingRecord*> asked;
    for (const RolloutRecord* record : records) {
      asked.push_back(&record->record);
    }
    return values_of(trainer_.model(), asked, pass_);
  }

  // Against the returns themselves, whatever the critic's lambda is.
  rl::ValueFit fit_of(const std::vector<const RolloutRecord*>& records,
                      const std::vector<std::vector<double>>& values) const {
    std::vector<double> returns, guesses;
    std::vector<uint8_t> masks;
    rl::GaeOptions options = settings_.ppo.gae;
    options.lambda_critic = 1;
    for (size_t i = 0; i < records.size(); ++i) {
      const auto found = targets_of(*records[i], values[i], options);
      const auto mask = mask_of(records[i]->record);
      returns.insert(returns.end(), found.begin(), found.end());
      guesses.insert(guesses.end(), values[i].begin(), values[i].end());
      masks.insert(masks.end(), mask.begin(), mask.end());
    }
    return rl::value_fit(returns, guesses, masks);
  }

  const ValueSettings& settings_;
  Trainer& trainer_;
  const Split& sides_;
  ShuffledOrder order_;
  PassSettings pass_{};
};

Json gate_json(const ValueSettings& settings, const rl::ValueFit& fit, const std::string& checkpoint) {
  const bool is_open = rl::is_gate_open(fit, settings.gate);
  Json gate = {{"is_open", is_open}, {"explained_variance", ValueLoop::fit_json(fit)["explained_variance"]}};
  gate["ev_gate"] = settings.gate;
  if (!is_open) {
    const std::string found = fit.explained_variance.has_value()
                                  ? fmt::format("explains {:.3f} of the returns of tasks", *fit.explained_variance)
                                  : "has nothing to explain, since all returns are equal, on tasks";
    gate["sentence"] = fmt::format(
        "after {} steps the critic {} that it was not trained on, and 'value.ev_gate' is {:.3f}; begin another run "
        "from "
        "this critic ('ppo.critic': \"{}\") with more steps or more answers, or ask for less",
        settings.loop.steps, found, settings.gate, checkpoint);
  }
  return gate;
}

// Learns until the gate is passed or no step is left, and gives the last look.
Result<rl::ValueFit> run_steps(ValueLoop& loop, Trainer& trainer) {
  rl::ValueFit fit = loop.held_out_fit();
  // Who goes on behind a checkpoint looks where a run that was not ended looked.
  bool is_open = loop.is_look_due(trainer.step()) && loop.passes(fit);
  while (!is_open && !trainer.is_done()) {
    STITCH_ASSIGN(Json metrics, loop.learn());
    if (loop.is_look_due(trainer.step() + 1)) {
      fit = loop.held_out_fit();
      is_open = loop.passes(fit);
      metrics["held_out"] = ValueLoop::fit_json(fit);
    }
    STITCH_TRY(trainer.end_step(metrics));
    if (metrics.contains("held_out")) {
      std::fprintf(stderr, "step %lld  loss %.4f  explained of what is held out %s\n",
                   static_cast<long long>(trainer.step()), metrics["loss"].get<double>(),
                   metrics["held_out"]["explained_variance"].dump().c_str());
    }
    STITCH_TRY(trainer.leave_step(is_open));
  }
  return fit;
}

// The answers, drawn by the policy as it is; the policy is gone again when the critic learns.
Result<RolloutFile> gather(Gatherer& gatherer, const LoopSettings& loop) {
  if (gatherer.is_drawn()) {
    return gatherer.gather(nullptr, "value");
  }
  STITCH_ASSIGN(const Decoder policy, starting_model(loop));
  return gatherer.gather(&policy, "value");
}

Result<Trainer> open_trainer(const ValueSettings& settings, const Json& resolved, const Json& inputs) {
  STITCH_ASSIGN(const Decoder policy, starting_model(settings.loop));
  const std::string& path = settings.ppo.critic;
  STITCH_ASSIGN(Decoder critic, starting_critic(policy, path.empty() ? "" : settings.loop.base / path));
  return Trainer::open(settings.loop, resolved, inputs, std::move(critic));
}

// A critic that was good enough before its first step has no checkpoint yet.
Result<void> write_first_checkpoint(const std::filesystem::path& folder, Trainer& trainer) {
  std::error_code error;
  return std::filesystem::exists(folder, error) ? Result<void>() : trainer.write_checkpoint();
}

}  // namespace

Result<Json> run_value(const Configuration& config) {
  ValueSettings settings;
  settings.loop.base = config.base;
  Section section(config.json.get(), config.where);
  read_value_settings(section, settings);
  STITCH_TRY(section.finish());

  const LoopSettings& loop = settings.loop;
  STITCH_ASSIGN(Gatherer gatherer, Gatherer::open(settings.gather, loop));
  STITCH_ASSIGN(Trainer trainer, open_trainer(settings, without_addresses(section.resolved()), gatherer.inputs()));
  STITCH_ASSIGN(const RolloutFile drawn, gather(gatherer, loop));
  STITCH_ASSIGN(const Split sides, split(drawn, settings));
  ValueLoop steps(settings, trainer, sides);
  if (trainer.step() == 0) {
    const Json first = {{"step", 0},
                        {"drawn", gathered_metrics(drawn)},
                        {"prompts", gatherer.counts()},
                        {"held_out", ValueLoop::fit_json(steps.held_out_fit())}};
    STITCH_TRY(trainer.tell_begin(first));
  }
  STITCH_ASSIGN(const rl::ValueFit fit, run_steps(steps, trainer));
  const auto checkpoint = loop.resolve(loop.run) / "ckpt" / ("step-" + std::to_string(trainer.step()));
  STITCH_TRY(write_first_checkpoint(checkpoint, trainer));
  Json answer = {{"run", loop.resolve(loop.run).string()}, {"step", trainer.step()}};
  answer["checkpoint"] = checkpoint.string();
  answer["held_out"] = ValueLoop::fit_json(fit);
  answer["drawn"] = gathered_metrics(drawn);
  answer["answers"] = {{"train", sides.train.size()}, {"held_out", sides.held_out.size()}};
  answer["gate"] = gate_json(settings, fit, checkpoint.string());
  return answer;
}

}  // namespace stitch::train
