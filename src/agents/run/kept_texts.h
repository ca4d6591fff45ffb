// SPDX-License-Identifier: Apache-2.0
// What a run of the agents leaves in the folder of results for people to read: its texts, which the state knows by
// digest or number, and its questions, with long ones cut. The journal has all of them whole.
#pragma once

#include <map>
#include <string>

#include "agents/journal/journal.h"
#include "agents/run/trajectory.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

// {"code": {digest: text}, "expert": {step: text}, "told": {attempt: text}, "marks": {attempt: {"marks", "rewards"}},
// "texts": [text], "questions": [...]}:
// members of `stitchcuda.agents_texts/1`, docs/formats.md. `expert` has the expert's text of every step by its name.
Result<Json> kept_texts(const Journal& journal, const Scoring& scoring, const State& state,
                        const std::map<std::string, std::string>& expert);

}  // namespace stitch::agents
