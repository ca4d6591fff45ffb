// SPDX-License-Identifier: Apache-2.0
// What a run of the agents left, for `runs show --graph`, `replay` and `export`; and how it goes on.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "cli/options/command_line.h"
#include "runs/record/run_record.h"

namespace stitch::cli {

// The table of routes, with how often the run took each.
Result<std::string> routes_of_run(const std::filesystem::path& folder);

struct Replayed {
  std::string text;
  std::string json;
};
// All events told again, offline. kInternal where they lead elsewhere.
Result<Replayed> replay_run(const std::filesystem::path& folder, const std::string& id);

// `stitchcuda.trajectory/1`, a line a question, with marks and rewards by that version of the rubric; empty: without.
Result<std::string> export_run(const std::filesystem::path& folder, const std::string& id,
                               const std::filesystem::path& rubric);

// The command line of the run, as it was given, with what `again` says of models and prompts in its place. Paths are as
// in the folder that it was given in.
Result<CommandLine> line_of_run(const runs::RunRecord& record, const CommandLine& again);

// What a run left until after `events` events, copied to the folder of another.
Result<void> fork_run(const std::filesystem::path& from, const std::filesystem::path& to, int64_t events);

}  // namespace stitch::cli
