// SPDX-License-Identifier: Apache-2.0
// A request as the JSON body of POST {base}/chat/completions.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "llm/chat/chat.h"

namespace stitch::llm {

// Without tools in the dialect they are told in the system message, calls and results become text, and the answer is
// asked for as one action. kInternal where a schema of ours is no JSON object.
Result<Json> write_request(const ChatRequest& request, const Dialect& dialect);

}  // namespace stitch::llm
