// SPDX-License-Identifier: Apache-2.0
// Where a suite's tasks lie.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error/result.h"
#include "bench/suite/suite.h"

namespace stitch::bench {

// Whether it has level1/ or another such.
bool has_levels(const std::filesystem::path& folder);

// level1/3_Name.py and so on, as KernelBench lays them out: "level1/3".
Result<std::vector<SuiteTask>> tasks_by_level(const std::filesystem::path& folder);

// Every *.py of a folder: by its number where the name begins with one, else by its name.
Result<std::vector<SuiteTask>> tasks_in(const std::filesystem::path& folder);

// A task list: a JSON object a line with "name" and "file" (relative to the list) or "source", whose text is written to
// `written`/NAME.py; "family" and "level" where they are there.
Result<std::vector<SuiteTask>> tasks_of_list(const std::filesystem::path& list, const std::filesystem::path& written);

}  // namespace stitch::bench
