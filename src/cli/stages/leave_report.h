// SPDX-License-Identifier: Apache-2.0
// report.html of a folder, and what it needs that no other stage leaves: the command line and the program's source.
#pragma once

#include <filesystem>

#include "cli/stages/import_program.h"
#include "cli/stages/session.h"
#include "cli/stages/task.h"

namespace stitch::cli {

// Writes evidence/command.json, evidence/program/ (its own files) and report.html.
Result<void> leave_report(Session& session, const Task& task, const ImportedProgram& imported,
                          const std::filesystem::path& folder);

// Writes the report of what is in `folder` now to `page`.
Result<void> write_report(const Session& session, const std::filesystem::path& folder,
                          const std::filesystem::path& page);

}  // namespace stitch::cli
