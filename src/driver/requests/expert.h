// SPDX-License-Identifier: Apache-2.0
// The expert's program as a folder that can be read, edited, verified and profiled: optimize without its verdict.
#pragma once

#include <filesystem>
#include <string>

#include "artifact/task/task.h"
#include "driver/build/compile_program.h"
#include "driver/import/import_program.h"
#include "driver/job/job.h"

namespace stitch::driver {

struct ExpertRequest {
  Task task;
  std::filesystem::path out;  // the folder; it takes the place of one that an earlier run left
  Options options;
};

struct ExpertReport {
  ImportedProgram imported;
  EmittedProgram program;
  std::filesystem::path out;
  std::string missing_forms;  // why there is no model_new.py; empty where there is
};

Result<ExpertReport> expert_program(const ExpertRequest& request, const Services& services);

}  // namespace stitch::driver
