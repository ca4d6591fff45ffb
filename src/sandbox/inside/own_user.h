// SPDX-License-Identifier: Apache-2.0
// Who the process in the cage is: a user that owns nothing, or the caller without any privilege.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/error/result.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

// For root: a user id that nobody else has just now. nullopt where something that the policy names can be read by its
// owner alone (`own_root`: otherwise the folders above it count too).
std::optional<uid_t> own_user_id(const CagePolicy& policy, const std::string& program, bool own_root);

// The caller becomes that user, or stays who it is; every capability is gone in either case.
Result<void> give_up_privileges(std::optional<uid_t> user);

// Gives what lies in the policy's writable folders to `user`; links are not followed.
Result<void> hand_over(const CagePolicy& policy, uid_t user);

}  // namespace stitch::sandbox
