// SPDX-License-Identifier: Apache-2.0
#include "agents/run/agents_improver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "agents/bench/bench_over_driver.h"
#include "agents/coder/host_text.h"
#include "agents/roles/expert_roles.h"
#include "agents/run/floor.h"
#include "agents/run/kept_texts.h"
#include "agents/state/state_json.h"
#include "artifact/task/task.h"
#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr const char* kModulePlace = "by_agents/model_new.py";  // of a folder of results, whose own lies above

// Of all that the run's decisions rest on: the expert's plan, and the device it is judged on.
std::string digest_of(const driver::Workbench& workbench) {
  Sha256 hash;
  hash.update_field(plan::to_json(workbench.plan()).dump());
  hash.update_field(to_string(workbench.expert().device));
  return hash.finish();
}

Result<State> initial_state(driver::Workbench& workbench, DriverBench& bench, const RunRequest& request) {
  const driver::VerifiedProgram& expert = workbench.expert();
  State state{.task = {.name = task_name(expert.task.file),
                       .digest = digest_of(workbench),
                       .device = to_string(expert.device),
                       .math = to_string(expert.task.math),
                       .target_us = request.target_us,
                       .floor_us = floor_of(workbench.plan())},
              .limits = request.limits,
              .incumbent = {}};
  STITCH_ASSIGN(state.incumbent.program, bench.program_time());
  for (size_t i = 0; i < workbench.plan().steps.size(); ++i) {
    state.incumbent.steps.push_back({.step = driver::key_of_step(workbench.plan(), i)});
  }
  return state;
}

// The host side, or a module: parts of a run, and no steps.
bool is_host(const StepOwner& owner) { return owner.step == driver::kHostSide || owner.step == driver::kModule; }

// "2 of 5 steps", "the host side", or both; empty where models wrote nothing that is in the program.
std::string parts_by_models(const State& state) {
  const auto& all = state.incumbent.steps;
  const auto steps = std::count_if(
      all.begin(), all.end(), [](const StepOwner& each) { return each.author == Author::kModel && !is_host(each); });
  const bool has_host = std::any_of(
      all.begin(), all.end(), [](const StepOwner& each) { return each.author == Author::kModel && is_host(each); });
  std::vector<std::string> parts;
  if (steps > 0) {
    parts.push_back(fmt::format("{} of {} steps", steps, all.size() - std::count_if(all.begin(), all.end(), is_host)));
  }
  if (has_host) {
    parts.emplace_back("the host side");
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

// "01_a_b gained 3.210 us (attempt 2)" of each step that a model wrote.
std::string gains_of(const State& state) {
  std::vector<std::string> gains;
  for (const StepOwner& owner : state.incumbent.steps) {
    if (owner.author == Author::kModel && owner.attempt > 0) {
      const Attempt& attempt = state.attempts.at(static_cast<size_t>(owner.attempt - 1));
      gains.push_back(fmt::format("{} gained {:.3f} us ({}, attempt {})", owner.step, attempt.gained_us,
                                  to_string(attempt.program->kind), attempt.number));
    }
  }
  return fmt::format("{}", fmt::join(gains, ", "));
}

std::string summary_of(const State& state, const std::string& coder) {
  const Spending total = total_spending(state);
  const std::string written = parts_by_models(state);
  const auto right = std::count_if(state.attempts.begin(), state.attempts.end(),
                                   [](const Attempt& each) { return each.outcome == Outcome::kRight; });
  std::string text =
      fmt::format("agents ({}): {} attempts, {} right, {} requests, {}{} tokens", coder, state.attempts.size(), right,
                  total.requests, total.is_estimated ? "about " : "", total.prompt_tokens + total.answer_tokens);
  text += total.microdollars > 0 ? fmt::format(", {:.4f} $", static_cast<double>(total.microdollars) * 1e-6) : "";
  text += written.empty() ? "; none was better: every step is the expert's"
                          : fmt::format("; {} by {}: {}", written, coder, gains_of(state));
  return text + "; " + (state.decisions.empty() ? "" : state.decisions.back().reason);
}

std::string figures_of(const State& state, const TeamSeats& team, const Prompts& prompts, double own_seconds) {
  const Spending total = total_spending(state);
  const AnsweredSubTasks answered = answered_sub_tasks(state);
  const auto name = [](const std::optional<Seat>& seat) { return seat.has_value() ? seat->model : "expert"; };
  Json json = {{"planner", name(team.planner)},
               {"coder", name(team.coder)},
               {"verifier", name(team.verifier)},
               {"attempts", state.attempts.size()},
               {"replans", state.replans},
               {"sub_tasks", answered.asked},
               {"sub_tasks_right", answered.right},
               {"stopped", state.decisions.empty() ? "" : state.decisions.back().reason},
               {"requests", total.requests},
               {"prompt_tokens", total.prompt_tokens},
               {"answer_tokens", total.answer_tokens},
               {"tokens_are_estimated", total.is_estimated},
               {"dollars", static_cast<double>(total.microdollars) * 1e-6},
               {"seconds", total.seconds},
               {"gpu_seconds", total.gpu_seconds},
               {"own_seconds", own_seconds}};
  if (state.incumbent.program.has_value()) {
    json["time"] = {{"kind", to_string(state.incumbent.program->kind)}, {"us", state.incumbent.program->us}};
    json["time"]["gained_us"] = std::accumulate(state.attempts.begin(), state.attempts.end(), 0.0,
                                                [](double sum, const Attempt& each) { return sum + each.gained_us; });
  }
  json["prompts"] = prompts.digests();
  return json.dump();
}

// Once a run, for the rewards of what it tries.
Result<void> take_reference(driver::Workbench& workbench, const State& initial, const RunRequest& request) {
  const RunFolder folder(request.folder);
  STITCH_ASSIGN(const std::optional<driver::ReferenceTimes> kept, kept_reference(folder));
  const std::optional<Time>& start = initial.incumbent.program;
  if (kept.has_value() || !start.has_value() || !request.parts.marks || request.is_offline) {
    return {};
  }
  STITCH_ASSIGN(const std::optional<driver::ReferenceTimes> reference,
                workbench.reference({.us = start->us}, initial.task.floor_us));
  return reference.has_value() ? keep_reference(folder, *reference) : Result<void>();
}

// What comes by rule is one of the expert's own settings: only what is to be kept is worth a whole verdict.
DriverBench::Judges judges_of(const RunRequest& request) {
  const bool is_expert =
      request.team.coder.has_value() && request.team.coder->is_expert && request.workspace.coder == CoderKind::kAnswers;
  return is_expert ? DriverBench::Judges::kProgramsThatReplace : DriverBench::Judges::kEachProgram;
}

// Somebody else's agent goes by its program.
std::string coder_name(const RunRequest& request) {
  if (request.workspace.coder != CoderKind::kAcp) {
    return name_of(request.team);
  }
  const std::string& command = request.workspace.agent;
  const std::filesystem::path program = command.substr(0, command.find(' '));
  return printable_line("acp:" + program.filename().string(), 80);
}

void tell_session(const SessionRecord& record, driver::Improvement& improvement) {
  Json figures = Json::parse(improvement.figures);
  figures["coder"] = improvement.coder;
  figures["session"] = {{"turns", record.turns},
                        {"ended", record.why},
                        {"changed_steps", record.texts.size()},
                        {"files_thrown_away", record.strays},
                        {"files_taken_as_they_were", record.altered}};
  improvement.figures = figures.dump();
  improvement.summary += fmt::format("; the session ended after {} turns: {}", record.turns, record.why);
}

// The module that is the best, else the latest that was right: nothing where none was.
Result<void> leave_module(const State& state, const RunFolder& folder, driver::Improvement& improvement) {
  const Attempt* taken = nullptr;
  for (const Attempt& each : state.attempts) {
    const bool is_better = taken == nullptr || !taken->replaced_incumbent || each.replaced_incumbent;
    taken = each.outcome == Outcome::kRight && is_better ? &each : taken;
  }
  Json figures = Json::parse(improvement.figures);
  figures["module"] = nullptr;
  if (taken != nullptr) {
    STITCH_ASSIGN(improvement.files[kModulePlace], folder.code(taken->digest));
    figures["module"] = {{"file", kModulePlace}, {"attempt", taken->number}, {"is_faster", taken->replaced_incumbent}};
    improvement.summary += fmt::format("; the module of attempt {} is in {}", taken->number, kModulePlace);
  }
  improvement.figures = figures.dump();
  return {};
}

}  // namespace

Result<driver::Improvement> AgentsImprover::improve(driver::Workbench& workbench) {
  STITCH_ASSIGN(DriverBench bench, DriverBench::make(workbench, judges_of(request_)));
  STITCH_ASSIGN(const State initial, initial_state(workbench, bench, request_));
  STITCH_ASSIGN(Journal journal, Journal::open(request_.folder));
  std::map<std::string, std::string> expert;  // the loop may adopt other texts at once
  for (size_t i = 0; i < workbench.plan().steps.size(); ++i) {
    const std::string step = driver::key_of_step(workbench.plan(), i);
    expert[step] = workbench.text_of(step);
  }
  expert[driver::kHostSide] = host_text(plan::host_of(workbench.plan()));
  Asker asker(journal, request_.is_offline);
  Roles roles = roles_of(request_.team, asker, request_.prompts);
  const WorkspaceCoder* in_workspace = nullptr;
  if (request_.workspace.coder != CoderKind::kAnswers) {
    STITCH_ASSIGN(
        std::unique_ptr<WorkspaceCoder> coder,
        workspace_coder({request_.workspace, request_.team, asker, request_.prompts, journal, request_.folder,
                         request_.is_offline, [this](const std::string& line) { observer_.session_said(line); }},
                        workbench));
    in_workspace = coder.get();
    roles.coder = std::move(coder);
    if (request_.workspace.answer == AnswerForm::kModule) {
      roles.planner = std::make_unique<ModulePlanner>();
    }
  }
  STITCH_TRY(take_reference(workbench, initial, request_));
  observer_.begins(initial);
  Loop loop(journal, RunFolder(request_.folder), roles, bench, request_.parts,
            [this](const State& state, const Event* event) { observer_.reached(state, event); });
  STITCH_ASSIGN(state_, loop.run(initial));
  if (state_->activity == Activity::kPaused) {
    return failure(
        ErrorCode::kEnvironment, "the run is paused: " + state_->pause_reason, request_.folder.string(),
        fmt::format("see 'stitchcuda doctor', then: stitchcuda runs resume {}", request_.folder.filename().string()));
  }
  driver::Improvement improvement{.coder = coder_name(request_)};
  for (const StepOwner& owner : state_->incumbent.steps) {
    const bool is_models = owner.author == Author::kModel && owner.attempt > 0;
    improvement.authors.push_back(
        {owner.step, is_models ? improvement.coder : "expert", is_models ? owner.attempt : 0,
         is_models ? state_->attempts.at(static_cast<size_t>(owner.attempt - 1)).gained_us : 0});
  }
  improvement.summary = summary_of(*state_, improvement.coder);
  improvement.figures = figures_of(*state_, request_.team, request_.prompts, loop.own_seconds());
  if (in_workspace != nullptr && in_workspace->record().has_value()) {
    tell_session(*in_workspace->record(), improvement);
  }
  if (request_.workspace.answer == AnswerForm::kModule) {
    STITCH_TRY(leave_module(*state_, RunFolder(request_.folder), improvement));
  }
  improvement.files["evidence/agents.json"] = to_json(*state_).dump(1) + "\n";
  const Scoring scoring{RunFolder(request_.folder), request_.rubric};
  STITCH_ASSIGN(const Json texts, kept_texts(journal, scoring, *state_, expert));
  Json about = {{"schema", "stitchcuda.agents_texts/1"},
                {"run", request_.folder.filename().string()},
                {"system", request_.system},
                {"without", request_.without},
                {"roles", models_of(request_.team)},
                {"prompts", request_.prompts.digests()}};
  about["start"] = initial.incumbent.program.has_value() ? Json{{"kind", to_string(initial.incumbent.program->kind)},
                                                                {"us", initial.incumbent.program->us}}
                                                         : Json();
  about.update(texts);
  improvement.files["evidence/agents_texts.json"] = about.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return improvement;
}

}  // namespace stitch::agents
