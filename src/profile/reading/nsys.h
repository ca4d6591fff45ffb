// SPDX-License-Identifier: Apache-2.0
// What `nsys export --type sqlite` makes of a report: tables of CUPTI's activity records. Releases name columns alike
// and add to them; which tables there are depends on what happened.
#pragma once

#include <filesystem>
#include <vector>

#include "profile/reading/timeline.h"

namespace stitch::profile {

// kFileInvalid for a file that is no such export, is damaged, or lacks a column that is needed. The file is opened to
// be read alone and is not trusted.
Result<std::vector<Record>> read_nsys(const std::filesystem::path& file);

}  // namespace stitch::profile
