// SPDX-License-Identifier: Apache-2.0
// What a Coder answers for the host side: choices, as strict JSON (`stitchcuda.host/1`).
//
// {"schema": "stitchcuda.host/1", "order": ["a", "b"], "streams": {"b": 1}, "graph": true}
#pragma once

#include <string>
#include <variant>

#include "agents/coder/answer.h"
#include "plan/plan.h"

namespace stitch::agents {

std::string host_text(const plan::HostPlan& host);

// A sentence where the text is none. Whether the choices can be, the plan says (plan::with_host).
std::variant<plan::HostPlan, std::string> host_from_text(const std::string& text);

// The last object of that schema in an answer, or "cannot, because".
CoderAnswer host_answer_from_text(const std::string& answer);

}  // namespace stitch::agents
