// SPDX-License-Identifier: Apache-2.0
// Records of runs as a person reads them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/output/terminal.h"
#include "runs/record/program_record.h"
#include "runs/record/run_summary.h"

namespace stitch::cli {

// One line a run; `now` in seconds since 1970.
std::string list_text(const std::vector<runs::RunSummary>& runs, int64_t now, const Terminal& terminal);

// Everything of one run. `program` is empty where the run did not come so far as to make one. `later`: the id of a run
// that wrote to the same folder afterwards, or empty.
std::string show_text(const runs::RunRecord& record, const runs::ProgramRecord& program, const std::string& later,
                      int64_t now);

// "build, 12 s" of a running one, else the state's name.
std::string state_text(const runs::RunSummary& run);

// With ~ for the home folder.
std::string short_path(const std::string& path);

}  // namespace stitch::cli
