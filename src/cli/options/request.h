// SPDX-License-Identifier: Apache-2.0
// From a command line to what the driver is asked.
#pragma once

#include <cstdint>
#include <string>

#include "artifact/task/task.h"
#include "base/error/result.h"
#include "cli/options/command_line.h"
#include "driver/job/options.h"

namespace stitch::cli {

// kUsage where STITCHCUDA_CACHE_SIZE is no size.
Result<driver::Options> options_of(const CommandLine& line);

// The program in `file`, wherever a stage looks for it; empty stays empty.
Task task_of(const CommandLine& line, const std::string& file);

// What --cache-size or STITCHCUDA_CACHE_SIZE asks for, or the default.
Result<uint64_t> asked_cache_bytes(const CommandLine& line);

}  // namespace stitch::cli
