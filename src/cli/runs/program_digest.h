// SPDX-License-Identifier: Apache-2.0
// What a run made, in short: kept beside its record, so that two runs can be compared after their folders are gone.
#pragma once

#include <string>

#include "base/json/json_forward.h"

namespace stitch {
struct SourceBundle;
namespace plan {
struct Plan;
}
}  // namespace stitch

namespace stitch::cli {

inline constexpr const char* kProgramFile = "program.json";  // beside run.json

// {"steps": [{"name", "skeleton", "setting", "nodes", "modelled_us", "measured_us"}], "sources": {path: sha256}}
Json program_digest(const plan::Plan& plan, const SourceBundle& bundle);

}  // namespace stitch::cli
