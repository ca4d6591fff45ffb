// SPDX-License-Identifier: Apache-2.0
// An agent's work in a workspace, from its first turn to the end: what WorkspaceCoder has done once in a run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agents/roles/roles.h"
#include "agents/workspace/work_folder.h"

namespace stitch::agents {

struct SessionEnd {
  std::string why{};  // it ended, in a sentence
  int64_t turns = 0;
  std::vector<Spending> spent{};
  std::map<std::string, std::string> verified{};  // step to its text when `verify` last found the program right
};

class Session {
 public:
  virtual ~Session() = default;
  // Leaves what it has done in the folder. kEnvironment and the like where the world fails: then it is run again, and
  // goes on where the journal ends.
  virtual Result<SessionEnd> run(const State& state, const Material& material, WorkFolder& folder) = 0;
};

// What a session came to, as a run keeps it.
struct SessionRecord {
  std::string why{};
  int64_t turns = 0;
  int64_t strays = 0;   // files that it left beside the answer, and nobody takes
  int64_t altered = 0;  // files that were not its own, and count as they were
  int64_t number = 0;   // of the question that began it, in the run
  std::vector<Spending> spent{};
  std::map<std::string, std::string> texts{};     // of steps that are not as they were: step to digest
  std::map<std::string, std::string> verified{};  // likewise
  // Of these the groups that the session drew: their nodes. A run of an older stitchcuda has none.
  std::map<std::string, std::vector<std::string>> groups{};
};

std::string to_text(const SessionRecord& record);
Result<SessionRecord> session_record_from_text(const std::string& text);

}  // namespace stitch::agents
