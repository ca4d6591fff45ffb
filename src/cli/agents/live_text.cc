// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/live_text.h"

#include <fmt/format.h>

#include "base/text/printable.h"

namespace stitch::cli {
namespace {

using agents::Activity;
using agents::Outcome;
using agents::State;

constexpr size_t kMaxNameBytes = 60;
constexpr size_t kMaxWhyBytes = 240;

std::string short_line(const std::string& text) { return printable_line(text, kMaxWhyBytes); }

std::string name_of(const agents::SubTask* sub_task) {
  return sub_task == nullptr ? "" : printable_line(sub_task->name, kMaxNameBytes);
}

// "640", "12.3k", "4.1M"
std::string in_thousands(int64_t count) {
  const auto number = static_cast<double>(count);
  return count < 10'000
             ? fmt::format("{}", count)
             : (count < 1'000'000 ? fmt::format("{:.4g}k", number * 1e-3) : fmt::format("{:.3g}M", number * 1e-6));
}

std::string of_limit(const std::string& spent, const std::string& limit) {
  return limit.empty() ? spent : spent + "/" + limit;
}

// "-23 %"; empty where there is nothing to compare.
std::string gain_text(const agents::Time& time, const std::optional<agents::Time>& start) {
  if (!start.has_value() || start->kind != time.kind || !(start->us > 0)) {
    return "";
  }
  const double change = 100 * (time.us / start->us - 1);
  return std::abs(change) < 0.5 ? " +0 %" : fmt::format(" {:+.0f} %", change);
}

const char* writing_verb(Activity activity) {
  switch (activity) {
    case Activity::kRepairCompile:
    case Activity::kRepairCorrectness:
      return "repairs";
    case Activity::kOptimize:
      return "betters";
    default:
      return "drafts";
  }
}

const char* why_written(Activity activity) {
  return activity == Activity::kRepairCompile       ? ": it does not compile"
         : activity == Activity::kRepairCorrectness ? ": it is wrong"
                                                    : "";
}

const char* words_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnreadable:
      return "no code in the answer";
    case Outcome::kNotCompiled:
      return "does not compile";
    case Outcome::kWrong:
      return "wrong";
    case Outcome::kRight:
      return "right";
  }
  return "right";
}

LiveLine attempt_news(const State& before, const State& after, const std::optional<agents::Time>& start) {
  const agents::Attempt& attempt = after.attempts.back();
  std::string text =
      fmt::format("{} at {}: {}", attempt.number, name_of(current_sub_task(before)), words_of(attempt.outcome));
  if (attempt.program.has_value()) {
    text += fmt::format(", {:.1f} us {}{}{}", attempt.program->us, to_string(attempt.program->kind),
                        gain_text(*attempt.program, start), attempt.replaced_incumbent ? ", the best so far" : "");
  } else if (!attempt.fingerprint.empty()) {
    text += ": " + short_line(attempt.fingerprint);
  }
  return {"attempt", std::move(text)};
}

LiveLine plan_news(const State& after, const std::string& planner) {
  const agents::PlanVersion& plan = after.plans.back();
  return {"plan", fmt::format("{} by {}: {} sub-task{}{}", plan.version,
                              plan.author == agents::Author::kModel ? planner : "expert", plan.sub_tasks.size(),
                              plan.sub_tasks.size() == 1 ? "" : "s",
                              plan.trigger.empty() ? "" : ", since " + short_line(plan.trigger))};
}

struct NewsOfEvent {
  const State& before;
  const State& after;
  const std::map<std::string, std::string>& roles;
  const std::optional<agents::Time>& start;
  std::vector<LiveLine>& lines;

  void operator()(const agents::Planned&) const { lines.push_back(plan_news(after, roles.at("planner"))); }
  void operator()(const agents::PlanKept& kept) const {
    lines.push_back({"plan", "no other one: " + short_line(kept.why)});
  }
  void operator()(const agents::Declined& declined) const {
    lines.push_back(
        {"coder", fmt::format("none for {}: {}", name_of(current_sub_task(before)), short_line(declined.why))});
  }
  void operator()(const agents::Unreadable&) const { lines.push_back(attempt_news(before, after, start)); }
  void operator()(const agents::Tested&) const {
    if (after.attempts.size() > before.attempts.size()) {  // else the environment was at fault
      lines.push_back(attempt_news(before, after, start));
    }
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

}  // namespace

std::optional<LiveLine> who_works(const State& state, const std::map<std::string, std::string>& roles) {
  const std::string name = name_of(current_sub_task(state));
  switch (state.activity) {
    case Activity::kPlan:
      return LiveLine{"planner", roles.at("planner") + " plans"};
    case Activity::kReplan:
      return LiveLine{"planner", roles.at("planner") + " plans anew"};
    case Activity::kDraft:
    case Activity::kRepairCompile:
    case Activity::kRepairCorrectness:
    case Activity::kOptimize:
      return LiveLine{"coder", fmt::format("{} {} {}{}", roles.at("coder"), writing_verb(state.activity), name,
                                           why_written(state.activity))};
    case Activity::kTest:
      return LiveLine{"tools", "build and test " + name};
    case Activity::kProfile:
      return LiveLine{"tools", "profile " + name};
    case Activity::kRetrieve:
      return LiveLine{"tools", "look it up"};
    case Activity::kFeedback:
      return LiveLine{"verifier", fmt::format("{} reviews {}", roles.at("verifier"), name)};
    case Activity::kNextSubTask:
    case Activity::kPaused:
    case Activity::kStopped:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string round_text(const State& state) {
  std::string text = fmt::format("{}/{}", state.attempts.size(), state.limits.rounds);
  if (const agents::SubTask* sub_task = current_sub_task(state); sub_task != nullptr) {
    text += fmt::format(", {}/{} {}", state.begun_sub_tasks, state.plans.back().sub_tasks.size(), name_of(sub_task));
  }
  return text + (state.plans.size() > 1 ? fmt::format(", plan {}", state.plans.size()) : "");
}

std::string best_text(const State& state, const std::optional<agents::Time>& start) {
  const agents::Spending spent = total_spending(state);
  const agents::Limits& limits = state.limits;
  std::string text = state.incumbent.program.has_value() ? fmt::format("{:.1f} us{}, ", state.incumbent.program->us,
                                                                       gain_text(*state.incumbent.program, start))
                                                         : "";
  text += (spent.is_estimated ? "about " : "") +
          of_limit(in_thousands(spent.prompt_tokens + spent.answer_tokens),
                   limits.tokens.has_value() ? in_thousands(*limits.tokens) : "") +
          " tokens";
  if (spent.microdollars > 0 || limits.microdollars.has_value()) {
    const auto dollars = [](int64_t micro) { return fmt::format("{:.3g}", static_cast<double>(micro) * 1e-6); };
    text +=
        ", " +
        of_limit(dollars(spent.microdollars), limits.microdollars.has_value() ? dollars(*limits.microdollars) : "") +
        " $";
  }
  if (spent.gpu_seconds > 0 || limits.gpu_seconds.has_value()) {
    const auto seconds = [](double value) { return fmt::format("{:.0f}", value); };
    text += ", " +
            of_limit(seconds(spent.gpu_seconds), limits.gpu_seconds.has_value() ? seconds(*limits.gpu_seconds) : "") +
            " s GPU";
  }
  return text + (limits.seconds.has_value() ? fmt::format(", {:.0f} s at most", *limits.seconds) : "");
}

std::vector<LiveLine> news(const State& before, const State& after, const agents::Event& event,
                           const std::map<std::string, std::string>& roles, const std::optional<agents::Time>& start) {
  std::vector<LiveLine> lines;
  std::visit(NewsOfEvent{before, after, roles, start, lines}, event.body);
  const agents::SubTask* begun = current_sub_task(after);
  const bool is_new = after.begun_sub_tasks != before.begun_sub_tasks || after.plans.size() != before.plans.size();
  if (begun != nullptr && is_new && after.activity == Activity::kDraft) {
    lines.push_back({"sub-task", fmt::format("{} of {}: {}", after.begun_sub_tasks, after.plans.back().sub_tasks.size(),
                                             name_of(begun))});
  }
  if (after.activity == Activity::kStopped && !after.decisions.empty()) {
    lines.push_back({"agents", "stopped: " + short_line(after.decisions.back().reason)});
  }
  return lines;
}

}  // namespace stitch::cli
