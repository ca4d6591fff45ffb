// SPDX-License-Identifier: Apache-2.0
// The file of a State, `stitchcuda.state/1`.
#pragma once

#include <string>

#include "agents/state/state.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

Json to_json(const State& state);
// kFileInvalid, naming the member, where one is missing, unknown, of another kind or at odds with the others.
Result<State> state_from_json(const Json& json);

// What is wrong with a state whose members are all there; empty: nothing.
std::string contradiction(const State& state);

}  // namespace stitch::agents
