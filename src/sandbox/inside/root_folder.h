// SPDX-License-Identifier: Apache-2.0
// Makes a root folder that holds nothing but what a policy names.
#pragma once

#include "base/error/result.h"
#include "sandbox/layers/layers.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

// Makes it in a mount namespace of its own and moves there; the old one is gone then. With Layer::kProcesses the
// caller lies in a process namespace of its own and gets a /proc that shows no other.
Result<void> enter_own_root(const CagePolicy& policy, const Layers& layers);

}  // namespace stitch::sandbox
