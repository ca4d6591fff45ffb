// SPDX-License-Identifier: Apache-2.0
// bubblewrap makes namespaces where a system lets nobody else do it: it may be set-uid, or named in an AppArmor
// profile.
#pragma once

#include "sandbox/inside/order.h"

namespace stitch::sandbox {

// The command that starts bwrap, which starts this program again as the one inside. Empty when there is no bwrap.
CageOrder ordered_through_bubblewrap(const CageOrder& order);
bool is_bubblewrap_installed();

}  // namespace stitch::sandbox
