// SPDX-License-Identifier: Apache-2.0
// Calls of tools by way of the journal: what came of one is kept with what it changed, before anything follows from it.
#pragma once

#include <chrono>
#include <functional>

#include "agents/journal/journal.h"
#include "agents/react/toolbox.h"

namespace stitch::agents {

struct CallResult {
  tools::ToolReply reply;
  double seconds = 0;
};

class KeptCalls {
 public:
  // `is_offline`: only what the journal holds is answered.
  KeptCalls(Journal& journal, WorkFolder& folder, Toolbox& toolbox, bool is_offline)
      : journal_(journal), folder_(folder), toolbox_(toolbox), is_offline_(is_offline) {}

  // `at_most_s`: what a shell's command may take. kEnvironment after three calls in a row that this machine failed.
  Result<CallResult> call(const llm::ToolCall& call, double at_most_s);

 private:
  Result<std::optional<CallResult>> kept(const std::string& key);
  Result<CallResult> live(const std::string& tool, const Json& arguments, const std::string& key,
                          const std::string& body);

  Journal& journal_;
  WorkFolder& folder_;
  Toolbox& toolbox_;
  bool is_offline_;
  bool is_live_ = false;   // the workspace lies there as it is known
  std::string history_{};  // a digest of all calls and results before
  int failures_ = 0;       // in a row, of this machine
};

}  // namespace stitch::agents
