// SPDX-License-Identifier: Apache-2.0
// A child in a cage. Every process that runs or compiles candidate code is started here and nowhere else.
#pragma once

#include "base/process/child.h"
#include "sandbox/layers/layers.h"
#include "sandbox/policy/cage_policy.h"

namespace stitch::sandbox {

// The layers that this machine allows, tried once in the life of this process. An Error when they cannot be tried.
Result<Layers> machine_layers();

// The confinement that a request for `mode` gets here. kEnvironment where it asks for a cage and no layer works.
Result<Confinement> confine_request(CageMode mode);

// Child::start() in a cage, or without one where the policy says so. An Error when the cage cannot be made: never the
// program's doing. Of the environment only a fixed list is handed on, beside `options.environment`.
Result<Child> start_caged(ChildOptions options, const CagePolicy& policy);
// run_child() in a cage.
Result<ChildOutput> run_caged_child(ChildOptions options, const CagePolicy& policy, int64_t timeout_ms,
                                    const WhenSlow& when_slow = {});

}  // namespace stitch::sandbox
