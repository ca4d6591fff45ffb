// SPDX-License-Identifier: Apache-2.0
// What optimize left in a folder, as it is now.
#pragma once

#include <filesystem>

#include "artifact/source/source_bundle.h"
#include "artifact/task/task.h"
#include "plan/plan.h"

namespace stitch::driver {

struct Folder {
  Task task;
  plan::Plan plan;
  SourceBundle sources;  // a person may have edited a step
};

Result<Folder> read_folder(const std::filesystem::path& path);

}  // namespace stitch::driver
