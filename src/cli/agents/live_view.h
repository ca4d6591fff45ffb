// SPDX-License-Identifier: Apache-2.0
// A run of agents while it goes on, for a person and for its record: who works and for how long, the round, the best
// program, what was spent; plain lines where nothing can be drawn again.
#pragma once

#include <functional>
#include <optional>

#include "agents/run/agents_improver.h"
#include "cli/agents/live_text.h"
#include "driver/job/progress.h"
#include "runs/record/agents_record.h"

namespace stitch::cli {

class LiveView final : public agents::RunObserver {
 public:
  // `keep` is handed what the run's record tells of it, at each step.
  LiveView(driver::Progress& progress, const agents::RunRequest& request, std::function<void(runs::AgentsRecord)> keep);

  void begins(const agents::State& initial) override;
  void reached(const agents::State& state, const agents::Event* event) override;
  void session_said(const std::string& line) override;

 private:
  void draw(const agents::State& state);

  driver::Progress& progress_;
  agents::RunRequest request_;
  std::map<std::string, std::string> roles_;
  std::function<void(runs::AgentsRecord)> keep_;
  std::optional<agents::Time> start_;
  std::optional<agents::State> last_;
  // Of the display, in this order.
  std::optional<driver::Progress::Wait> best_;
  std::optional<driver::Progress::Wait> round_;
  std::optional<driver::Progress::Wait> who_;
};

}  // namespace stitch::cli
