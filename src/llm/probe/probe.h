// SPDX-License-Identifier: Apache-2.0
// Learns by a few small questions what an endpoint can with a model.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "llm/chat/chat.h"
#include "llm/exchange/exchange.h"
#include "llm/retry/fault.h"

namespace stitch::llm {

struct Probed {
  Dialect dialect{};
  bool says_usage = false;
  double first_token_seconds = 0;  // of the first question
};

// Sends a body and waits for what comes of it.
using Ask = std::function<std::variant<Completion, Fault>(const std::string& body)>;

// Forms of request that a server refuses (400, 415, 422) are left out of the dialect, and so are tools that the model
// does not call and schemas that its answer does not keep to. Any other fault is the answer.
std::variant<Probed, Fault> probe(const std::string& model, const Ask& ask);

Json to_json(const Probed& probed);
Result<Probed> probed_from_json(const Json& json);

}  // namespace stitch::llm
