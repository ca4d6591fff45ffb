// SPDX-License-Identifier: Apache-2.0
// What a chain remembers of a stage, in the stage's own run folder: chain.json.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// Claims the run for a stage that is known by `digest`, that of its keys and of all stages before it. Gives the answer
// of the stage where it has ended; null where it has not. kUsage when the run was begun by another stage.
Result<std::shared_ptr<const Json>> begin_stage(const std::filesystem::path& run, const std::string& name,
                                                const std::string& digest);
// Remembers that it has ended.
Result<void> end_stage(const std::filesystem::path& run, const std::string& digest, const Json& answer);

}  // namespace stitch::train
