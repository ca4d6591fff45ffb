// SPDX-License-Identifier: Apache-2.0
#include "agents/run/trajectory.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/ask/asker.h"
#include "agents/state/state_json.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"
#include "driver/score/score_attempt.h"

namespace stitch::agents {
namespace {

constexpr const char* kReferenceFile = "reference.json";
constexpr const char* kTrajectorySchema = "stitchcuda.trajectory/1";

bool asks(const State& state, Role role) {
  switch (role) {
    case Role::kPlanner:
      return state.activity == Activity::kPlan || state.activity == Activity::kReplan;
    case Role::kCoder:
      return is_writing(state.activity);
    case Role::kVerifier:
      return state.activity == Activity::kFeedback;
    default:
      return false;
  }
}

// The state that waited for it: its number among the states, and which question of it this was.
struct Asking {
  size_t state = 0;
  size_t index = 0;
};

// How many answers the event after the state was paid for with; of the last state nobody knows yet.
size_t questions_at(const std::vector<State>& states, size_t number) {
  if (number + 1 == states.size()) {
    return kMaxQuestions;
  }
  const int64_t asked = total_spending(states[number + 1]).requests - total_spending(states[number]).requests;
  return static_cast<size_t>(std::clamp<int64_t>(asked, 0, kMaxQuestions));
}

// Answers were kept in the order in which states asked for them, so that each is looked for from `first` on.
std::optional<Asking> asking_of(const KeptAnswer& answer, const std::vector<State>& states, size_t first) {
  for (size_t i = first; i < states.size(); ++i) {
    const size_t questions = asks(states[i], answer.role) ? questions_at(states, i) : 0;
    for (size_t index = 0; index < questions; ++index) {
      if (request_key(answer.role, answer.body, number_of_question(states[i], index)) == answer.key) {
        return Asking{i, index};
      }
    }
  }
  return std::nullopt;
}

std::string in_sentences(const Feedback& feedback) {
  std::string text;
  if (feedback.issue.has_value()) {
    text = fmt::format("{} {} {}", feedback.issue->what, feedback.issue->why, feedback.issue->fix);
  }
  if (feedback.bottleneck.has_value()) {
    const Bottleneck& limit = *feedback.bottleneck;
    text += fmt::format("{} {} {} {}", limit.what, limit.system, limit.kernel, limit.plan);
  }
  return text;
}

// The first attempt that was made after the state.
const Attempt* attempt_after(const std::vector<State>& states, size_t asked) {
  const size_t made = states[asked].attempts.size();
  const bool is_unreadable = asked + 1 < states.size() && states[asked + 1].attempts.size() > made;
  const bool is_written = asked + 1 < states.size() && states[asked + 1].writing.has_value();
  const State& last = states.back();
  return (is_unreadable || is_written) && last.attempts.size() > made ? &last.attempts[made] : nullptr;
}

// `asked`: the state that the attempt was asked for in.
Json outcome_of(const Attempt* attempt, const State& asked) {
  if (attempt == nullptr) {
    return {};
  }
  Json json = {{"attempt", attempt->number},
               {"outcome", to_string(attempt->outcome)},
               {"fingerprint", attempt->fingerprint},
               {"replaced_incumbent", attempt->replaced_incumbent},
               {"digest", attempt->digest}};
  json["step_us"] = attempt->step.has_value() ? Json(attempt->step->us) : Json();
  json["program_us"] = attempt->program.has_value() ? Json(attempt->program->us) : Json();
  json["incumbent_us"] = asked.incumbent.program.has_value() ? Json(asked.incumbent.program->us) : Json();
  json["sub_task"] = fmt::format("{}.{}", attempt->plan, attempt->sub_task + 1);
  json["time"] = attempt->program.has_value() ? Json(to_string(attempt->program->kind)) : Json();
  return json;
}

// Where the time of the program with the attempt goes; null where nobody looked.
Json profile_of(int64_t attempt, const State& state) {
  for (const Profile& each : state.profiles) {
    if (each.attempt == attempt && !each.steps.empty()) {
      Json steps = Json::array();
      for (const StepTime& step : each.steps) {
        steps.push_back({{"step", step.step}, {"us", step.us}});
      }
      return steps;
    }
  }
  return {};
}

// The review that a refinement was asked after, and the attempt that it speaks of; both empty where there is none.
void add_refined(const State& asked, const RunFolder& folder, driver::AttemptFacts& facts) {
  const auto made = static_cast<int64_t>(asked.attempts.size());
  for (const Feedback& each : asked.feedback) {
    if (each.attempt == made) {
      facts.feedback = in_sentences(each);
      facts.before = folder.facts(made);
    }
  }
}

Result<void> add_marks(const Scoring& scoring, const State& asked, const Attempt& attempt, Json& sample) {
  driver::AttemptFacts facts{.facts = scoring.folder.facts(attempt.number),
                             .refines = asked.activity != Activity::kDraft};
  if (facts.facts.empty() && attempt.outcome != Outcome::kUnreadable) {
    return {};  // of an older run nothing was kept
  }
  if (facts.refines) {
    add_refined(asked, scoring.folder, facts);
  }
  STITCH_ASSIGN(const std::optional<driver::ReferenceTimes> reference, kept_reference(scoring.folder));
  const bool is_comparable = reference.has_value() && attempt.program.has_value() &&
                             reference->is_measured == (attempt.program->kind == TimeKind::kMeasured);
  if (is_comparable) {
    facts.times = driver::reward_times(*reference, attempt.program->high_us);
    sample["reference"] = driver::to_json(*reference);
  }
  STITCH_ASSIGN(const Json scored, driver::score_attempt(facts, scoring.rubric));
  sample["marks"] = scored.at("marks");
  sample["rewards"] = scored.at("rewards");
  return {};
}

const char* skill_of(const State& asked) { return asked.activity == Activity::kDraft ? "scratch" : "refinement"; }

// `first`: the state that asked for the answer before it.
Result<Json> sample_of(const KeptAnswer& kept, const std::vector<State>& states, const Scoring* scoring,
                       size_t& first) {
  STITCH_ASSIGN(const Json body, parse_json(kept.body, "a request in the journal"));
  STITCH_ASSIGN(const Json answer, parse_json(kept.answer, "an answer in the journal"));
  Json sample = {{"schema", kTrajectorySchema},
                 {"role", to_string(kept.role)},
                 {"model", body.value("model", Json())},
                 {"messages", body.value("messages", Json::array())},
                 {"tools", body.value("tools", Json::array())},
                 {"answer", answer.value("content", Json())},
                 {"reasoning", answer.value("reasoning", Json())},
                 {"tool_calls", answer.value("calls", Json::array())},
                 {"finish", answer.value("finish", Json())},
                 {"usage", answer.value("usage", Json())},
                 {"prompt_token_ids", answer.value("prompt_token_ids", Json())},
                 {"token_ids", answer.value("token_ids", Json())},
                 {"log_probs", answer.value("log_probs", Json())},
                 {"skill", nullptr},
                 {"verdict", nullptr},
                 {"profile", nullptr},
                 {"marks", nullptr},
                 {"rewards", nullptr},
                 {"reference", nullptr}};
  const std::optional<Asking> asking = asking_of(kept, states, first);
  if (!asking.has_value()) {  // answered, and the run ended before anything followed from it
    sample["activity"] = nullptr;
    return sample;
  }
  first = asking->state;
  const State& asked = states[asking->state];
  sample["activity"] = to_string(asked.activity);
  sample["question"] = asking->index;
  if (kept.role == Role::kCoder) {
    const Attempt* attempt = attempt_after(states, asking->state);
    sample["skill"] = skill_of(asked);
    sample["verdict"] = outcome_of(attempt, asked);
    sample["profile"] = attempt == nullptr ? Json() : profile_of(attempt->number, states.back());
    if (scoring != nullptr && attempt != nullptr) {
      STITCH_TRY(add_marks(*scoring, asked, *attempt, sample));
    }
  }
  return sample;
}

}  // namespace

Result<std::optional<driver::ReferenceTimes>> kept_reference(const RunFolder& folder) {
  const std::filesystem::path path = folder.path() / kReferenceFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return std::optional<driver::ReferenceTimes>();
  }
  STITCH_ASSIGN(const std::string text, read_file(path));
  STITCH_ASSIGN(const Json json, parse_json(text, path.string()));
  STITCH_ASSIGN(const driver::ReferenceTimes times, driver::reference_times_from_json(json));
  return std::optional(times);
}

Result<void> keep_reference(const RunFolder& folder, const driver::ReferenceTimes& times) {
  return write_file(folder.path() / kReferenceFile, driver::to_json(times).dump(1) + "\n");
}

Result<std::vector<Json>> samples(const Journal& journal, const std::string& run, const Scoring* scoring) {
  STITCH_ASSIGN(const std::vector<KeptAnswer> answers, journal.answers());
  STITCH_ASSIGN(const std::vector<State> states, journal.states());
  std::vector<Json> found;
  size_t first = 0;
  for (const KeptAnswer& kept : answers) {
    if (kept.role == Role::kTools) {
      continue;  // what a tool said stands in the next question
    }
    STITCH_ASSIGN(Json sample, sample_of(kept, states, scoring, first));
    sample["run"] = run;
    sample["task"] = states.empty() ? Json() : Json(states.front().task.name);
    found.push_back(std::move(sample));
  }
  return found;
}

Result<std::string> trajectory(const Journal& journal, const std::string& run, const Scoring* scoring) {
  STITCH_ASSIGN(const std::vector<Json> all, samples(journal, run, scoring));
  std::string lines;
  for (const Json& sample : all) {
    lines += json_line(sample);
  }
  return lines;
}

}  // namespace stitch::agents
