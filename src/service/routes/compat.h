// SPDX-License-Identifier: Apache-2.0
// What slime's remote_rm and OpenRLHF's remote reward send, answered in their forms. Labels carry the task's id. They
// have no word for a world that failed: after three tries it is 503, never a number.
#pragma once

#include "http/connection/exchange.h"
#include "service/run/evaluations.h"

namespace stitch::service {

// POST /compat/slime or /compat/openrlhf. Waits until all is judged, or the connection's stop is wished for.
http::Response answer_compat(http::Exchange& exchange, Evaluations& evaluations);

}  // namespace stitch::service
