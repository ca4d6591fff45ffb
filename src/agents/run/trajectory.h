// SPDX-License-Identifier: Apache-2.0
// A run as what a trainer reads: `stitchcuda.trajectory/1`, one JSON object a line, one line a question.
#pragma once

#include <string>
#include <vector>

#include "agents/journal/journal.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

// Each question with its messages, its answer and what became of it: the attempt that an answer of the Coder led to,
// the plan or the feedback of the other roles.
Result<std::vector<Json>> samples(const Journal& journal, const std::string& run);
// The same as text, a line each.
Result<std::string> trajectory(const Journal& journal, const std::string& run);

}  // namespace stitch::agents
