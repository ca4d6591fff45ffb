// SPDX-License-Identifier: Apache-2.0
// What a chain remembers of a stage, in the stage's own run folder: chain.json.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

struct StageMark {
  std::string name{};
  std::string digest{};  // of its keys and of all stages before it
  struct Before {
    std::string name{};
    std::filesystem::path run{};
  };
  std::vector<Before> before{};  // the stages before it, for whoever tells of the whole chain
};

// Claims the run for a stage. Gives its answer where it has ended; null where it has not. kUsage when the run was begun
// by a stage with another digest.
Result<std::shared_ptr<const Json>> begin_stage(const std::filesystem::path& run, const StageMark& mark);
// Remembers that it has ended.
Result<void> end_stage(const std::filesystem::path& run, const StageMark& mark, const Json& answer);

}  // namespace stitch::train
