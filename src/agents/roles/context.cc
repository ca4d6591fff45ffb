// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "agents/planner/expert_planner.h"
#include "agents/prompts/quote.h"
#include "agents/retrieval/retriever.h"
#include "agents/verifier/feedback_text.h"
#include "base/json/json.h"
#include "ir/text/printer.h"

namespace stitch::agents {
namespace {

constexpr size_t kToldNotes = 8;
constexpr size_t kToldAttempts = 12;

const char* words_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUnreadable:
      return "was no file: the answer could not be read";
    case Outcome::kNotCompiled:
      return "does not compile";
    case Outcome::kWrong:
      return "gives wrong answers";
    case Outcome::kRight:
      return "is right";
  }
  return "is right";
}

std::string time_in_words(const Attempt& attempt) {
  if (!attempt.program.has_value()) {
    return "";
  }
  return fmt::format(", {:.3f} us a call of the program ({}){}", attempt.program->us, to_string(attempt.program->kind),
                     attempt.replaced_incumbent ? ", the best so far" : "");
}

std::string attempt_in_words(const Attempt& attempt) {
  return fmt::format("- attempt {} at {}: {}{}{}", attempt.number,
                     attempt.changed.empty() ? std::string("sub-task ") + std::to_string(attempt.sub_task + 1)
                                             : fmt::format("{}", fmt::join(attempt.changed, ", ")),
                     words_of(attempt.outcome), time_in_words(attempt),
                     attempt.fingerprint.empty() ? "" : ": " + attempt.fingerprint);
}

// Failures that are the same one are told once, with how often there was one.
std::string history_of(const std::vector<const Attempt*>& attempts) {
  std::vector<std::pair<std::string, int>> lines;
  for (const Attempt* attempt : attempts) {
    const bool is_known =
        !lines.empty() && !attempt->fingerprint.empty() && lines.back().first.ends_with(": " + attempt->fingerprint);
    if (is_known) {
      ++lines.back().second;
    } else {
      lines.emplace_back(attempt_in_words(*attempt), 1);
    }
  }
  std::string text;
  const size_t first = lines.size() > kToldAttempts ? lines.size() - kToldAttempts : 0;
  for (size_t i = first; i < lines.size(); ++i) {
    text += lines[i].first + (lines[i].second > 1 ? fmt::format(" ({} times in a row)", lines[i].second) : "") + "\n";
  }
  return text;
}

std::string notes_of(const State& state) {
  std::string text = history_of(current_attempts(state));
  const size_t first = state.notes.size() > kToldNotes ? state.notes.size() - kToldNotes : 0;
  for (size_t i = first; i < state.notes.size(); ++i) {
    text += fmt::format("- after attempt {}: {}\n", state.notes[i].attempt, state.notes[i].text);
  }
  return text.empty() ? "" : "What was tried before:\n" + quoted("the run", text, kMaxNotesBytes);
}

std::string feedback_in_words(const State& state) {
  const bool is_there =
      !state.feedback.empty() && state.feedback.back().attempt == static_cast<int64_t>(state.attempts.size());
  if (!is_there || (!state.feedback.back().issue.has_value() && !state.feedback.back().bottleneck.has_value())) {
    return "None.";
  }
  return quoted("the reviewer", feedback_to_json(state.feedback.back()).dump(1), kMaxToldBytes);
}

std::string author_of(const State& state, const Ground& ground) {
  for (const StepOwner& owner : state.incumbent.steps) {
    const bool is_replaced =
        std::find(ground.replaced.begin(), ground.replaced.end(), owner.step) != ground.replaced.end();
    if (is_replaced && owner.author == Author::kModel) {
      return ground.skeleton.empty() ? "you or another model" : "the expert and a model";
    }
  }
  return "the expert";
}

// Of a group that is no step yet the file that lacks its kernels says more than the graph's types, and what is right.
std::string contract_in_words(const SubTask& sub_task, const Ground& ground) {
  return ground.skeleton.empty()
             ? quoted("the graph", fmt::format("{}", fmt::join(sub_task.contract, "\n")), kMaxNotesBytes)
             : quoted("the contract", ground.skeleton, kMaxContractBytes);
}

std::string present_in_words(const Ground& ground) {
  if (ground.present.size() == 1 && ground.skeleton.empty()) {
    return quoted("the present file", ground.present.front().text, kMaxCodeBytes);
  }
  std::vector<std::string> files;
  for (const PresentFile& each : ground.present) {
    files.push_back(quoted(each.name, each.text, kMaxCodeBytes / ground.present.size()));
  }
  return files.empty() ? "None." : fmt::format("{}", fmt::join(files, "\n"));
}

std::string sub_task_in_words(const SubTask& sub_task) {
  return fmt::format("{}. Hint: {}. Expected gain: {}. Risk: {}.", sub_task.name, sub_task.hint, sub_task.expected_gain,
                     sub_task.risk.empty() ? "none named" : sub_task.risk);
}

std::string documents_of(const Material& material) {
  return material.documents.empty()
             ? ""
             : "What documents say about it:\n" + quoted("documents", material.documents, kMaxDocumentsBytes);
}

std::string marks_of(const Material& material) {
  return material.marks.empty() ? ""
                                : "Low marks of how the program is built, with the question that each answers:\n" +
                                      quoted("the rubric", material.marks, kMaxToldBytes);
}

std::string told_of(const State& state, const Material& material) {
  std::string text = material.told;
  if (!state.attempts.empty() && text.empty()) {
    text = state.attempts.back().fingerprint;
  }
  if (!state.attempts.empty()) {
    text += time_in_words(state.attempts.back());
  }
  return quoted("the check", text, kMaxToldBytes);
}

std::string trigger_of(const State& state) {
  const auto found = std::find_if(state.decisions.rbegin(), state.decisions.rend(),
                                  [](const Decision& each) { return each.to == Activity::kReplan; });
  return found == state.decisions.rend() ? "its work does not get on" : found->reason;
}

}  // namespace

const char* failure_in_words(const State& state) {
  return state.attempts.empty() ? "is not there" : words_of(state.attempts.back().outcome);
}

std::map<std::string, std::string> coder_places(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  const Ground ground = material.bench.ground_of(sub_task);
  return {{"program", state.task.name},
          {"step", ground.step},
          {"replaced", fmt::format("{}", fmt::join(ground.replaced, ", "))},
          {"summary", quoted("the planner", state.plans.back().summary, kMaxNotesBytes)},
          {"sub_task", quoted("the planner", sub_task_in_words(sub_task), kMaxNotesBytes)},
          {"contract", contract_in_words(sub_task, ground)},
          {"device", material.bench.plan().device},
          {"math", state.task.math},
          {"source", quoted("the user's program", material.bench.program_source(), kMaxSourceBytes)},
          {"author", author_of(state, ground)},
          {"present", present_in_words(ground)},
          {"last", quoted("your last file", material.last_code, kMaxCodeBytes)},
          {"failure", failure_in_words(state)},
          {"told", told_of(state, material)},
          {"feedback", feedback_in_words(state)},
          {"documents", documents_of(material)},
          {"notes", material.remembers ? notes_of(state) : ""}};
}

std::map<std::string, std::string> planner_places(const State& state, const Material& material) {
  const plan::Plan& plan = material.bench.plan();
  std::vector<const Attempt*> attempts;
  for (const Attempt& each : state.attempts) {
    attempts.push_back(&each);
  }
  const auto as_text = [](const PlanVersion& version) { return agent_plan_to_json(version).dump(1); };
  return {{"program", state.task.name},
          {"device", plan.device},
          {"math", state.task.math},
          {"source", quoted("the user's program", material.bench.program_source(), kMaxSourceBytes)},
          {"graph", quoted("the graph", ir::print(plan.graph), kMaxGraphBytes)},
          {"expert", quoted("the expert", as_text(expert_agent_plan(plan)), kMaxPlanBytes)},
          {"plan", state.plans.empty() ? "" : quoted("the last plan", as_text(state.plans.back()), kMaxPlanBytes)},
          {"trigger", trigger_of(state)},
          {"history", quoted("the run", history_of(attempts), kMaxNotesBytes)}};
}

std::map<std::string, std::string> verifier_places(const State& state, const Material& material) {
  Json figures = Json::object();
  if (!material.profile.empty()) {
    for (const Figure& each : figures_of(material.profile)) {
      figures[each.name] = each.value;
    }
  }
  const SubTask* sub_task = current_sub_task(state);
  return {{"step", sub_task == nullptr ? "" : material.bench.ground_of(*sub_task).step},
          {"failure", failure_in_words(state)},
          {"last", quoted("the file", material.last_code, kMaxCodeBytes)},
          {"told", told_of(state, material)},
          {"figures", quoted("the profile", figures.dump(1), kMaxToldBytes)},
          {"marks", marks_of(material)},
          {"documents", documents_of(material)}};
}

}  // namespace stitch::agents
