// SPDX-License-Identifier: Apache-2.0
// How a stage of a chain names what an earlier stage left: "{rft}/adapter" is in the last checkpoint of the stage
// `rft`,
// "{rft.run}/rollouts" in its run's folder.
#pragma once

#include <map>
#include <string>

#include "base/error/result.h"
#include "base/json/json.h"

namespace stitch::recipe {

struct StagePlace {
  std::string run{};         // the folder, as the stage's "run" says
  std::string checkpoint{};  // of its last step, relative as the run is
};
using StagePlaces = std::map<std::string, StagePlace>;

// The name of the stage that a path begins with in braces, ".run" left out; empty for another path.
std::string stage_named_in(const std::string& path);

// `keys` with the places of stages put in where a key is a path. Other keys stay as they are, braces or not. kUsage,
// with `where`, for a stage that `places` do not have, or a brace that is not closed.
Result<Json> with_places(const Json& keys, const StagePlaces& places, const std::string& where);

}  // namespace stitch::recipe
