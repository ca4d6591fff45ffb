// SPDX-License-Identifier: Apache-2.0
// The Coder whose answers come from one session in a workspace: it is run when the first step is asked for, and each
// step's file, where it was changed, is then an answer like any other, judged from outside. Where the session took
// steps as groups, the first answer is the plan with these groups.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "agents/journal/journal.h"
#include "agents/workspace/session.h"

namespace stitch::agents {

class WorkspaceCoder : public Coder {
 public:
  // `name`: by what else than the state the session is known: another agent, or another limit, is another session.
  // `folder`: of the run. The journal outlives it.
  WorkspaceCoder(std::string name, std::unique_ptr<Session> session, Journal& journal, RunFolder folder,
                 Pristine pristine, bool is_offline);

  Result<Done> write(const State& state, const Material& material) override;
  // What the session came to, once it was run.
  const std::optional<SessionRecord>& record() const { return record_; }

 private:
  Result<void> find_record(const State& state, const Material& material);
  Result<SessionRecord> run_session(const State& state, const Material& material);
  Result<Done> answer(const State& state, const Material& material);

  std::string name_;
  std::unique_ptr<Session> session_;
  Journal& journal_;
  RunFolder folder_;
  Pristine pristine_;
  bool is_offline_;
  std::optional<SessionRecord> record_;
};

}  // namespace stitch::agents
