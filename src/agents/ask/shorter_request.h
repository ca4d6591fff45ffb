// SPDX-License-Identifier: Apache-2.0
// A request that is longer than its model takes, made shorter: servers say so only when they are asked.
#pragma once

#include <string>

#include "llm/chat/chat.h"

namespace stitch::agents {

// Allows a shorter answer first, down to 1,024 tokens; then cuts what is quoted as material, the longest first, until a
// quarter of all messages is gone. What was done, in words; empty: nothing is left to leave out.
std::string make_shorter(llm::ChatRequest& request);

}  // namespace stitch::agents
