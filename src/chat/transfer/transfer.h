// SPDX-License-Identifier: Apache-2.0
// One POST to an endpoint by libcurl, read while it arrives, under the limits of its exchange.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "llm/chat/chat.h"
#include "llm/exchange/exchange.h"
#include "llm/retry/fault.h"

namespace stitch::chat {

struct Transferred {
  std::variant<llm::ChatReply, llm::Fault> end = llm::Fault{};
  double first_token_seconds = 0;
  double seconds = 0;
};

// `is_abandoned` is asked several times a second: then the transfer ends, with whatever fault. Redirects are not
// followed, since the key would go along.
Transferred transfer(const llm::Exchange& exchange, const std::string& key, const std::function<bool()>& is_abandoned);

}  // namespace stitch::chat
