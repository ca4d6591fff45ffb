// SPDX-License-Identifier: Apache-2.0
// The protocol over HTTP ("streamable HTTP") on the loopback interface, for clients that know the token.
#pragma once

#include <functional>
#include <string>

#include "base/process/stop.h"
#include "mcp/session/session.h"

namespace stitch::mcp {

struct HttpOptions {
  int port = 0;  // of 127.0.0.1; 0: any that is free
  std::string token;
};

// Until the stop is wished for; `listening` is told the port once clients may connect. kEnvironment where the port is
// taken.
Result<void> serve_http(Server& server, const HttpOptions& options, const std::function<void(int port)>& listening,
                        const Stop& stop);

}  // namespace stitch::mcp
