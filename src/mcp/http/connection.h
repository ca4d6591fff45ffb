// SPDX-License-Identifier: Apache-2.0
// One connection of an HTTP client: requests one after another, each answered with JSON, or with a stream of events
// where a tool is called.
#pragma once

#include <string>

#include "base/process/stop.h"
#include "mcp/http/sessions.h"

namespace stitch::mcp {

// Until the client or the stop ends it. Takes `socket` over.
void serve_connection(int socket, Sessions& sessions, const std::string& token, const Stop& stop);

}  // namespace stitch::mcp
