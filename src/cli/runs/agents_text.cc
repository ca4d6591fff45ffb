// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/agents_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/printable.h"

namespace stitch::cli {
namespace {

using runs::AgentsRecord;

constexpr size_t kMaxLineBytes = 200;

std::string safe(const std::string& text) { return printable_line(text, kMaxLineBytes); }

std::string team_text(const AgentsRecord& agents) {
  std::string text;
  for (const auto& [role, model] : agents.roles) {
    text += (text.empty() ? "" : ", ") + role + " " + model;
  }
  return safe(fmt::format("{} ({}){}", agents.system, text,
                          agents.without.empty() ? "" : fmt::format(", without {}", fmt::join(agents.without, ", "))));
}

std::string work_text(const AgentsRecord& agents) {
  const auto right = std::count_if(agents.attempts.begin(), agents.attempts.end(),
                                   [](const runs::AgentsAttempt& each) { return each.outcome == "right"; });
  std::string text = fmt::format("{} ({} right), {} plan{}", agents.attempts.size(), right, agents.plans.size(),
                                 agents.plans.size() == 1 ? "" : "s");
  if (agents.first.has_value() && agents.incumbent.has_value()) {
    text +=
        fmt::format(", {:.1f} -> {:.1f} us {}", agents.first->us, agents.incumbent->us, safe(agents.incumbent->kind));
  }
  return text;
}

std::string spent_text(const AgentsRecord& agents) {
  const runs::AgentsSpending& spent = agents.spent;
  std::string text = fmt::format("{} requests, {}{} tokens", spent.requests, spent.is_estimated ? "about " : "",
                                 spent.prompt_tokens + spent.answer_tokens);
  text += agents.limits.tokens.has_value() ? fmt::format(" of {}", *agents.limits.tokens) : "";
  text += spent.dollars > 0 || agents.limits.dollars.has_value() ? fmt::format(", {:.4f} $", spent.dollars) : "";
  text += agents.limits.dollars.has_value() ? fmt::format(" of {:.4g}", *agents.limits.dollars) : "";
  text += spent.gpu_seconds > 0 ? fmt::format(", {:.1f} s of a GPU", spent.gpu_seconds) : "";
  return text + fmt::format(", {:.1f} s", spent.seconds);
}

// "02_gelu by small (attempt 4)", of those that are not the expert's.
std::string writers_text(const AgentsRecord& agents) {
  std::string text;
  for (const runs::StepWriter& each : agents.writers) {
    if (each.attempt > 0) {
      text += fmt::format("{}{} by {} (attempt {})", text.empty() ? "" : ", ", each.step, each.author, each.attempt);
    }
  }
  return text.empty() ? "every step is the expert's" : safe(text);
}

}  // namespace

std::string agents_in_short(const runs::AgentsSummary& agents) {
  return fmt::format("{} {}, {} attempt{}, {}/{} steps", safe(agents.system), safe(agents.models), agents.attempts,
                     agents.attempts == 1 ? "" : "s", agents.steps_by_others, agents.steps);
}

std::vector<std::vector<std::string>> agents_rows(const AgentsRecord& agents) {
  return {{"agents", team_text(agents)},
          {"attempts", work_text(agents)},
          {"spent", spent_text(agents)},
          {"written", writers_text(agents)},
          {"agents now", safe(agents.activity + (agents.reason.empty() ? "" : ": " + agents.reason))},
          {"paused by", safe(agents.paused_by)}};
}

}  // namespace stitch::cli
