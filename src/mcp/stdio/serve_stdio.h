// SPDX-License-Identifier: Apache-2.0
// One client at the other end of two pipes, as coding agents start their servers.
#pragma once

#include "mcp/session/session.h"

namespace stitch::mcp {

// Until the input ends or nobody reads the output any more; then all that was under way is ended.
void serve_stdio(Server& server, int input, int output);

}  // namespace stitch::mcp
