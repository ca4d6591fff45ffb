// SPDX-License-Identifier: Apache-2.0
// What a person is told while agents work, as text: what stands first matters most, since a narrow terminal shows no
// more. Texts of models are on one line and steer no terminal.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/routing/event.h"

namespace stitch::cli {

// A stage and its sentence, as the display has them.
struct LiveLine {
  std::string stage{};
  std::string message{};
};

// Who works now: {"coder", "small repairs fc1_gelu: it does not compile"}. `roles`: role to model, or "expert". Nothing
// where nobody does.
std::optional<LiveLine> who_works(const agents::State& state, const std::map<std::string, std::string>& roles);
// "3/200, 2/5 fc1_gelu, plan 2": rounds of the run, and the sub-task.
std::string round_text(const agents::State& state);
// "12.3 us -23 %, 12.3k/50k tokens, 0.02/1 $": the best program, what was gained on `start`, and what was spent of
// what.
std::string best_text(const agents::State& state, const std::optional<agents::Time>& start);

// What stays on the screen: plans, sub-tasks, what became of each attempt, the end.
std::vector<LiveLine> news(const agents::State& before, const agents::State& after, const agents::Event& event,
                           const std::map<std::string, std::string>& roles, const std::optional<agents::Time>& start);

}  // namespace stitch::cli
