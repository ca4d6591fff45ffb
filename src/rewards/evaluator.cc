// SPDX-License-Identifier: Apache-2.0
#include "rewards/evaluator.h"

namespace stitch::rewards {

const char* to_string(Skill skill) { return skill == Skill::kScratch ? "scratch" : "refinement"; }

Judgement no_verdict(const std::string& sentence) { return {.outcome = "infra_error", .sentence = sentence}; }

}  // namespace stitch::rewards
