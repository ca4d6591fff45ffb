// SPDX-License-Identifier: Apache-2.0
// What `doctor --llm` looks at: whether each role of a team has a model that answers, and what its endpoint can.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/doctor/finding.h"
#include "llm/config/config.h"

namespace stitch::cli::doctor {

// One finding a member. Roles with the same model of the same endpoint are asked for once; nothing is asked twice.
std::vector<Finding> role_findings(const llm::Config& config, const llm::Team& team, int64_t probe_timeout_ms);

}  // namespace stitch::cli::doctor
