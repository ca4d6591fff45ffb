// SPDX-License-Identifier: Apache-2.0
// The folders that a user has given to the index, remembered in folders.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::knowledge {

// Empty where nothing is remembered; kFileInvalid where the file says something else.
Result<std::vector<std::filesystem::path>> read_folders(const std::filesystem::path& own);

// Remembers them, absolute, behind those that are there; one that is there stays where it is. kUsage for what is no
// folder.
Result<void> add_folders(const std::filesystem::path& own, const std::vector<std::string>& folders);

// kUsage for one that is not remembered.
Result<void> forget_folders(const std::filesystem::path& own, const std::vector<std::string>& folders);

}  // namespace stitch::knowledge
