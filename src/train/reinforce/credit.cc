// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/credit.h"

#include <algorithm>

#include "rl/advantage/turns.h"
#include "rl/value/moments.h"

namespace stitch::train {
namespace {

std::vector<uint8_t> mask_of(const TrainingRecord& record) {
  std::vector<uint8_t> mask(record.mask.size());
  std::copy(record.mask.begin(), record.mask.end(), mask.begin());
  return mask;
}

// The length that a limit is about: of the last answer.
int64_t last_answer_tokens(const RolloutSample& sample) {
  const size_t before = sample.turns.size() > 1 ? sample.turns[sample.turns.size() - 2].end : 0;
  const auto& mask = sample.record.mask;
  return std::count(mask.begin() + static_cast<int64_t>(before), mask.end(), true);
}

std::optional<std::vector<double>> turn_returns(const RolloutSample& sample) {
  std::vector<double> rewards;
  for (const Turn& turn : sample.turns) {
    if (!turn.judgement.reward.has_value()) {
      return std::nullopt;
    }
    rewards.push_back(*turn.judgement.reward);
  }
  return rl::returns_to_go(rewards, 1);
}

double reward_less_kl(const Credited& credited, const AlgoSettings& settings) {
  if (settings.loss.kl != rl::KlPlacement::kRewardK1) {
    return credited.reward;
  }
  const LearnedSample& learned = credited.learned;
  const double k1 = rl::sequence_k1(learned.old_logp, learned.reference_logp, mask_of(*learned.record));
  return credited.reward - settings.loss.kl_coefficient * k1;
}

// The same for each token of a turn.
void spread_turns(Credited& credited, const std::vector<double>& of_turns) {
  std::vector<double>& advantages = credited.learned.advantages;
  advantages.assign(credited.sample->record.response.size(), 0.0);
  size_t begin = 0;
  for (size_t turn = 0; turn < of_turns.size(); ++turn) {
    const size_t end = credited.sample->turns[turn].end;
    std::fill(advantages.begin() + static_cast<int64_t>(begin), advantages.begin() + static_cast<int64_t>(end),
              of_turns[turn]);
    begin = end;
  }
}

void credit_one_group(const std::vector<Credited*>& group, const AlgoSettings& settings) {
  if (settings.advantage == Advantage::kTrloo) {
    std::vector<std::optional<std::vector<double>>> returns;
    for (const Credited* one : group) {
      returns.push_back(turn_returns(*one->sample));
      // What length or divergence took off is taken off every turn's return.
      const double taken = returns.back().has_value() ? returns.back()->front() - reward_less_kl(*one, settings) : 0;
      for (double& each : *returns.back()) {
        each -= taken;
      }
    }
    const auto advantages = rl::trloo(returns);
    for (size_t i = 0; i < group.size(); ++i) {
      spread_turns(*group[i], *advantages[i]);
    }
    return;
  }
  std::vector<std::optional<double>> rewards;
  for (const Credited* one : group) {
    rewards.emplace_back(reward_less_kl(*one, settings));
  }
  const auto advantages = rl::group_advantages(rewards, settings.group);
  for (size_t i = 0; i < group.size(); ++i) {
    group[i]->learned.advantages.assign(group[i]->sample->record.response.size(), advantages[i].value_or(0));
  }
}

// Moves the advantages of all tokens together.
void whiten(std::vector<Credited>& credited) {
  rl::Moments moments;
  for (const Credited& one : credited) {
    moments = rl::merged(moments, rl::moments_of(one.learned.advantages, mask_of(*one.learned.record)));
  }
  for (Credited& one : credited) {
    one.learned.advantages = rl::whitened(one.learned.advantages, mask_of(*one.learned.record), moments);
  }
}

}  // namespace

std::optional<double> earned(const RolloutSample& sample, const AlgoSettings& settings, int64_t max_tokens) {
  std::optional<double> reward = sample.judgement().reward;
  if (settings.advantage == Advantage::kTrloo) {
    const auto returns = turn_returns(sample);
    reward = returns.has_value() ? std::optional(returns->front()) : std::nullopt;
  }
  if (reward.has_value() && settings.truncated == rl::Truncated::kShape) {
    *reward += rl::overlong_penalty(last_answer_tokens(sample), max_tokens, settings.overlong_buffer);
  }
  return reward;
}

rl::FilteredGroups filter_rollouts(const std::vector<RolloutGroup>& groups, const AlgoSettings& settings,
                                   int64_t max_tokens) {
  std::vector<std::vector<rl::JudgedSample>> judged;
  for (const RolloutGroup& group : groups) {
    judged.emplace_back();
    for (const RolloutSample& sample : group.samples) {
      judged.back().push_back({earned(sample, settings, max_tokens), sample.judgement().is_pass});
    }
  }
  rl::FilteredGroups filtered = rl::filter_groups(judged, {settings.drop_zero_variance});
  if (settings.advantage == Advantage::kGae) {
    filtered.kept.clear();
    for (size_t i = 0; i < groups.size(); ++i) {
      filtered.kept.push_back(i);
    }
  }
  return filtered;
}

std::vector<Credited> credited_samples(const std::vector<RolloutGroup>& groups, const std::vector<size_t>& kept,
                                       const AlgoSettings& settings, int64_t max_tokens) {
  std::vector<Credited> credited;
  for (const size_t place : kept) {
    for (const RolloutSample& sample : groups[place].samples) {
      if (const auto reward = earned(sample, settings, max_tokens); reward.has_value()) {
        credited.push_back({&sample, place, *reward, {.record = &sample.record}});
      }
    }
  }
  return credited;
}

void weigh(std::vector<Credited>& credited, const rl::ImportanceOptions& options) {
  if (options.correction == rl::ImportanceCorrection::kOff) {
    return;
  }
  for (Credited& one : credited) {
    LearnedSample& learned = one.learned;
    const auto mask = mask_of(*learned.record);
    learned.weights = rl::importance_weights(learned.old_logp, one.sample->logp, mask, options).weights;
  }
}

rl::Mismatch mismatch_of(const std::vector<Credited>& credited) {
  std::vector<std::vector<uint8_t>> masks;
  for (const Credited& one : credited) {
    masks.push_back(mask_of(*one.learned.record));
  }
  std::vector<rl::LogProbPair> pairs;
  for (size_t i = 0; i < credited.size(); ++i) {
    pairs.push_back({credited[i].learned.old_logp, credited[i].sample->logp, masks[i]});
  }
  return rl::mismatch_of(pairs);
}

void credit_groups(std::vector<Credited>& credited, const AlgoSettings& settings) {
  for (size_t first = 0; first < credited.size();) {
    std::vector<Credited*> group;
    size_t last = first;
    while (last < credited.size() && credited[last].group == credited[first].group) {
      group.push_back(&credited[last++]);
    }
    credit_one_group(group, settings);
    first = last;
  }
}

rl::ValueFit credit_tokens(std::vector<Credited>& credited, const AlgoSettings& settings, const PpoSettings& ppo) {
  std::vector<double> returns, values;
  std::vector<uint8_t> masks;
  rl::GaeOptions returns_alone = ppo.gae;
  returns_alone.lambda_critic = 1;
  for (Credited& one : credited) {
    LearnedSample& learned = one.learned;
    const auto mask = mask_of(*learned.record);
    std::vector<double> rewards(mask.size(), 0.0);
    if (!rewards.empty()) {
      rewards.back() = one.reward;  // credited to the last token that the model wrote
    }
    if (settings.loss.kl == rl::KlPlacement::kRewardK1) {
      rewards =
          rl::rewards_less_kl(rewards, learned.old_logp, learned.reference_logp, mask, settings.loss.kl_coefficient);
    }
    const rl::Trajectory trajectory{.rewards = rewards, .values = learned.old_values, .is_model_token = mask};
    rl::Gae found = rl::gae(trajectory, ppo.gae);
    learned.advantages = std::move(found.advantages);
    learned.targets = std::move(found.targets);
    const auto monte_carlo = rl::gae(trajectory, returns_alone).targets;
    returns.insert(returns.end(), monte_carlo.begin(), monte_carlo.end());
    values.insert(values.end(), learned.old_values.begin(), learned.old_values.end());
    masks.insert(masks.end(), mask.begin(), mask.end());
  }
  if (ppo.is_whitened) {
    whiten(credited);
  }
  return rl::value_fit(returns, values, masks);
}

}  // namespace stitch::train
