// SPDX-License-Identifier: Apache-2.0
// What a role's model is told: the parts of its prompt, each cut by rule, so that ten rounds stay within 32,000 tokens
// and what is told of one attempt within 2,000.
#pragma once

#include <map>
#include <string>

#include "agents/roles/roles.h"

namespace stitch::agents {

inline constexpr size_t kBytesPerToken = 3;  // of code, by the tokenizers that we know: at least
inline constexpr size_t kMaxToldBytes = 2'000 * kBytesPerToken;
inline constexpr size_t kMaxCodeBytes = 24'000;  // of one file, or of several that a new one stands for
inline constexpr size_t kMaxContractBytes = 8'000;
inline constexpr size_t kMaxSourceBytes = 12'000;  // of the user's program
inline constexpr size_t kMaxGraphBytes = 24'000;
inline constexpr size_t kMaxPlanBytes = 24'000;
inline constexpr size_t kMaxNotesBytes = 4'000;

// What the latest attempt does wrong: "does not compile".
const char* failure_in_words(const State& state);
// The places of prompts/coder_*.md.
std::map<std::string, std::string> coder_places(const State& state, const Material& material);
// The places of prompts/planner_*.md.
std::map<std::string, std::string> planner_places(const State& state, const Material& material);
// The places of prompts/verifier_*.md.
std::map<std::string, std::string> verifier_places(const State& state, const Material& material);

}  // namespace stitch::agents
