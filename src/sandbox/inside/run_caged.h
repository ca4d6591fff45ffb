// SPDX-License-Identifier: Apache-2.0
// The three processes of a cage: the one that was started stays outside, waits and tells how the program ended; the
// first process of the namespace; and the program. With the end of any of them all end.
#pragma once

#include "sandbox/inside/order.h"

namespace stitch::sandbox {

// Begins what is written to `order.report` when everything but the start itself has been done.
inline constexpr char kReady = '+';

// Never returns: ends as the program did. What keeps the program from being started is written to `order.report`.
[[noreturn]] void run_caged(const CageOrder& order);

}  // namespace stitch::sandbox
