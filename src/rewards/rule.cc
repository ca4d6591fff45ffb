// SPDX-License-Identifier: Apache-2.0
#include "rewards/rule.h"

#include <algorithm>

namespace stitch::rewards {
namespace {

int64_t occurrences(const std::string& text, const std::string& sought, int64_t most) {
  int64_t count = 0;
  for (size_t at = text.find(sought); at != std::string::npos && !sought.empty() && count < most;
       at = text.find(sought, at + sought.size())) {
    ++count;
  }
  return count;
}

Judgement judged(const RuleSettings& settings, const Candidate& candidate) {
  Judgement judgement;
  double sum = 0;
  bool has_all_needed = true;
  for (const Rule& rule : settings.rules) {
    if (!rule.task.empty() && rule.task != candidate.task) {
      continue;
    }
    const int64_t count = occurrences(candidate.text, rule.find, rule.most);
    const double earned = rule.points * static_cast<double>(count);
    judgement.parts[rule.name] += earned;
    sum += earned;
    judgement.is_hack = judgement.is_hack || (rule.is_hack && count > 0);
    if (rule.is_needed && count == 0) {
      has_all_needed = false;
      judgement.feedback += "There is no '" + rule.find + "'.\n";
    }
  }
  judgement.reward = judgement.is_hack && settings.is_hack_zeroed ? 0 : sum;
  judgement.is_pass = !judgement.is_hack && has_all_needed && sum >= settings.pass_at;
  judgement.outcome = judgement.is_hack ? "hack" : judgement.is_pass ? "ok" : "mismatch";
  return judgement;
}

class RuleEvaluator final : public Evaluator {
 public:
  explicit RuleEvaluator(RuleSettings settings) : settings_(std::move(settings)) {}

  Result<std::vector<Judgement>> evaluate(std::span<const Candidate> candidates) override {
    std::vector<Judgement> judgements;
    for (const Candidate& candidate : candidates) {
      judgements.push_back(judged(settings_, candidate));
    }
    return judgements;
  }

 private:
  RuleSettings settings_;
};

}  // namespace

std::unique_ptr<Evaluator> rule_evaluator(const RuleSettings& settings) {
  return std::make_unique<RuleEvaluator>(settings);
}

}  // namespace stitch::rewards
