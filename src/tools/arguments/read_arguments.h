// SPDX-License-Identifier: Apache-2.0
// Checked arguments as the values that the driver takes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "artifact/task/task.h"
#include "base/json/json_forward.h"
#include "tools/spec/tool_context.h"

namespace stitch::tools {

// The argument, or nothing where it was left out.
std::optional<std::string> text_in(const Json& arguments, const char* name);
std::optional<int64_t> whole_in(const Json& arguments, const char* name);

// The absolute path that `text` means. kUsage where the caller is confined to the root and it leads out of that, by
// dots or by a link; what is not there yet counts by where it would be made.
Result<std::filesystem::path> path_of(const std::string& text, const ToolSettings& settings);
// Of an argument; empty where it was left out.
Result<std::filesystem::path> path_in(const Json& arguments, const char* name, const ToolSettings& settings);

// A file to write; empty where the argument was left out. kUsage where one is there that does not begin with
// `beginning`, as ours do: it is somebody's.
Result<std::filesystem::path> output_in(const Json& arguments, const char* name, const std::string& beginning,
                                        const ToolSettings& settings);

// The task by program, mode, math and weights, and whether its files may be read.
Result<Task> task_in(const Json& arguments, const ToolSettings& settings);
// With a seed drawn by chance: nobody who calls a tool may know it.
driver::Options options_in(const Json& arguments, const ToolSettings& settings);

}  // namespace stitch::tools
