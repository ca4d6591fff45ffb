// SPDX-License-Identifier: Apache-2.0
#include "verify/admission/live_null.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stitch::verify {
namespace {

bool contains(const std::vector<int64_t>& numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), static_cast<int64_t>(number)) != numbers.end();
}

}  // namespace

void LiveNull::judge(const std::vector<OutputReference>& references, const NullAnswer& answer, MathMode mode,
                     const std::vector<SmallOutputErrors>& errors, const std::string& regime, const std::string& draw,
                     bool as_given) {
  const bool by_output = result_.null.by_output;
  const size_t judged = by_output ? outputs_ : references.size();
  for (std::vector<bool>* list : {&refused_by_, &spoke_of_, &silent_of_}) {
    list->resize(judged, false);
  }
  std::vector<OutputDraws>& draws = draws_[regime];
  draws.resize(judged);
  bool kernelbench = true;
  for (size_t i = 0; i < judged; ++i) {
    if (names_.size() <= i) {
      names_.push_back(references[i].name);
    }
    silent_of_[i] = by_output && contains(answer.silent, i);
    if (refused_by_[i] || silent_of_[i] || (by_output && contains(answer.unchanged, i))) {
      continue;
    }
    spoke_of_[i] = true;
    const OutputComparison comparison = compare_output(references[i], answer.made[i], mode, errors[i], Asked::kRefusal);
    kernelbench = kernelbench && comparison.statistics.kernelbench_rule_ok;
    if (const auto refused = draws[i].take(references[i], comparison)) {
      refuse(i, fmt::format("{} ({})", refused->message, draw));
    } else if (is_small(references[i])) {
      draws[i].observe_small(references[i], answer.made[i]);
    }
  }
  if (!spoke_ && as_given) {
    result_.kernelbench_takes_it = kernelbench;
  }
  spoke_ = true;
  count_refusals();
}

void LiveNull::judge_together() {
  for (const auto& [regime, draws] : draws_) {
    for (size_t i = 0; i < draws.size(); ++i) {
      const std::optional<DrawRefusal> refused = refused_by_[i] ? std::nullopt : draws[i].together();
      if (refused) {
        refuse(i, fmt::format("{} (regime {}, all draws together)", refused->message, regime));
      }
    }
  }
  count_refusals();
}

void LiveNull::count_refusals() {
  const bool refused_one = std::find(refused_by_.begin(), refused_by_.end(), true) != refused_by_.end();
  refused_ = refused_one;
  for (size_t i = 0; result_.null.by_output && i < refused_by_.size(); ++i) {
    refused_ = refused_ && (refused_by_[i] || silent_of_[i]);
  }
}

void LiveNull::refuse(size_t output, const std::string& reason) {
  refused_by_[output] = true;
  if (result_.reason.empty()) {
    result_.reason = reason;
  }
}

NullResult LiveNull::finish() && {
  if (!spoke_) {
    result_.outcome = NullOutcome::kSilent;
    return std::move(result_);
  }
  if (!refused_) {
    judge_together();
  }
  for (size_t i = 0; !refused_ && i < refused_by_.size(); ++i) {
    if (spoke_of_[i] && !refused_by_[i]) {
      result_.outputs.push_back(names_[i]);
    }
  }
  // What it never changed is nothing that it could pass for.
  result_.outcome = result_.outputs.empty() ? NullOutcome::kRefused : NullOutcome::kPassed;
  result_.whole = !refused_ && result_.outputs.size() == refused_by_.size();
  return std::move(result_);
}

}  // namespace stitch::verify
