// SPDX-License-Identifier: Apache-2.0
// A run of the agents: does what the state waits for, tells the state, keeps both, until the state is stopped or
// paused.
#pragma once

#include <algorithm>
#include <functional>

#include "agents/journal/journal.h"
#include "agents/journal/run_folder.h"
#include "agents/retrieval/retriever.h"
#include "agents/roles/roles.h"

namespace stitch::agents {

// Parts of the system that may be left out.
struct LoopParts {
  bool profiles = true;                          // the Verifier is told where the time goes
  bool remembers = true;                         // the Coder is told of more than the latest round
  bool marks = true;                             // facts are kept by which attempts are marked
  std::filesystem::path rubric{};                // by which the Verifier is told low marks; empty: it is told none
  std::optional<knowledge::Places> documents{};  // where failures and profiles are looked up; nothing: nowhere
};

class Loop {
 public:
  // Hears of each state, with the event that led to it (nullptr of the first).
  using Told = std::function<void(const State& state, const Event* event)>;

  Loop(Journal& journal, RunFolder folder, Roles& roles, Bench& bench, LoopParts parts, Told told)
      : journal_(journal),
        folder_(std::move(folder)),
        roles_(roles),
        bench_(bench),
        parts_(std::move(parts)),
        retriever_(parts_.documents),
        told_(std::move(told)) {}

  // Begins with `initial`, or goes on where the journal ends. Stopped or paused at the end. An Error of the environment
  // pauses the run; other Errors (our bug, a file that was altered) are passed on.
  Result<State> run(const State& initial);

  // Processor time of the thread of run(), less that of trials and profiles: what the loop itself costs.
  double own_seconds() const { return std::max(0.0, own_seconds_); }

 private:
  Result<State> begin(const State& initial);
  Result<void> adopt_incumbent(const State& state);
  Result<Event> perform(const State& state);
  Result<Event> write(const State& state);
  Result<Event> test(const State& state);
  Result<Event> tell_again(const State& state, const Attempt& known);
  Result<Event> profile(const State& state);
  Result<Event> retrieve(const State& state);
  Result<Material> material_of(const State& state) const;
  Result<State> tell(const State& before, const Event& event);

  Journal& journal_;
  RunFolder folder_;
  Roles& roles_;
  Bench& bench_;
  LoopParts parts_;
  Retriever retriever_;
  Told told_;
  double own_seconds_ = 0;
};

}  // namespace stitch::agents
