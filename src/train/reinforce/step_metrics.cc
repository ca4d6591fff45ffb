// SPDX-License-Identifier: Apache-2.0
#include "train/reinforce/step_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/json/json.h"

namespace stitch::train {
namespace {

struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  Json json() const { return count > 0 ? Json(sum / static_cast<double>(count)) : Json(); }
};

// Of one skill, or of all.
struct Judged {
  Mean reward{}, pass{}, hack{};
  int64_t samples = 0;

  void add(const rewards::Judgement& judgement) {
    ++samples;
    if (judgement.reward.has_value()) {
      reward.add(*judgement.reward);
      pass.add(judgement.is_pass ? 1 : 0);
      hack.add(judgement.is_hack ? 1 : 0);
    }
  }
  Json json() const {
    return {{"samples", samples}, {"reward", reward.json()}, {"pass", pass.json()}, {"hack", hack.json()}};
  }
};

class Totals {
 public:
  void add(const RolloutGroup& group) {
    std::set<std::vector<int64_t>> responses;
    for (const RolloutSample& sample : group.samples) {
      add(sample);
      skills_[to_string(group.prompt->skill)].add(sample.judgement());
      responses.insert(sample.record.response);
    }
    same_.add(responses.size() == 1 && group.samples.size() > 1 ? 1 : 0);
    prompt_tokens_ += static_cast<int64_t>(group.prompt->ids.size());
  }

  Json json() {
    Json metrics = all_.json();
    metrics["unjudged"] = share(all_.samples - all_.reward.count);
    metrics["length"] = length_.json();
    std::sort(lengths_.begin(), lengths_.end());
    metrics["length_p95"] = lengths_.empty() ? Json() : Json(lengths_[(lengths_.size() * 95 + 99) / 100 - 1]);
    metrics["truncated"] = truncated_.json();
    metrics["turns"] = turns_.json();
    metrics["same_answers"] = same_.json();
    metrics["tokens"] = static_cast<int64_t>(length_.sum);
    metrics["prompt_tokens"] = prompt_tokens_;
    metrics["skills"] = Json::object();
    for (const auto& [name, judged] : skills_) {
      metrics["skills"][name] = judged.json();
    }
    metrics["outcomes"] = outcomes_;
    metrics["parts"] = Json::object();
    for (const auto& [name, mean] : parts_) {
      metrics["parts"][name] = mean.json();
    }
    return metrics;
  }

 private:
  void add(const RolloutSample& sample) {
    const rewards::Judgement& judgement = sample.judgement();
    all_.add(judgement);
    const auto tokens = learned_tokens(sample.record);
    length_.add(static_cast<double>(tokens));
    lengths_.push_back(tokens);
    truncated_.add(sample.is_truncated ? 1 : 0);
    turns_.add(static_cast<double>(sample.turns.size()));
    ++outcomes_[judgement.outcome];
    for (const auto& [name, value] : judgement.parts) {
      parts_[name].add(value);
    }
  }
  double share(int64_t count) const {
    return all_.samples > 0 ? static_cast<double>(count) / static_cast<double>(all_.samples) : 0;
  }

  Judged all_{};
  Mean length_{}, truncated_{}, turns_{}, same_{};
  std::vector<int64_t> lengths_{};
  int64_t prompt_tokens_ = 0;
  std::map<std::string, Judged> skills_{};
  std::map<std::string, int64_t> outcomes_{};
  std::map<std::string, Mean> parts_{};
};

Json ratio_of(double part, double whole) { return whole > 0 ? Json(part / whole) : Json(); }

double number(const Json& metrics, const char* key) {
  const Json found = metrics.value(key, Json());
  return found.is_number() ? found.get<double>() : 0;
}

}  // namespace

Json rollout_metrics(const std::vector<RolloutGroup>& groups) {
  Totals totals;
  for (const RolloutGroup& group : groups) {
    totals.add(group);
  }
  return totals.json();
}

Json group_metrics(const rl::FilterCounts& counts) {
  const int64_t equal = counts.all_fail + counts.all_pass + counts.all_equal;
  return {{"zero_variance", ratio_of(static_cast<double>(equal), static_cast<double>(counts.groups()))},
          {"groups",
           {{"kept", counts.kept},
            {"too_few_verdicts", counts.too_few_verdicts},
            {"all_fail", counts.all_fail},
            {"all_pass", counts.all_pass},
            {"all_equal", counts.all_equal}}}};
}

Json update_metrics(const UpdateTotals& totals, bool has_reference) {
  const auto updates = static_cast<double>(totals.updates);
  const PolicySums& sums = totals.sums;
  Json metrics = {{"updates", totals.updates}, {"loss", ratio_of(totals.loss, updates)}};
  metrics["clipped_low"] = ratio_of(sums.clipped_low, sums.tokens);
  metrics["clipped_high"] = ratio_of(sums.clipped_high, sums.tokens);
  metrics["clipped_dual"] = ratio_of(sums.clipped_dual, sums.tokens);
  metrics["kl"] = ratio_of(sums.old_kl, sums.tokens);
  if (has_reference) {
    metrics["reference_kl"] = ratio_of(sums.reference_kl, sums.tokens);
  }
  metrics["largest_ratio"] = sums.largest_ratio;
  metrics["lowest_logp"] = sums.lowest_logp;
  metrics["gradient_norm"] = ratio_of(totals.gradient_norm, updates);
  return metrics;
}

Json advantage_metrics(const LearnedSamples& samples) {
  double sum = 0;
  double squares = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  int64_t count = 0;
  for (const LearnedSample* sample : samples) {
    for (size_t i = 0; i < sample->advantages.size(); ++i) {
      if (sample->record->mask[i]) {
        const double value = sample->advantages[i];
        sum += value;
        squares += value * value;
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
        ++count;
      }
    }
  }
  if (count == 0) {
    return nullptr;
  }
  const double mean = sum / static_cast<double>(count);
  const double variance = std::max(0.0, squares / static_cast<double>(count) - mean * mean);
  return {{"mean", mean}, {"std", std::sqrt(variance)}, {"lowest", lowest}, {"highest", highest}};
}

Json mismatch_metrics(const rl::Mismatch& mismatch) {
  return {{"mean", mismatch.mean_abs},
          {"p99", mismatch.p99_abs},
          {"max", mismatch.max_abs},
          {"k3", mismatch.k3},
          {"sequence_std", mismatch.sequence_std},
          {"effective_share", mismatch.effective_share},
          {"not_finite", mismatch.not_finite}};
}

Json critic_metrics(const UpdateTotals& totals, const rl::ValueFit& fit, bool is_gate_open) {
  const auto updates = static_cast<double>(totals.critic_updates);
  return {{"explained_variance", fit.explained_variance.has_value() ? Json(*fit.explained_variance) : Json()},
          {"bias", fit.bias},
          {"mean_return", fit.mean_return},
          {"gate_open", is_gate_open},
          {"loss", ratio_of(totals.critic_loss, updates)},
          {"clipped", ratio_of(totals.value_clipped, totals.value_tokens)},
          {"gradient_norm", ratio_of(totals.critic_norm, updates)}};
}

std::string live_line(const Json& metrics, int64_t steps) {
  std::string line = fmt::format(
      "step {}/{}  reward {:.3f}  pass {:.0f} %  hack {:.0f} %  length {:.0f}  entropy {:.2f}  kl {:.4f}  clip {:.1f} "
      "%  "
      "zero variance {:.0f} %",
      static_cast<int64_t>(number(metrics, "step")), steps, number(metrics, "reward"), 100 * number(metrics, "pass"),
      100 * number(metrics, "hack"), number(metrics, "length"), number(metrics, "entropy"), number(metrics, "kl"),
      100 * (number(metrics, "clipped_low") + number(metrics, "clipped_high")), 100 * number(metrics, "zero_variance"));
  if (metrics.contains("critic")) {
    line += fmt::format("  explained {:.2f}", number(metrics["critic"], "explained_variance"));
  }
  if (number(metrics, "unjudged") > 0) {
    line += fmt::format("  unjudged {:.0f} %", 100 * number(metrics, "unjudged"));
  }
  return line;
}

}  // namespace stitch::train
