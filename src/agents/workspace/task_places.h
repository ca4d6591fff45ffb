// SPDX-License-Identifier: Apache-2.0
// What an agent in a workspace is told of its task.
#pragma once

#include <map>
#include <string>

#include "agents/prompts/prompts.h"
#include "agents/roles/roles.h"
#include "agents/workspace/pristine.h"

namespace stitch::agents {

// Of a limit on a run's seconds the part that sessions may use: what comes of them is to be judged, too.
inline constexpr double kPartForSessions = 0.75;

// What is taken of a workspace, and what happens to the rest.
std::string rules_of_answer(AnswerForm form, const Prompts& prompts);

// The places of prompts/react_task.md and acp_task.md.
std::map<std::string, std::string> task_places(const State& state, const Material& material, const Pristine& pristine,
                                               const Prompts& prompts);

}  // namespace stitch::agents
