// SPDX-License-Identifier: Apache-2.0
// A verified program that may be written anew, a group of nodes at a time: a text is checked publicly, judged in its
// step alone, then in the whole program, and timed. The verdict is made by what `verify` calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/improve/candidate.h"
#include "driver/improve/module_trial.h"
#include "driver/improve/program_times.h"
#include "driver/improve/text_place.h"
#include "driver/improve/text_trial.h"
#include "driver/score/reference_times.h"

namespace stitch::driver {

// A text for a group of nodes, or choices for the host side.
struct GroupText {
  std::vector<std::string> nodes{};  // each by the name of its first output
  plan::WrittenCode written{};
  std::optional<plan::HostPlan> host{};  // then nothing else counts
  bool operator==(const GroupText&) const = default;
};

class Workbench {
 public:
  Workbench(Job& job, const toolchain::Toolchain& tools, VerifiedProgram expert)
      : job_(job), tools_(tools), expert_(expert), best_(of_expert()), times_(job, tools, expert.device) {}

  const VerifiedProgram& expert() const { return expert_; }
  // Of the best program.
  const plan::Plan& plan() const { return best_.plan; }
  const TextProgram& program() const { return best_; }
  Job& job() { return job_; }

  // Where a text for these nodes would go. kFileInvalid, in a sentence, where they can be no step.
  Result<TextPlace> place_of(const std::vector<std::string>& nodes);
  // The text of a step of the best program.
  const std::string& text_of(const std::string& step) const;
  // The text of step `step` of the best program by another of its settings, the best first; nothing where there are no
  // more, or where the rest of the program would have to follow.
  std::optional<std::string> text_by_setting(size_t step, size_t alternative) const;

  // Whether a program that takes so long is to be the best one, should it be right.
  using IsWanted = std::function<bool(const TakenTime& program)>;
  // Judges and times. A text that falls short is a value; kEnvironment and the like where the world fails. Where times
  // are counted, a step that is right alone is counted next, and the program with it is judged only if it is wanted;
  // without `is_wanted` each is.
  Result<TextTrial> try_text(const GroupText& text, const IsWanted& is_wanted = {});
  // Of a module in the program's place; nothing of the program changes.
  Result<ModuleTrial> try_module(const std::string& text) { return driver::try_module(job_, tools_, expert_, text); }
  // Of the best program.
  Result<TakenTimes> times();
  // PyTorch's times for rewards, of the expert's program that takes `expert`; nothing where nobody can tell.
  Result<std::optional<ReferenceTimes>> reference(const TakenTime& expert, double floor_us);
  // Of the best program with that text, which was found right.
  Result<TakenTimes> times_with(const GroupText& text);
  // The plan of the best program with that text; nothing where it is none for its step.
  Result<std::optional<plan::Plan>> plan_with(const GroupText& text);

  // `text`, which was found right, is part of the best program from here on. Texts of steps that it shares no node with
  // stay; of the others what is left over is the expert's again.
  Result<void> adopt(const GroupText& text, std::optional<evaluate::EvaluateReport> report);
  // The best program; its verdict, made now where nobody made one of it as a whole. Where that one is not right, the
  // expert's program is the best again, and `why` says so.
  struct Best {
    EmittedProgram program{};
    evaluate::EvaluateReport report{};
    SubjectSet set{};
    std::string why{};
  };
  Result<Best> best();

 private:
  TextProgram of_expert() const { return {expert_.program.plan, expert_.program.bundle, expert_.set}; }
  Result<const Candidate*> candidate(const GroupText& text);  // null: it is none, and refusal_ says why
  Result<std::variant<Candidate, NoCandidate>> make_candidate(const GroupText& text);
  Result<std::optional<Finding>> refusal_of_nvcc(const SubjectSet& set);
  Result<PublicCheck> check(const SubjectSet& set, std::optional<int> step);
  Result<std::optional<int>> replaced_step(const GroupText& text);
  Result<evaluate::EvaluateReport> verdict_on(const SubjectSet& set, std::optional<int> step);
  Result<bool> incumbent_fails_alike(const GroupText& text, const TextTrial& trial);
  Result<void> look_for_cheat(const Candidate& candidate, TextTrial& trial);
  Result<void> judge_candidate(const Candidate& candidate, TextTrial& trial);
  Result<void> judge_alone(const Candidate& candidate, TextTrial& trial);
  Result<void> judge_if_wanted(const GroupText& text, const Candidate& candidate, const IsWanted& is_wanted,
                               TextTrial& trial);
  Result<void> count_host(const TextProgram& program, const TakenTimes& times, TextTrial& trial);
  Result<void> take_times(const GroupText& text, const Candidate& candidate, TextTrial& trial);

  Job& job_;
  const toolchain::Toolchain& tools_;
  VerifiedProgram expert_;
  TextProgram best_;
  bool is_experts_ = true;
  std::optional<evaluate::EvaluateReport> report_;  // of the best program, unless it is the expert's
  ProgramTimes times_;
  std::optional<HostCounts> best_host_;  // of the best program, once they were asked for
  // The latest that was asked for, since a text is tried, timed and adopted in a row.
  std::map<std::vector<std::string>, TextPlace> places_;
  std::optional<GroupText> made_for_;
  std::optional<Candidate> made_;
  std::string refusal_;
  std::optional<GroupText> timed_text_;
  TakenTimes timed_;
};

}  // namespace stitch::driver
