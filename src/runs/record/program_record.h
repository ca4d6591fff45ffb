// SPDX-License-Identifier: Apache-2.0
// What program_digest kept of a run's program, read with suspicion: the file may be older than we are, or altered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::runs {

struct StepRecord {
  std::string name = "?";
  std::string skeleton = "?";
  std::string variant;
  int64_t splits = 1;
  std::vector<std::string> nodes;
  double us = 0;
  bool is_measured = false;  // else modelled
};

struct ProgramRecord {
  std::vector<StepRecord> steps;
  std::map<std::string, std::string> sources;  // path to digest
};

// Null, where a run made no program, is an empty record, and a member that is absent or null has its default; one of
// another kind than we write is kFileInvalid.
Result<ProgramRecord> program_record_from_json(const Json& json);

}  // namespace stitch::runs
