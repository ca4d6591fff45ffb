// SPDX-License-Identifier: Apache-2.0
// A folder in which somebody's coding agent works on one program: the task, its contract, how to go about it, and the
// expert's program to begin with. What judges the work lies elsewhere.
#pragma once

#include <filesystem>
#include <string>

#include "artifact/task/task.h"
#include "driver/job/job.h"

namespace stitch::tools {

struct WorkspaceRequest {
  Task task;
  std::filesystem::path folder;  // new or empty
  driver::Options options;
};

struct WorkspaceReport {
  std::filesystem::path folder;
  int operators = 0;
  size_t steps = 0;
  double modelled_us = 0;  // of the expert's program
};

// kUsage for a folder that holds anything.
Result<WorkspaceReport> write_workspace(const WorkspaceRequest& request, const driver::Services& services);

}  // namespace stitch::tools
