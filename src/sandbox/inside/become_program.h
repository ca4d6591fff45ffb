// SPDX-License-Identifier: Apache-2.0
// The last steps, in the process that becomes the program: from here on nothing of ours runs in it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/error/result.h"
#include "sandbox/inside/order.h"

namespace stitch::sandbox {

// Own root folder, own user, limits, Landlock, system calls: in this order, as each takes away what the one before it
// needed. `user` as in give_up_privileges().
Result<void> close_the_cage(const CageOrder& order, std::optional<uid_t> user);

// Returns only when the program cannot be executed.
Result<void> execute(const CageOrder& order);

}  // namespace stitch::sandbox
