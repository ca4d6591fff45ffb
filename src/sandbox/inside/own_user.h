// SPDX-License-Identifier: Apache-2.0
// The user of the process in the cage: one that owns nothing, or the caller without any privilege.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/error/result.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

// For root: a user id that nobody else has at present. nullopt where a path of the policy can be read by its owner
// alone; without `own_root` the folders above it count too.
std::optional<uid_t> own_user_id(const CagePolicy& policy, const std::string& program, bool own_root);

// Makes the caller that user, or leaves it who it is, and drops every capability in either case.
Result<void> give_up_privileges(std::optional<uid_t> user);

// Gives what lies in the policy's writable folders to `user`; links are not followed.
Result<void> hand_over(const CagePolicy& policy, uid_t user);

}  // namespace stitch::sandbox
