// SPDX-License-Identifier: Apache-2.0
// One request of the protocol over HTTP, answered with JSON, or with a stream of events where a tool is called.
#pragma once

#include <string>

#include "http/connection/exchange.h"
#include "mcp/http/sessions.h"

namespace stitch::mcp {

void answer_http(http::Exchange& exchange, Sessions& sessions, const std::string& token);

}  // namespace stitch::mcp
