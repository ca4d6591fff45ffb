// SPDX-License-Identifier: Apache-2.0
#include "agents/retrieval/question.h"

#include <algorithm>

namespace stitch::agents {
namespace {

// The step that the attempt wrote, of which its author can still change something; else what takes longest.
const StepFacts& telling_step(const Attempt& attempt, const std::vector<StepFacts>& profile) {
  const auto is_changed = [&](const StepFacts& each) {
    return std::find(attempt.changed.begin(), attempt.changed.end(), each.step) != attempt.changed.end();
  };
  const auto found = std::find_if(profile.begin(), profile.end(), is_changed);
  return found != profile.end() ? *found
                                : *std::max_element(profile.begin(), profile.end(),
                                                    [](const auto& a, const auto& b) { return a.us < b.us; });
}

}  // namespace

std::optional<knowledge::Query> question_about(const Attempt& attempt, const std::string& told,
                                               const std::vector<StepFacts>& profile, const std::string& device) {
  if (attempt.outcome != Outcome::kRight) {
    const std::string& log = told.empty() ? attempt.fingerprint : told;
    return log.empty() ? std::nullopt : std::optional<knowledge::Query>(knowledge::ErrorQuery{log});
  }
  if (profile.empty()) {
    return std::nullopt;
  }
  const StepFacts& step = telling_step(attempt, profile);
  return knowledge::ProfileQuery{.bound = knowledge::bound_from_string(to_string(step.limiter)),
                                 .step_kind = step.kind,
                                 .dtype = step.dtype,
                                 .device = device};
}

}  // namespace stitch::agents
