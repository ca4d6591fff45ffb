// SPDX-License-Identifier: Apache-2.0
// Listens, and gives each connection a thread.
#pragma once

#include <functional>
#include <string>

#include "base/error/result.h"
#include "http/connection/exchange.h"

namespace stitch::http {

struct ServeOptions {
  std::string address = "127.0.0.1";  // in figures
  int port = 0;                       // 0: any that is free
  int max_connections = 64;           // more are closed at once
  ConnectionLimits limits{};
  std::string remedy{};  // what to do where the port is taken
};

// "8931" is of loopback, "0.0.0.0:8931" of all addresses. kUsage with `remedy` for another text.
Result<ServeOptions> read_address(const std::string& text, const std::string& remedy);

// Until the stop is wished for; `listening` is told the port once clients may connect. kEnvironment where the port is
// taken.
Result<void> serve(const ServeOptions& options, const Handler& handler, const std::function<void(int port)>& listening,
                   const Stop& stop);

}  // namespace stitch::http
