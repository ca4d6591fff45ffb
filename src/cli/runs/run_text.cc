// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "cli/doctor/mend.h"
#include "cli/output/columns.h"
#include "cli/runs/agents_text.h"
#include "cli/runs/words.h"

namespace stitch::cli {
namespace {

using runs::ProgramRecord;
using runs::RunRecord;
using runs::RunState;
using runs::RunSummary;
using runs::StepRecord;

std::string painted_state(const RunSummary& run, const Terminal& terminal) {
  const std::string text = state_text(run);
  switch (run.state) {
    case RunState::kVerified:
      return terminal.green(text);
    case RunState::kRunning:
      return text;
    case RunState::kInterrupted:
    case RunState::kKilled:
      return terminal.yellow(text);
    case RunState::kNotVerified:
    case RunState::kFailed:
      break;
  }
  return terminal.red(text);
}

std::string command_text(const RunRecord& record) {
  std::string text;
  for (const std::string& word : record.command) {
    text += (text.empty() ? "" : " ") + doctor::shell_word(word);
  }
  return text;
}

std::string count(const std::optional<int>& number) {
  return number.has_value() ? fmt::format("{}", *number) : std::string();
}

std::string steps_text(const ProgramRecord& program) {
  if (program.steps.empty()) {
    return {};
  }
  std::vector<std::vector<std::string>> rows = {{"  step", "kernel", "setting", "time"}};
  for (const StepRecord& step : program.steps) {
    rows.push_back({"  " + step.name, step.skeleton,
                    step.variant + (step.splits > 1 ? fmt::format(", {} splits", step.splits) : ""),
                    fmt::format("{:.1f} us{}", step.us, step.is_measured ? "" : " modelled")});
  }
  return "\n" + table(rows);
}

}  // namespace

std::string short_path(const std::string& path) {
  const char* home = std::getenv("HOME");
  const std::string prefix = home == nullptr ? "" : home;
  const bool is_below = prefix.size() > 1 && path.starts_with(prefix + "/");
  return is_below ? "~" + path.substr(prefix.size()) : path;
}

std::string state_text(const RunSummary& run) {
  return run.state == RunState::kRunning && !run.stage.empty()
             ? fmt::format("running ({}, {})", run.stage, duration(run.seconds))
             : runs::to_string(run.state);
}

std::string list_text(const std::vector<RunSummary>& runs, int64_t now, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> titles = {"id", "when", "program", "verdict", "time", "device", "folder"};
  const bool any_agents =
      std::any_of(runs.begin(), runs.end(), [](const RunSummary& run) { return run.agents.has_value(); });
  if (any_agents) {
    titles.insert(titles.end() - 1, "agents");
  }
  rows.emplace_back();
  for (const std::string& title : titles) {
    rows.back().push_back(terminal.bold(title));
  }
  for (const RunSummary& run : runs) {
    const std::string name = run.verb == "optimize" ? run.task : run.verb + " " + run.task;
    rows.push_back({run.id, when(run.started, now), name, painted_state(run, terminal), program_time(run),
                    run.device.empty() ? "-" : run.device, run.out.empty() ? "-" : short_path(run.out)});
    if (any_agents) {
      rows.back().insert(rows.back().end() - 1, run.agents.has_value() ? agents_in_short(*run.agents) : "-");
    }
  }
  std::string text = table(rows);
  text.pop_back();  // the reporter ends the line
  return text;
}

std::string show_text(const RunRecord& record, const ProgramRecord& program, const std::string& later, int64_t now) {
  std::vector<std::vector<std::string>> rows = {
      {"run", record.id},
      {"command", command_text(record)},
      {"in", short_path(record.folder)},
      {"started", record.started + ", " + when(record.started, now)},
      {"ended", record.ended},
      {"took", duration(record.seconds)},
      {"state", state_text(summary_of(record))},
      {"verdict", record.verdict},
      {"seed", record.seed.has_value() ? fmt::format("{}", *record.seed) : ""},
      {"error", record.error},
      {"stage", record.state == RunState::kVerified ? "" : fmt::format("{}: {}", record.stage, record.stage_message)},
      {"program", short_path(record.file)},
      {"math", record.math},
      {"device", record.device},
      {"operators", count(record.operators)},
      {"steps", count(record.steps)},
      {"modelled", record.modelled_us.has_value() ? fmt::format("{:.1f} us", *record.modelled_us) : ""},
      {"measured", record.measured_us.has_value() ? fmt::format("{:.1f} us", *record.measured_us) : ""},
      {"folder", short_path(record.out)}};
  if (record.agents.has_value()) {
    const auto more = agents_rows(*record.agents);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  for (const auto& [name, value] : record.options) {
    rows.push_back({"option " + name, value});
  }
  std::erase_if(rows, [](const auto& row) { return row[1].empty() || row[1] == ": "; });
  std::string text = table(rows) + steps_text(program);
  text += later.empty() ? "" : fmt::format("\nThe run {} wrote to the same folder later.\n", later);
  text.pop_back();
  return text;
}

}  // namespace stitch::cli
