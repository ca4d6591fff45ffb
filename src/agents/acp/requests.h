// SPDX-License-Identifier: Apache-2.0
// What an agent may ask of its client in the Agent Client Protocol: files of the workspace, and permissions, which a
// rule gives since nobody is there to be asked.
#pragma once

#include <filesystem>
#include <string>

#include "base/json/json_forward.h"

namespace stitch::agents {

// The whole response to a request with `method`, `params` and `id`.
Json response_to(const Json& request, const std::filesystem::path& workspace);

// Whether a call that an agent wants to make is permitted: what reads, changes, moves, removes or searches within the
// workspace, thinks, or is a tool of a server (ours among them); no commands, and nothing from the network.
bool is_permitted(const Json& tool_call, const std::filesystem::path& workspace);

}  // namespace stitch::agents
