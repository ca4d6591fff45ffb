// SPDX-License-Identifier: Apache-2.0
#include "agents/react/expert_turns.h"

#include "agents/react/toolbox.h"
#include "agents/workspace/own_step.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxTargets = 3;
constexpr int kTries = 2;

std::string action(const char* tool, Json arguments) {
  return Json{{"tool", tool}, {"arguments", std::move(arguments)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string on_program(const char* tool) { return action(tool, {{"folder", kProgramFolder}}); }

}  // namespace

ExpertTurns::ExpertTurns(const State& state, const Material& material, const Pristine& pristine)
    : bench_(material.bench) {
  for (const SubTask& each : state.plans.back().sub_tasks) {
    const OwnStep own = own_step_of(bench_, each);
    const auto path = pristine.answers.find(own.step);
    const bool is_host = each.kind == SubTaskKind::kHost;
    if ((targets_.size() < kMaxTargets || is_host) && path != pristine.answers.end() && own.why_fixed.empty()) {
      targets_.push_back({each, path->second});
    }
  }
  phase_ = targets_.empty() ? Phase::kVerify : Phase::kRead;
}

bool ExpertTurns::is_at_host() const { return targets_[target_].sub_task.kind == SubTaskKind::kHost; }

std::string ExpertTurns::text_to_write() const {
  const SubTask& sub_task = targets_[target_].sub_task;
  if (is_at_host()) {
    return bench_.text_by_rule(sub_task, 0).value_or("");
  }
  const std::string present = bench_.text_by_rule(sub_task, 0).value_or("");
  return phase_ == Phase::kWrite ? bench_.text_by_rule(sub_task, 1).value_or(present) : present;
}

std::string ExpertTurns::next() const {
  switch (phase_) {
    case Phase::kRead:
      return action("read", {{"path", targets_[target_].path}});
    case Phase::kWrite:
    case Phase::kTakeBack:
      return action("write", {{"path", targets_[target_].path}, {"content", text_to_write()}});
    case Phase::kCompile:
      return on_program("compile");
    case Phase::kCheck:
      return on_program("check");
    case Phase::kVerify:
      return on_program("verify");
    case Phase::kFinish:
      break;
  }
  return action(kFinish, {{"summary", "the next settings of the steps that take longest"}});
}

ExpertTurns::Phase ExpertTurns::after_failure() { return ++tries_ < kTries ? Phase::kWrite : Phase::kTakeBack; }

ExpertTurns::Phase ExpertTurns::after_target() {
  tries_ = 0;
  return ++target_ < targets_.size() ? Phase::kRead : Phase::kVerify;
}

void ExpertTurns::learn(const std::string& tool, tools::Outcome outcome) {
  const bool is_done = outcome == tools::Outcome::kDone;
  if (tool == "read" && phase_ == Phase::kRead) {
    phase_ = Phase::kWrite;
  } else if (tool == "write" && phase_ == Phase::kWrite) {
    phase_ = is_at_host() ? after_target() : Phase::kCompile;  // the tools know nothing of the host's choices
  } else if (tool == "write" && phase_ == Phase::kTakeBack) {
    phase_ = after_target();
  } else if (tool == "compile" && phase_ == Phase::kCompile) {
    phase_ = is_done ? Phase::kCheck : after_failure();
  } else if (tool == "check" && phase_ == Phase::kCheck) {
    phase_ = is_done ? after_target() : after_failure();
  } else if (tool == "verify" && phase_ == Phase::kVerify) {
    phase_ = Phase::kFinish;
  }
}

}  // namespace stitch::agents
