// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/policy_step.h"

#include <algorithm>
#include <numeric>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/seed/seed.h"
#include "train/rollout/costs.h"
#include "train/rollout/rollout_record.h"

namespace stitch::train {
namespace {

std::vector<const TrainingRecord*> records_of(const std::vector<Credited>& credited) {
  std::vector<const TrainingRecord*> records;
  for (const Credited& one : credited) {
    records.push_back(one.learned.record);
  }
  return records;
}

}  // namespace

Result<std::optional<Reference>> reference_of(const PolicySettings& settings, const Decoder& now) {
  const bool is_needed = settings.algo.loss.kl != rl::KlPlacement::kOff;
  if (!is_needed) {
    return std::optional<Reference>();
  }
  const LoopSettings& loop = settings.loop;
  if (loop.lora.has_value()) {
    return std::optional(Reference{now, false});  // a new adapter adds nothing at first
  }
  if (loop.model.adapter.empty()) {
    STITCH_ASSIGN(Decoder model, load_model(loop.model, loop.base, loop.device));
    return std::optional(Reference{std::move(model)});
  }
  Decoder model = now.twin();
  STITCH_TRY(read_adapter(loop.base / loop.model.adapter, model));
  return std::optional(Reference{std::move(model)});
}

PolicyStep::PolicyStep(const PolicySettings& settings, PromptSource& source, Trainer& trainer, Critic* critic,
                       const std::optional<Reference>& reference)
    : settings_(settings),
      source_(source),
      trainer_(trainer),
      critic_(critic),
      reference_(reference),
      order_(source.train.prompts.size(), static_cast<uint64_t>(settings.loop.seed)) {}

PassSettings PolicyStep::pass_settings() const {
  const LoopSettings& loop = settings_.loop;
  PassSettings settings;
  settings.micro_batch = loop.micro_batch;
  settings.pass.recompute_blocks = loop.recompute_blocks;
  settings.scores.temperature = settings_.source.rollout.sampling.restriction.temperature;
  settings.scores.chunk = loop.head_chunk;
  return settings;
}

Result<void> PolicyStep::draw_more(const std::vector<const Prompt*>& prompts, Drawn& drawn) {
  const LoopSettings& loop = settings_.loop;
  const RolloutPlace place{.run = std::filesystem::path(loop.run).filename().string(),
                           .purpose = "train",
                           .seed = static_cast<uint64_t>(loop.seed),
                           .step = trainer_.step()};
  double evaluation = 0;
  {
    const Timed timed(costs_.rollout);
    TimedEvaluator evaluator(*source_.evaluator, evaluation);
    STITCH_ASSIGN(auto groups, roll_out(trainer_.model(), source_.reader, prompts, settings_.algo.group_size,
                                        settings_.source.rollout, place, evaluator, source_.drawer.get()));
    std::move(groups.begin(), groups.end(), std::back_inserter(drawn.groups));
  }
  costs_.rollout -= evaluation;
  costs_.evaluation += evaluation;
  const int64_t max_tokens = settings_.source.rollout.sampling.max_tokens;
  drawn.filtered = filter_rollouts(drawn.groups, settings_.algo, max_tokens);
  return {};
}

// Others than those of this step's place in the epoch: by step alone, so that no cursor has to be kept.
std::vector<const Prompt*> PolicyStep::refill_prompts(int64_t count, int64_t drawn) const {
  std::vector<const Prompt*> prompts;
  const auto& all = source_.train.prompts;
  const std::string name = "refill of step " + std::to_string(trainer_.step());
  for (int64_t i = drawn; i < drawn + count; ++i) {
    const uint64_t number = derived_seed(static_cast<uint64_t>(settings_.loop.seed), name, static_cast<uint64_t>(i));
    prompts.push_back(&all[number % all.size()]);
  }
  return prompts;
}

Result<PolicyStep::Drawn> PolicyStep::draw() {
  const AlgoSettings& algo = settings_.algo;
  std::vector<const Prompt*> prompts;
  for (const size_t place : order_.of_step(trainer_.step(), algo.prompts_per_step)) {
    prompts.push_back(&source_.train.prompts[place]);
  }
  Drawn drawn;
  while (!prompts.empty()) {
    STITCH_TRY(draw_more(prompts, drawn));
    const auto groups = static_cast<int64_t>(drawn.groups.size());
    const auto kept = static_cast<int64_t>(drawn.filtered.kept.size());
    const int64_t more =
        rl::groups_to_draw(algo.prompts_per_step, kept, groups, algo.prompts_per_step + algo.refill_max);
    prompts = refill_prompts(more, groups);
  }
  STITCH_TRY(check_judged(drawn.groups, settings_.source.evaluator.most_unjudged,
                          "step " + std::to_string(trainer_.step() + 1), settings_.loop.run));
  return drawn;
}

Result<void> PolicyStep::keep(const std::vector<RolloutGroup>& groups, const char* folder, int64_t step) const {
  const auto run = settings_.loop.resolve(settings_.loop.run);
  return write_file(run / folder / ("step-" + std::to_string(step) + ".jsonl"), rollout_lines(groups, trainer_.step()));
}

// Log-probabilities at the weights that drew, and the critic's values.
Json PolicyStep::score(std::vector<Credited>& credited) {
  const auto records = records_of(credited);
  PassSettings settings = pass_settings();
  const auto scores = score_records(trainer_.model(), records, settings);
  double entropy = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < credited.size(); ++i) {
    credited[i].learned.old_logp = scores[i].logp;
    entropy += std::accumulate(scores[i].entropy.begin(), scores[i].entropy.end(), 0.0);
    tokens += learned_tokens(*records[i]);
  }
  if (critic_ != nullptr) {
    const auto values = values_of(critic_->model(), records, settings);
    for (size_t i = 0; i < credited.size(); ++i) {
      credited[i].learned.old_values = values[i];
    }
  }
  if (reference_.has_value()) {
    settings.pass.adapter = reference_->adapter;
    const auto of_reference = score_records(reference_->model, records, settings);
    for (size_t i = 0; i < credited.size(); ++i) {
      credited[i].learned.reference_logp = of_reference[i].logp;
    }
  }
  weigh(credited, settings_.algo.importance);
  return {{"entropy", tokens > 0 ? Json(entropy / static_cast<double>(tokens)) : Json()},
          {"mismatch", mismatch_metrics(mismatch_of(credited))}};
}

std::vector<const Credited*> PolicyStep::shuffled(const std::vector<Credited>& credited, int64_t epoch) const {
  const std::string name = "minibatches of step " + std::to_string(trainer_.step()) + " epoch " + std::to_string(epoch);
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < credited.size(); ++i) {
    order.emplace_back(derived_seed(static_cast<uint64_t>(settings_.loop.seed), name, i), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<const Credited*> chosen;
  for (const auto& [hash, place] : order) {
    const Credited& one = credited[place];
    // Such a sample was measured against, and teaches nothing itself.
    const bool is_masked = settings_.algo.truncated == rl::Truncated::kMask && one.sample->is_truncated;
    if (!is_masked && learned_tokens(*one.learned.record) > 0) {
      chosen.push_back(&one);
    }
  }
  return chosen;
}

Result<void> PolicyStep::update_once(const LearnedSamples& samples, bool is_actor_held, UpdateTotals& totals) {
  const PassSettings settings = pass_settings();
  if (!is_actor_held) {
    const PolicyShare share = accumulate_policy(trainer_.model(), samples, settings_.algo.loss, settings);
    STITCH_ASSIGN(const double norm, trainer_.descend());
    ++totals.updates;
    totals.loss += share.loss;
    totals.gradient_norm += norm;
    totals.sums = totals.sums + share.sums;
  }
  if (critic_ != nullptr) {
    const ValueShare share = accumulate_value(critic_->model(), samples, {.clip = settings_.ppo->value_clip}, settings);
    STITCH_ASSIGN(const double norm, critic_->descend(trainer_.step()));
    ++totals.critic_updates;
    totals.critic_loss += share.loss;
    totals.critic_norm += norm;
    totals.value_tokens += share.tokens;
    totals.value_clipped += share.clipped;
  }
  return {};
}

Result<UpdateTotals> PolicyStep::update(const std::vector<Credited>& credited, bool is_actor_held) {
  UpdateTotals totals;
  for (int64_t epoch = 0; epoch < settings_.algo.epochs; ++epoch) {
    const auto chosen = shuffled(credited, epoch);
    const size_t size = settings_.algo.minibatch > 0 ? static_cast<size_t>(settings_.algo.minibatch) : chosen.size();
    for (size_t first = 0; first < chosen.size(); first += size) {
      LearnedSamples samples;
      for (size_t i = first; i < std::min(chosen.size(), first + size); ++i) {
        samples.push_back(&chosen[i]->learned);
      }
      STITCH_TRY(update_once(samples, is_actor_held, totals));
    }
  }
  return totals;
}

Result<void> PolicyStep::add_held_out(Json& metrics) {
  const HeldOutSettings& held_out = settings_.held_out;
  if (source_.held_out.prompts.empty() || trainer_.step() % held_out.every != 0) {
    return {};
  }
  std::vector<const Prompt*> prompts;
  for (const Prompt& prompt : source_.held_out.prompts) {
    prompts.push_back(&prompt);
  }
  RolloutSettings settings = settings_.source.rollout;
  settings.sampling.restriction.temperature = held_out.temperature;
  const RolloutPlace place{.run = std::filesystem::path(settings_.loop.run).filename().string(),
                           .purpose = "held_out",
                           .seed = static_cast<uint64_t>(settings_.loop.seed),
                           .step = trainer_.step()};
  STITCH_ASSIGN(const auto groups, roll_out(trainer_.model(), source_.reader, prompts, held_out.samples, settings,
                                            place, *source_.evaluator, source_.drawer.get()));
  STITCH_TRY(keep(groups, "held_out", trainer_.step()));  // apart, since others learn from all of 'rollouts'
  const Json all = rollout_metrics(groups);
  for (const char* key : {"samples", "reward", "pass", "hack", "unjudged", "length", "skills"}) {
    metrics["held_out"][key] = all[key];
  }
  return {};
}

Result<Json> PolicyStep::run() {
  costs_ = {};
  Json before = Json::object();
  STITCH_TRY(add_held_out(before));
  STITCH_ASSIGN(const Drawn drawn, draw());
  STITCH_TRY(keep(drawn.groups, "rollouts", trainer_.step() + 1));
  const Timed timed(costs_.update);
  const int64_t max_tokens = settings_.source.rollout.sampling.max_tokens;
  auto credited = credited_samples(drawn.groups, drawn.filtered.kept, settings_.algo, max_tokens);
  Json metrics = rollout_metrics(drawn.groups);
  metrics.update(group_metrics(drawn.filtered.counts));
  metrics.update(score(credited));
  rl::ValueFit fit;
  bool is_gate_open = true;
  if (critic_ != nullptr) {
    fit = credit_tokens(credited, settings_.algo, *settings_.ppo);
    is_gate_open = rl::is_gate_open(fit, settings_.ppo->ev_gate);
  } else {
    credit_groups(credited, settings_.algo);
  }
  LearnedSamples learned;
  for (const Credited& one : credited) {
    learned.push_back(&one.learned);
  }
  metrics["advantage"] = advantage_metrics(learned);
  const bool is_actor_held = !is_gate_open || (critic_ != nullptr && trainer_.step() < settings_.ppo->critic_warmup);
  STITCH_ASSIGN(const UpdateTotals totals, update(credited, is_actor_held));
  metrics.update(update_metrics(totals, reference_.has_value()));
  if (critic_ != nullptr) {
    metrics["critic"] = critic_metrics(totals, fit, is_gate_open);
  }
  metrics["learning_rate"] = trainer_.learning_rate();
  metrics.update(before);
  STITCH_TRY(trainer_.end_step(metrics));
  return metrics;
}

}  // namespace stitch::train
