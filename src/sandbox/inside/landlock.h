// SPDX-License-Identifier: Apache-2.0
// Landlock (Linux 5.13 and later): rules on paths, ports and signals that a process gives itself and cannot take back.
#pragma once

#include <string>

#include "base/error/result.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

// Version of the kernel's Landlock; an error where it has none, or where it is switched off.
Result<int> landlock_version();
// The version from which on signals to processes outside are forbidden too.
inline constexpr int kLandlockScopesSignals = 6;

// `own_root`: /tmp is private. `own_processes`: all of /proc is. `program`: what will be executed.
Result<void> apply_landlock(const CagePolicy& policy, const std::string& program, bool own_root, bool own_processes);

}  // namespace stitch::sandbox
