// SPDX-License-Identifier: Apache-2.0
// report.html of a folder, and what it needs that no other stage leaves: the command line and the program's source.
#pragma once

#include <filesystem>

#include "artifact/task/task.h"
#include "driver/import/import_program.h"
#include "driver/job/job.h"

namespace stitch::driver {

// `given`: the command line, for whoever reads the report. Writes evidence/command.json, evidence/program/ (its own
// files) and report.html.
Result<void> leave_report(Job& job, const Task& task, const ImportedProgram& imported,
                          const std::vector<std::string>& given, const std::filesystem::path& folder);

// Writes the report of what is in `folder` now to `page`.
Result<void> write_report(const Resources& resources, const std::filesystem::path& folder,
                          const std::filesystem::path& page);

}  // namespace stitch::driver
