// SPDX-License-Identifier: Apache-2.0
// The tools over the driver's requests, each in a file of its own.
#pragma once

#include "tools/spec/tool.h"

namespace stitch::tools {

std::unique_ptr<Tool> import_tool();
std::unique_ptr<Tool> plan_tool();
std::unique_ptr<Tool> expert_program_tool();
std::unique_ptr<Tool> group_tool();
std::unique_ptr<Tool> compile_tool();
std::unique_ptr<Tool> check_tool();
std::unique_ptr<Tool> verify_tool();
std::unique_ptr<Tool> score_tool();
std::unique_ptr<Tool> profile_tool();
std::unique_ptr<Tool> docs_tool();
std::unique_ptr<Tool> runs_tool();

}  // namespace stitch::tools
