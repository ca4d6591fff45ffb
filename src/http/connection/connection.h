// SPDX-License-Identifier: Apache-2.0
// One connection of an HTTP client: requests one after another, each handed over once it is read whole.
#pragma once

#include "http/connection/exchange.h"

namespace stitch::http {

// Until the client or the stop ends it. Takes `socket` over.
void serve_connection(int socket, const Handler& handler, const ConnectionLimits& limits, const Stop& stop);

}  // namespace stitch::http
