// SPDX-License-Identifier: Apache-2.0
// One run: what was asked, how far it is, what became of it. `stitchcuda.run/2` in docs/formats.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "base/process/identity.h"
#include "runs/record/agents_record.h"
#include "runs/record/run_times.h"

namespace stitch::runs {

enum class RunState {
  kRunning,
  kVerified,     // or, for a verb without a verdict, done
  kNotVerified,  // judged and refused
  kFailed,       // ended with an error
  kInterrupted,  // the user said stop
  kKilled,       // never written: said of a running one whose process is gone
};

// "running", "verified", "not verified", "failed", "interrupted", "killed".
const char* to_string(RunState state);
Result<RunState> state_from_string(const std::string& name);

struct RunRecord {
  std::string id;                    // "20261121-130455-mlp_residual-3f2a"
  std::string verb;                  // "optimize", "tune"
  std::vector<std::string> command;  // as it was given
  std::string folder;                // where it was given
  std::string file;                  // the program, absolute
  std::string task;                  // its name
  std::map<std::string, std::string> options{};
  std::string out{};      // absolute; empty for a verb that leaves no folder
  std::string started{};  // "2026-11-21T13:04:55Z"
  ProcessIdentity process{};
  RunState state = RunState::kRunning;
  std::string ended{};  // as `started`; empty while it runs
  double seconds = 0;
  std::string stage{};  // the last one, and what it said last
  std::string stage_message{};
  std::string error{};             // one sentence
  std::string verdict{};           // in words
  std::optional<uint64_t> seed{};  // of its draws; never while it runs
  std::optional<double> modelled_us{};
  std::optional<double> measured_us{};
  std::string device{};
  std::string math{};
  std::optional<int> steps{};
  std::optional<int> operators{};
  std::optional<AgentsRecord> agents{};  // of a run of theirs
};

Json to_json(const RunRecord& record);
// Reads `stitchcuda.run/1` as well, which says nothing of agents. kFileInvalid for JSON that is no record.
Result<RunRecord> run_record_from_json(const Json& json);

}  // namespace stitch::runs
