// SPDX-License-Identifier: Apache-2.0
// A plan as a file. Code of a written step may lie beside it, in a file of its own, where a person can edit it.
#pragma once

#include <filesystem>
#include <string>

#include "plan/plan.h"

namespace stitch::driver {

// `remedy`: what to do about a file that holds no plan. kFileInvalid for code that lies outside the plan's folder.
Result<plan::Plan> read_plan_file(const std::filesystem::path& path, const std::string& remedy);

}  // namespace stitch::driver
