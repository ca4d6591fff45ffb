// SPDX-License-Identifier: Apache-2.0
// Tools on the files of a workspace, for agents of ours: those of others have their own. Paths begin at the root of the
// call's settings and never lead out of it.
#pragma once

#include "tools/spec/tool.h"

namespace stitch::tools {

inline constexpr uint64_t kMaxFileBytes = 1u << 20;  // of one that is read or written
inline constexpr size_t kMaxFiles = 4000;            // that are looked through

std::unique_ptr<Tool> read_tool();
std::unique_ptr<Tool> write_tool();
std::unique_ptr<Tool> edit_tool();
std::unique_ptr<Tool> multi_edit_tool();
std::unique_ptr<Tool> glob_tool();

}  // namespace stitch::tools
