// SPDX-License-Identifier: Apache-2.0
// What documents are asked about an attempt: the log of a failure, or the profile of a right one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/state/state.h"
#include "agents/verifier/expert_verifier.h"
#include "knowledge/query/query.h"

namespace stitch::agents {

// `told` is what its author knows of it, `profile` its steps. Nothing where there is neither.
std::optional<knowledge::Query> question_about(const Attempt& attempt, const std::string& told,
                                               const std::vector<StepFacts>& profile, const std::string& device);

}  // namespace stitch::agents
