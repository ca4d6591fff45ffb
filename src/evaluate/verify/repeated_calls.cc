// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/repeated_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "evaluate/verify/call_contents.h"
#include "evaluate/verify/kept_draws.h"
#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

using Tensors = std::vector<HostTensor>;

constexpr uint64_t kRecentBytes = uint64_t{256} << 20;  // of contents that may come again, with their answers
constexpr uint64_t kMaxRecent = 8;
constexpr size_t kMaxShown = 48;     // contents that are no draw's, for those who ask on
constexpr double kDearAnswer = 0.1;  // seconds
constexpr double kBeside = 0.8;      // calls of the companion for each whole one

const char* made_how(ContentsKind kind) {
  switch (kind) {
    case ContentsKind::kDrawn:
      return "the contents of a draw";
    case ContentsKind::kMixed:
      return "contents mixed of two";
    case ContentsKind::kRow:
      return "contents of which a row was changed";
    case ContentsKind::kElement:
      return "contents of which one element was changed";
  }
  return "";
}

class Repetition {
 public:
  Repetition(const RepeatedCallsRequest& request, Candidate& candidate)
      : request_(request),
        draws_(request.kept.draws),
        candidate_(candidate),
        judge_(request.math, verify::Asked::kRefusal) {}

  Result<RepeatedCalls> run() {
    if (draws_.empty()) {
      return std::move(done_);
    }
    STITCH_TRY(draw_calls());
    for (size_t i = 0; i < schedule_.calls.size() && !done_.finding; ++i) {
      STITCH_TRY(make(static_cast<int>(i)));
      forget(static_cast<int>(i));
    }
    if (!done_.finding) {
      take(judge_.finish());
    }
    return std::move(done_);
  }

 private:
  using Pair = std::pair<int, int>;  // contents and parameters

  Result<void> draw_calls();
  Result<void> try_contents(ScheduleRequest& schedule);
  Result<void> make(int number);
  Result<bool> know(const ScheduledCall& call);
  const Tensors& contents(int number);
  void find_sources();
  void count(int number);
  void forget(int call);
  verify::OracleDraw draw_of(const ScheduledCall& call);
  Result<verify::OracleDraw> ask(const Tensors& contents, int parameters);
  Result<verify::OracleDraw> ask_twice(const Tensors& contents);
  std::string name_of(const ScheduledCall& call) const;
  void take(const std::optional<verify::RefusedOutput>& refused);
  void show(const ScheduledCall& call, const verify::OracleDraw& draw);
  Result<void> call_beside(const ScheduledCall& call, const RunSettings& settings, const verify::OracleDraw& draw);

  const RepeatedCallsRequest& request_;
  const std::vector<verify::OracleDraw>& draws_;
  Candidate& candidate_;
  verify::RegimeJudge judge_;
  std::vector<Tensors> sources_;  // what contents are made of, by draw
  std::vector<uint64_t> widths_;
  std::vector<uint64_t> widths_with_integers_;
  CallSchedule schedule_;
  std::vector<int> last_use_;  // of contents: the last call that they, or others made of them, are for
  std::map<int, Tensors> contents_;
  std::map<Pair, verify::OracleDraw> answers_;  // the draws' own are with them
  std::map<Pair, int> last_answer_;             // the last call that it is for
  int prepared_ = -1;                           // whose parameters the program has
  int since_prepare_ = 0;
  RepeatedCalls done_;
};

Result<verify::OracleDraw> Repetition::ask(const Tensors& contents, int parameters) {
  const auto inputs = contents.begin() + static_cast<int64_t>(draws_.front().inputs.size());
  return request_.ask(Tensors(contents.begin(), inputs), Tensors(inputs, contents.end()),
                      request_.kept.numbers.at(static_cast<size_t>(parameters)));
}

// The first answer takes longer than those after it.
Result<verify::OracleDraw> Repetition::ask_twice(const Tensors& contents) {
  STITCH_ASSIGN(verify::OracleDraw first, ask(contents, 0));
  if (first.dropped || first.cpu_seconds > kDearAnswer) {
    return first;
  }
  STITCH_ASSIGN(verify::OracleDraw again, ask(contents, 0));
  again.cpu_seconds = std::min(first.cpu_seconds, again.cpu_seconds);
  return again;
}

// What a file always makes alike (ids in order, a mask of ones) would be alike in all contents: a draw of another
// regime lends its own.
void Repetition::find_sources() {
  sources_.clear();
  for (const verify::OracleDraw& draw : draws_) {
    sources_.push_back(contents_of(draw));
  }
  const auto& others = request_.kept.others;
  for (size_t tensor = 0; !others.empty() && tensor < sources_.front().size(); ++tensor) {
    const bool are_alike = std::all_of(sources_.begin(), sources_.end(), [&](const Tensors& each) {
      return std::ranges::equal(each[tensor].bytes(), sources_.front()[tensor].bytes());
    });
    for (size_t draw = 0; are_alike && draw < sources_.size(); ++draw) {
      const Tensors lent = contents_of(others[draw % others.size()]);
      if (lent.size() == sources_[draw].size() && lent[tensor].spec().type == sources_[draw][tensor].spec().type) {
        sources_[draw][tensor] = lent[tensor];
      }
    }
  }
}

// Whether the reference answers what is no draw of its own, and what that takes.
Result<void> Repetition::try_contents(ScheduleRequest& schedule) {
  if (draws_.size() < 2 || !request_.ask) {
    done_.counts.limit = draws_.size() < 2 ? "one draw alone could be kept" : "the reference knows its own draws alone";
    return {};
  }
  find_sources();
  widths_ = element_widths(draws_);
  widths_with_integers_ = element_widths_with_integers(draws_, request_.whole_inputs);
  std::mt19937_64 random(request_.seed);  // tried, and not called with
  const auto mix = [&] { return mixed(contents_of(draws_[0]), sources_[1], widths_with_integers_, random); };
  STITCH_ASSIGN(verify::OracleDraw answer, ask_twice(mix()));
  if ((answer.dropped || !is_fair(draws_, request_.math, answer)) && !request_.kept.others.empty()) {
    for (size_t draw = 0; draw < draws_.size(); ++draw) {
      sources_[draw] = contents_of(draws_[draw]);
    }
    STITCH_ASSIGN(answer, ask_twice(mix()));
  }
  schedule.reference_seconds = answer.cpu_seconds;
  schedule.combines = schedule.makes_contents = !answer.dropped && is_fair(draws_, request_.math, answer);
  if (schedule.makes_contents) {
    return {};
  }
  done_.counts.limit = answer.dropped.value_or("one ulp decides answers to contents that are mixed of two draws");
  STITCH_ASSIGN(const verify::OracleDraw other, ask(contents_of(draws_[1]), 0));
  schedule.combines = !other.dropped && is_fair(draws_, request_.math, other);
  return {};
}

Result<void> Repetition::draw_calls() {
  ScheduleRequest schedule;
  schedule.seed = request_.seed;
  schedule.draws = static_cast<int>(draws_.size());
  schedule.has_states = !draws_.front().states.empty();
  schedule.call_seconds = request_.call_seconds;
  schedule.keeps_apart = request_.question.launches != nullptr;
  const uint64_t bytes = std::max<uint64_t>(bytes_held(draws_.front()), 1);
  schedule.recent = static_cast<int>(std::clamp<uint64_t>(kRecentBytes / bytes, 1, kMaxRecent));
  STITCH_TRY(try_contents(schedule));
  schedule_ = draw_schedule(schedule);
  last_use_.assign(schedule_.contents.size(), 0);
  for (size_t i = 0; i < schedule_.calls.size(); ++i) {
    const ScheduledCall& call = schedule_.calls[i];
    const ScheduledContents& made = schedule_.contents[static_cast<size_t>(call.contents)];
    last_use_[static_cast<size_t>(call.contents)] = static_cast<int>(i);
    last_answer_[{call.contents, call.parameters}] = static_cast<int>(i);
    if (made.kind != ContentsKind::kDrawn) {
      last_use_[static_cast<size_t>(made.base)] = static_cast<int>(i);
    }
  }
  return {};
}

const Tensors& Repetition::contents(int number) {
  const auto found = contents_.find(number);
  if (found != contents_.end()) {
    return found->second;
  }
  const ScheduledContents& made = schedule_.contents.at(static_cast<size_t>(number));
  if (made.kind == ContentsKind::kDrawn) {
    return contents_[number] = contents_of(draws_.at(static_cast<size_t>(made.base)));
  }
  const Tensors base = contents(made.base);
  const Tensors& other = sources_.at(static_cast<size_t>(made.other));
  const std::vector<uint64_t>& widths = made.has_integers ? widths_with_integers_ : widths_;
  std::mt19937_64 random(made.seed);
  return contents_[number] = made.kind == ContentsKind::kMixed ? mixed(base, other, widths, random)
                             : made.kind == ContentsKind::kRow ? with_row(base, other, widths, random)
                                                               : with_element(base, other, widths, random);
}

// No contents are made of those that were used for the last time, and no answer is asked for twice.
void Repetition::forget(int call) {
  std::erase_if(contents_, [&](const auto& each) { return last_use_[static_cast<size_t>(each.first)] <= call; });
  std::erase_if(answers_, [&](const auto& each) { return last_answer_.at(each.first) <= call; });
}

// False where the reference has nothing to say of such a call.
Result<bool> Repetition::know(const ScheduledCall& call) {
  const Pair key(call.contents, call.parameters);
  if (call.contents == call.parameters || !call.is_judged || answers_.contains(key)) {
    return true;
  }
  STITCH_ASSIGN(verify::OracleDraw answer, ask(contents(call.contents), call.parameters));
  // Small outputs are judged when all calls were made, others at once: see take().
  const bool is_judged_late =
      std::any_of(draws_.front().outputs.begin(), draws_.front().outputs.end(), verify::is_small);
  if (answer.dropped || (is_judged_late && !is_fair(draws_, request_.math, answer))) {
    ++done_.counts.left_out;
    return false;
  }
  answers_.emplace(key, std::move(answer));
  return true;
}

verify::OracleDraw Repetition::draw_of(const ScheduledCall& call) {
  const verify::OracleDraw& own = draws_.at(static_cast<size_t>(call.parameters));
  verify::OracleDraw draw;
  const Tensors& given = contents(call.contents);
  const auto states = given.begin() + static_cast<int64_t>(own.inputs.size());
  draw.inputs.assign(given.begin(), states);
  draw.states.assign(states, given.end());
  draw.parameters = own.parameters;
  const auto answer = answers_.find({call.contents, call.parameters});
  draw.outputs = answer == answers_.end() ? own.outputs : answer->second.outputs;  // their types, where none is judged
  return draw;
}

void Repetition::count(int number) {
  const ScheduledContents& made = schedule_.contents[static_cast<size_t>(number)];
  done_.counts.mixed += made.kind == ContentsKind::kMixed ? 1 : 0;
  done_.counts.by_row += made.kind == ContentsKind::kRow ? 1 : 0;
  done_.counts.by_element += made.kind == ContentsKind::kElement ? 1 : 0;
}

std::string Repetition::name_of(const ScheduledCall& call) const {
  return fmt::format("repeated call {}, {} after prepare, on {}", done_.counts.calls, since_prepare_,
                     made_how(schedule_.contents[static_cast<size_t>(call.contents)].kind));
}

Result<void> Repetition::make(int number) {
  const ScheduledCall& call = schedule_.calls[static_cast<size_t>(number)];
  const bool is_new = !contents_.contains(call.contents);
  STITCH_ASSIGN(const bool is_known, know(call));
  RunSettings settings = call.settings;
  if (!is_known) {
    prepared_ = settings.prepares ? -1 : prepared_;  // the next call hands them over
    return {};
  }
  settings.prepares = settings.prepares || prepared_ != call.parameters;
  prepared_ = call.parameters;
  since_prepare_ = settings.prepares ? 1 : since_prepare_ + 1;
  done_.counts.prepares += settings.prepares ? 1 : 0;
  ++done_.counts.calls;
  if (is_new) {
    count(call.contents);
  }
  const verify::OracleDraw draw = draw_of(call);
  STITCH_ASSIGN(const RunResult result, run_and_ask(candidate_, draw, settings, request_.question));
  if (const auto* finding = std::get_if<Finding>(&result)) {
    done_.finding = at_stage(Stage::kCalls, *finding);
    done_.finding->reason += fmt::format(" ({})", name_of(call));
    return {};
  }
  if (!call.is_judged) {
    return call_beside(call, settings, draws_.at(static_cast<size_t>(call.parameters)));
  }
  ++done_.counts.judged;
  const auto refused = judge_.add_draw(name_of(call), draw.outputs, std::get<Tensors>(result));
  if (refused && answers_.contains({call.contents, call.parameters}) && !is_fair(draws_, request_.math, draw)) {
    ++done_.counts.left_out;
    return {};
  }
  take(refused);
  show(call, draw);
  return call_beside(call, settings, draw);
}

// Between the calls that are compared, so that no count and no time separates one question from the other.
Result<void> Repetition::call_beside(const ScheduledCall& call, const RunSettings& settings,
                                     const verify::OracleDraw& draw) {
  if (request_.companion != nullptr && !done_.finding) {
    const int left = static_cast<int>(schedule_.calls.size()) - done_.counts.calls;
    STITCH_ASSIGN(done_.finding, request_.companion->call(
                                     {draw, settings, call.parameters, kBeside, left, request_.call_seconds}, draws_));
  }
  return {};
}

// As many as may be kept: later ones in the place of earlier ones.
void Repetition::show(const ScheduledCall& call, const verify::OracleDraw& draw) {
  if (call.contents < static_cast<int>(draws_.size())) {
    return;
  }
  const auto most = std::clamp<size_t>(kRecentBytes / std::max<uint64_t>(bytes_held(draw), 1), 1, kMaxShown);
  if (done_.shown.size() < most) {
    done_.shown.push_back(draw);
  } else {
    done_.shown[static_cast<size_t>(done_.counts.judged) % most] = draw;
  }
}

void Repetition::take(const std::optional<verify::RefusedOutput>& refused) {
  if (refused) {
    done_.finding = Finding{Stage::kCalls, VerdictKind::kWrong,
                            fmt::format("{} ({}, regime as_given)", refused->message, refused->draw)};
  }
}

}  // namespace

Result<RepeatedCalls> repeat_calls(const RepeatedCallsRequest& request, Candidate& candidate) {
  return Repetition(request, candidate).run();
}

}  // namespace stitch::evaluate
