// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/live_view.h"

#include "cli/agents/agents_record.h"

namespace stitch::cli {

LiveView::LiveView(driver::Progress& progress, const agents::RunRequest& request,
                   std::function<void(runs::AgentsRecord)> keep)
    : progress_(progress), request_(request), roles_(models_of(request.team)), keep_(std::move(keep)) {}

void LiveView::begins(const agents::State& initial) { start_ = initial.incumbent.program; }

void LiveView::reached(const agents::State& state, const agents::Event* event) {
  if (last_.has_value() && event != nullptr) {
    for (const LiveLine& line : news(*last_, state, *event, roles_, start_)) {
      progress_.fact(line.stage, line.message);
    }
  }
  draw(state);
  keep_(agents_record(request_, state, start_));
  last_ = state;
}

void LiveView::session_said(const std::string& line) { progress_.fact("coder", line); }

// A line's time is that of what it speaks of: of the run, of the sub-task, of whoever works.
void LiveView::draw(const agents::State& state) {
  who_.reset();
  const std::optional<LiveLine> who = who_works(state, roles_);
  if (!who.has_value()) {
    round_.reset();
    best_.reset();
    return;
  }
  if (!best_.has_value()) {
    best_.emplace(progress_.wait("best", best_text(state, start_)));
  }
  best_->hint(best_text(state, start_));
  const bool is_another = !last_.has_value() || last_->begun_sub_tasks != state.begun_sub_tasks ||
                          last_->plans.size() != state.plans.size();
  if (is_another) {
    round_.reset();
  }
  if (!round_.has_value()) {
    round_.emplace(progress_.wait("round", round_text(state)));
  }
  round_->hint(round_text(state));
  who_.emplace(progress_.wait(who->stage, who->message));
}

}  // namespace stitch::cli
