// SPDX-License-Identifier: Apache-2.0
// Several stages, one after the other, each from what those before it left.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/settings/configuration.h"

namespace stitch::train {

// One stage: what `stitchcuda train VERB` does.
using RunStage = std::function<Result<Json>(const std::string& verb, const Configuration& config)>;

// The chain in `file` (docs/training.md). All stages' keys are checked before the first one runs. It ends behind the
// last stage, or behind one whose gate is shut: that which its verb has, or its own "gate". A stage that has ended is
// not run again; one that was killed goes on where it was. The answer has "stages" and "gate". kUsage for a stage that
// was begun behind other stages than it has now.
Result<Json> run_chain(const std::filesystem::path& file, const RunStage& run);

}  // namespace stitch::train
