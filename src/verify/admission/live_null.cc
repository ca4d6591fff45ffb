// SPDX-License-Identifier: Apache-2.0
#include "verify/admission/live_null.h"

#include <algorithm>
#include <utility>

namespace stitch::verify {

void LiveNull::judge(const std::vector<OutputReference>& references, const std::vector<HostTensor>& answer,
                     MathMode mode, const std::vector<SmallOutputErrors>& errors, const std::string& draw,
                     bool as_given) {
  const bool by_output = result_.null.by_output;
  const size_t judged = by_output ? outputs_ : references.size();
  refused_by_.resize(judged, false);
  bool kernelbench = true;
  for (size_t i = 0; i < judged; ++i) {
    if (names_.size() <= i) {
      names_.push_back(references[i].name);
    }
    if (refused_by_[i]) {
      continue;
    }
    const OutputComparison comparison = compare_output(references[i], answer[i], mode, errors[i]);
    kernelbench = kernelbench && comparison.statistics.kernelbench_rule_ok;
    if (comparison.refusal) {
      refused_by_[i] = true;
      refuse(sentence(*comparison.refusal, references[i].name, references[i].type.shape) + " (" + draw + ")");
    }
  }
  if (!spoke_ && as_given) {
    result_.kernelbench_takes_it = kernelbench;
  }
  spoke_ = true;
  const auto yes = [](bool refused) { return refused; };
  refused_ = by_output ? std::all_of(refused_by_.begin(), refused_by_.end(), yes)
                       : std::any_of(refused_by_.begin(), refused_by_.end(), yes);
}

void LiveNull::refuse(const std::string& reason) {
  if (result_.reason.empty()) {
    result_.reason = reason;
  }
}

NullResult LiveNull::finish() && {
  if (!spoke_) {
    result_.outcome = NullOutcome::kSilent;
    return std::move(result_);
  }
  result_.outcome = refused_ ? NullOutcome::kRefused : NullOutcome::kPassed;
  for (size_t i = 0; !refused_ && i < refused_by_.size(); ++i) {
    if (!refused_by_[i]) {
      result_.outputs.push_back(names_[i]);
    }
  }
  result_.whole = !refused_ && result_.outputs.size() == refused_by_.size();
  return std::move(result_);
}

}  // namespace stitch::verify
