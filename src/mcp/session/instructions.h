// SPDX-License-Identifier: Apache-2.0
// What a client's model is told of this server as a whole: prompts/mcp/instructions.md.
#pragma once

#include <string>

namespace stitch::mcp {

std::string instructions();

}  // namespace stitch::mcp
