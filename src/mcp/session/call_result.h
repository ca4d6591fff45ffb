// SPDX-License-Identifier: Apache-2.0
// Calls as a client reads them: content for the model, structured content for programs, at most 8,000 tokens together.
#pragma once

#include "base/json/json.h"
#include "mcp/calls/call.h"
#include "mcp/protocol/version.h"

namespace stitch::mcp {

// Of one that is done: the part of its text that begins at `offset`, and how to read on.
Json result_of(Call& call, size_t offset, ProtocolVersion version);
// Of one that still runs: its id, and how far it is.
Json state_of(Call& call, ProtocolVersion version);
// The caller's mistake, in one sentence.
Json mistake_result(const std::string& text);
Json reply_result(const tools::ToolReply& reply, ProtocolVersion version);

}  // namespace stitch::mcp
