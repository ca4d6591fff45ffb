// SPDX-License-Identifier: Apache-2.0
// Who draws a run's answers, where that is not the run itself.
#pragma once

#include <memory>

#include "train/reinforce/policy_settings.h"

namespace stitch::train {

// The server of `settings`, to which versions of the policy are published; none where it names no address. `model`
// draws the canary's tokens behind the first prompt of `source`. Errors as ServedPolicy::open() and sample().
Result<std::unique_ptr<Drawer>> open_drawer(const ServerSettings& settings, const PromptSource& source,
                                            const LoopSettings& loop, const Decoder& model);

}  // namespace stitch::train
