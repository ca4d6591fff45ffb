// SPDX-License-Identifier: Apache-2.0
// Bodies of POST /v1/chat/completions and /v1/completions. What is asked for and not done here is refused in a
// sentence: a client that is told nothing would take an answer for what it asked for.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "completions/request/completion_request.h"

namespace stitch::completions {

// kUsage with the member that cannot be taken.
Result<CompletionRequest> read_chat_request(const Json& body);
Result<CompletionRequest> read_text_request(const Json& body);

}  // namespace stitch::completions
