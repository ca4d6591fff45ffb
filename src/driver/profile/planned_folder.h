// SPDX-License-Identifier: Apache-2.0
// What optimize would leave of a program, without its verdict and without a folder.
#pragma once

#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "driver/judge/folder.h"

namespace stitch::driver {

// The expert's program as it is planned where nothing is tuned: by times that ship, else by estimates.
Result<Folder> planned_folder(Job& job, const Task& task);

}  // namespace stitch::driver
