// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/verify_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "base/error/check.h"
#include "base/seed/seed.h"
#include "evaluate/verify/call_clock.h"
#include "evaluate/verify/calls_after_draws.h"
#include "evaluate/verify/candidate_thread.h"
#include "evaluate/verify/companion.h"
#include "evaluate/verify/draw_queue.h"
#include "evaluate/verify/kept_draws.h"
#include "evaluate/verify/own_draws.h"
#include "evaluate/verify/plans_of_request.h"
#include "evaluate/verify/regime_run.h"
#include "evaluate/verify/stopwatch.h"
#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr const char* kCheckedLabel = "draw 0, checked";

class Verification {
 public:
  Verification(const VerifyRequest& request, verify::Oracle& oracle, const StartCandidate& start_candidate)
      : request_(request), oracle_(oracle), start_candidate_(start_candidate) {
    report_.seed = request.seed;
    for (const VerifySubject& each : request.subjects) {
      proof().shapes.push_back({.shape = each.shape});
      proof().checked.planned += each.checked ? 1 : 0;
    }
  }

  // A draw beside the others is ended, not waited for, where the verdict came before it.
  ~Verification() { *is_beside_gpu_unwanted_ = true; }
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  Result<std::optional<QueuedDraw>> next(DrawQueue& queue) {
    const Stopwatch watch(report_.seconds_drawing);
    return queue.next();
  }
  // Takes draw after draw; true when the verdict is known and no more are wanted.
  Result<bool> take(const QueuedDraw& queued);
  Result<void> end_beside_gpu();  // waits for the checked draw of a GPU's verdict, and judges it
  // Gives back the memory in which draws stayed.
  Result<void> rest() { return declared_ == nullptr ? Result<void>() : oracle_.rest(*declared_); }
  Result<void> repeat();  // once all draws are right: calls of the program that ran them
  // A stranger's program gives back what it holds: the last step of the C ABI is part of it.
  Result<void> destroy();
  // For programs with random operators, once all draws are right: what they draw when left to themselves.
  Result<void> draw_by_itself(verify::Oracle& oracle);
  VerifyReport finish();

 private:
  // The checked draw of a GPU's verdict runs on processors, beside the draws that come after it.
  bool is_beside_gpu() const {
    return subject().binary.device == DeviceKind::kChecked &&
           request_.subjects.front().binary.device == DeviceKind::kCuda;
  }
  void start_beside_gpu(const QueuedDraw& queued, const std::string& label, const RunSettings& settings);
  Result<void> begin(const QueuedDraw& queued);
  void plan_draws(const QueuedDraw& queued);
  void note(const std::string& message);
  Result<void> take_good(const QueuedDraw& queued);
  bool is_as_given(const QueuedDraw& queued, int number) const;
  RunSettings settings_for(const QueuedDraw& queued);
  Result<void> run_and_judge(const QueuedDraw& queued, const std::string& label, RunSettings settings);
  Result<void> make_room(const std::string& label);
  bool may_run_beside(const QueuedDraw& queued) const;
  void start_beside(const QueuedDraw& queued, const std::string& label, const RunSettings& settings);
  bool may_update_in_place(const QueuedDraw& queued) const;
  Result<void> end_earlier();
  void start_checked(const verify::OracleDraw& draw);
  void keep(const QueuedDraw& queued);
  Result<void> ask_beside(const QueuedDraw& queued, const RunSettings& settings);
  Result<void> end_checked();
  void judge_run(const RunResult& result, const verify::OracleDraw& draw, const std::string& label, Stage stage,
                 const verify::RegimeJudge::LookedAt& looked_at = {});
  uint64_t next_rng_seed() { return derived_seed(request_.seed, "numbers", static_cast<uint64_t>(report_.draws++)); }
  void judge_refusal(const std::optional<verify::RefusedOutput>& refused, Stage stage);
  void leave_out(const std::string& reason, Stage stage);
  void refuse_sizes(const QueuedDraw& queued);
  void drop(const QueuedDraw& queued);
  void count_told(const QueuedDraw& queued);
  void end_regime();
  void keep_statistics();

  const VerifySubject& subject() const { return request_.subjects[current_->subject]; }
  std::optional<MathMode> asked_in() const {
    return asks_who_works(request_, subject().binary) ? std::optional(request_.math) : std::nullopt;
  }
  bool runs_checked() const { return subject().binary.device == DeviceKind::kChecked; }
  verify::Proof& proof() { return report_.findings.proof; }
  bool decided() const { return !report_.findings.is_clean(); }
  Result<void> add_found(const Result<std::optional<Finding>>& found) {
    STITCH_ASSIGN(const auto finding, found);
    report_.findings.add(finding);
    return {};
  }
  void object(VerdictKind kind, const std::string& reason, const std::string& label, Stage stage);
  void say(const std::string& line) const {
    if (request_.progress) {
      request_.progress(line);
    }
  }

  const VerifyRequest& request_;
  verify::Oracle& oracle_;  // while the queue does not use it: see DrawQueue
  const StartCandidate& start_candidate_;
  std::unique_ptr<Candidate> candidate_;
  WorkQuestion question_;  // of it
  std::optional<size_t> candidate_subject_;
  int current_draws_ = kDrawsPerRegime;  // of a regime of the program under way
  std::string loaded_library_;
  std::unique_ptr<CandidateThread> second_;
  std::optional<RegimeRun> current_;
  std::shared_ptr<std::atomic<bool>> is_beside_gpu_unwanted_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<RegimeRun> beside_gpu_;  // with its run in `earlier`
  RepeatedDraws repeated_draws_;
  std::optional<Companion> companion_;
  std::optional<double> fastest_run_;                      // seconds of a draw's call with all around it (CallClock)
  std::shared_ptr<const verify::OracleProgram> declared_;  // at the declared shapes
  std::vector<std::pair<std::string, verify::OutputStatistics>> statistics_;
  VerifyReport report_;
};

Result<bool> Verification::take(const QueuedDraw& queued) {
  if (!queued.refusal.empty()) {
    refuse_sizes(queued);
    return decided();
  }
  STITCH_TRY(begin(queued));
  if (queued.draw.note) {
    note(*queued.draw.note);
  }
  if (queued.draw.dropped) {
    drop(queued);
  } else if (current_->left_out) {
    count_told(queued);
  } else {
    STITCH_TRY(take_good(queued));
  }
  if (queued.is_last_of_regime && !decided()) {
    STITCH_TRY(end_earlier());  // where the draw after it was dropped
  }
  if (queued.is_last_of_regime || decided()) {
    STITCH_TRY(end_checked());
  }
  const bool goes_on = beside_gpu_ && beside_gpu_->subject == queued.subject;
  if (queued.is_last_of_regime && !decided() && !goes_on) {
    end_regime();
  }
  return decided();
}

void Verification::refuse_sizes(const QueuedDraw& queued) {
  const VerifySubject& refused = request_.subjects[queued.subject];
  note(fmt::format("{} left out: {}", refused.shape, queued.refusal));
  proof().shapes[queued.subject].refusal = queued.refusal;
  proof().checked.told += refused.checked ? 1 : 0;
  if (refused.binary.device == DeviceKind::kChecked) {
    proof().checked.absence = queued.refusal;
  }
}

void Verification::drop(const QueuedDraw& queued) {
  current_->dropped.push_back(*queued.draw.dropped);
  count_told(queued);
}

// A draw that is not run, or not judged.
void Verification::count_told(const QueuedDraw& queued) {
  ++proof().shapes[queued.subject].told;
  const bool would_be_checked = subject().checked && queued.regime == verify::kAsGiven && queued.number == 0;
  proof().checked.told += runs_checked() || would_be_checked ? 1 : 0;
}

void Verification::note(const std::string& message) {
  if (!message.empty() && std::find(report_.notes.begin(), report_.notes.end(), message) == report_.notes.end()) {
    report_.notes.push_back(message);
  }
}

Result<void> Verification::take_good(const QueuedDraw& queued) {
  const RunSettings settings = settings_for(queued);
  const bool randomised = settings.schedule_seed != 0;
  const std::string label = fmt::format("draw {}{}{}", queued.number, randomised ? ", random thread order" : "",
                                        settings.states_in_place ? ", states in place" : "");
  STITCH_TRY(run_and_judge(queued, label, settings));
  report_.randomised_draws += randomised ? 1 : 0;
  report_.in_place_draws += settings.states_in_place ? 1 : 0;
  report_.near_ties += queued.draw.near_ties;
  keep(queued);
  STITCH_TRY(ask_beside(queued, settings));
  if (subject().binary.device == DeviceKind::kChecked) {
    ++report_.checked_draws;
    report_.checked_shape = subject().shape;
  }
  if (!decided() && queued.regime == verify::kAsGiven && queued.number == 0 && subject().checked) {
    STITCH_CHECK(!queued.draw.stays()) << "it runs on after the next one is drawn";
    start_checked(queued.draw);
  }
  return {};
}

// The n-th draw as given of a subject, or its last where it has fewer, is the one that runs in another way.
bool Verification::is_as_given(const QueuedDraw& queued, int number) const {
  return queued.regime == verify::kAsGiven && queued.number == std::min(number, queued.planned->draws_per_regime - 1);
}

RunSettings Verification::settings_for(const QueuedDraw& queued) {
  // One draw of each subject runs a block's threads in random order: it finds missing barriers.
  const bool on_checked = subject().binary.device == DeviceKind::kChecked;
  const bool randomised = !on_checked && is_as_given(queued, 1);
  // A stranger's kernels have the device's memory for themselves, as on a GPU: copies alone bring the host's word
  // there. Host code of a ModelNew is kept out in one draw, and in half of the others.
  const bool is_drawn = derived_seed(request_.seed, "apart", static_cast<uint64_t>(report_.draws)) % 2 == 0;
  const bool is_always = question_.launches != nullptr || is_as_given(queued, 2);
  const bool is_apart = request_.repeats_calls && !on_checked && (is_always || is_drawn);
  return {.schedule_seed = randomised ? (derived_seed(request_.seed, "thread order", 0) | 1U) : 0,
          .states_in_place = may_update_in_place(queued),
          .trial = is_apart ? CallTrial::kApart : CallTrial::kNone};
}

Result<void> Verification::begin(const QueuedDraw& queued) {
  if (!current_ || current_->subject != queued.subject || current_->regime != queued.regime) {
    current_.emplace(RegimeRun{queued.subject, queued.regime, verify::RegimeJudge(request_.math), {}, false});
  }
  if (candidate_subject_ == queued.subject) {
    return {};
  }
  if (queued.subject == 0) {
    declared_ = queued.program;
  }
  plan_draws(queued);
  if (!queued.program->gate_ok) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("the imported graph differs from the eager module by {:.3g} times its own error",
                               queued.program->gate_max_ratio),
                   subject().source.task.file, "report this program: its import is not faithful");
  }
  report_.shapes.push_back(subject().shape);
  report_.planned.push_back(*queued.planned);
  note(subject().note);
  current_draws_ = queued.subject == 0 ? queued.planned->draws_per_regime : current_draws_;
  // The handle that ran one batch must take the next.
  const bool goes_on = subject().same_binary && candidate_ != nullptr && loaded_library_ == subject().binary.library;
  if (is_beside_gpu()) {
    return {};  // has a candidate of its own
  }
  candidate_subject_ = queued.subject;
  report_.same_binary_shapes += subject().same_binary ? 1 : 0;
  if (goes_on) {
    return {};
  }
  candidate_.reset();
  second_.reset();
  CandidateBinary binary = subject().binary;
  question_ = question_of(binary, asked_in());
  STITCH_ASSIGN(candidate_, start_candidate_(binary));
  loaded_library_ = subject().binary.library;
  return {};
}

void Verification::plan_draws(const QueuedDraw& queued) {
  const size_t regimes = subject().regimes.empty() ? queued.program->regimes.size() : subject().regimes.size();
  const int planned = static_cast<int>(regimes) * queued.planned->draws_per_regime;
  proof().shapes[current_->subject].planned = planned;
  proof().checked.planned += runs_checked() ? planned : 0;
}

// New states may lie where the old ones do, or elsewhere; a program must do right by both. The checked device is given
// regions of their own, where it notices more.
bool Verification::may_update_in_place(const QueuedDraw& queued) const {
  return !queued.draw.states.empty() && queued.number % 2 == 1 && subject().binary.device != DeviceKind::kChecked;
}

Result<void> Verification::run_and_judge(const QueuedDraw& queued, const std::string& label, RunSettings settings) {
  say(fmt::format("draw {} of {}: {}, {}, {}", report_.draws + 1,
                  all_draws(request_, queued.program->regimes.size(), current_draws_), subject().shape, queued.regime,
                  label));
  settings.rng_seed = next_rng_seed();
  if (is_beside_gpu()) {
    start_beside_gpu(queued, label, settings);
    return {};
  }
  if (may_run_beside(queued)) {
    start_beside(queued, label, settings);
    return {};
  }
  const CallClock clock(*candidate_);
  STITCH_ASSIGN(const RunResult result, run_and_ask(*candidate_, queued.draw, settings, question_));
  const double passed = clock.passed();
  report_.seconds_running += passed;
  fastest_run_ = std::min(fastest_run_.value_or(passed), clock.seconds());
  STITCH_TRY(end_earlier());
  if (current_->left_out) {
    count_told(queued);
    return {};
  }
  if (decided()) {
    return {};
  }
  const Stopwatch watch(report_.seconds_comparing);
  verify::RegimeJudge::LookedAt looked_at;
  if (const auto* got = std::get_if<std::vector<HostTensor>>(&result); got != nullptr && queued.draw.stays()) {
    STITCH_ASSIGN(looked_at, oracle_.look_at(*queued.program, *got, request_.math));
  }
  judge_run(result, queued.draw, label, Stage::kDraws, looked_at);
  return queued.draw.stays() && !decided() ? make_room(label) : Result<void>();
}

// The oracle needs it for the next draw.
Result<void> Verification::make_room(const std::string& label) {
  STITCH_ASSIGN(const CandidateOutcome outcome, candidate_->rest());
  if (const auto fault = finding_of(outcome.ending, outcome.message, "run", Stage::kDraws)) {
    object(fault->kind, fault->reason, label, Stage::kDraws);
  }
  return {};
}

// The last draw of a regime has none to run beside.
bool Verification::may_run_beside(const QueuedDraw& queued) const {
  return request_.two_at_once && !queued.draw.stays() && !current_->earlier && !queued.is_last_of_regime &&
         !subject().same_binary && subject().binary.device == DeviceKind::kEmulated;
}

void Verification::start_beside(const QueuedDraw& queued, const std::string& label, const RunSettings& settings) {
  if (second_ == nullptr) {
    second_ = std::make_unique<CandidateThread>(start_candidate_, subject().binary, asked_in());
  }
  current_->earlier.emplace(EarlierRun{queued.draw, label, second_->run(queued.draw, settings)});
}

void Verification::start_beside_gpu(const QueuedDraw& queued, const std::string& label, const RunSettings& settings) {
  CandidateBinary binary = subject().binary;
  binary.is_unwanted = is_beside_gpu_unwanted_;
  const auto run = [this, draw = queued.draw, settings, binary = std::move(binary)]() -> Result<RunResult> {
    STITCH_ASSIGN(const auto candidate, start_candidate_(binary));  // a candidate belongs to the thread that made it
    return run_draw(*candidate, draw, settings);
  };
  beside_gpu_.emplace(RegimeRun{current_->subject, current_->regime, verify::RegimeJudge(request_.math), {}, false});
  beside_gpu_->earlier.emplace(EarlierRun{queued.draw, label, std::async(std::launch::async, run)});
}

Result<void> Verification::end_beside_gpu() {
  if (decided() && beside_gpu_) {
    --report_.draws;
    report_.checked_draws = 0;
    const std::string& shape = request_.subjects[beside_gpu_->subject].shape;
    note(fmt::format("{}: its draw was ended when the verdict was known", shape));
  }
  if (decided() || !beside_gpu_) {
    return {};
  }
  current_.emplace(std::move(*beside_gpu_));
  beside_gpu_.reset();
  say(fmt::format("{}, {}", subject().shape, current_->regime));
  STITCH_TRY(end_earlier());
  if (!decided()) {
    end_regime();
  }
  return {};
}

// Waits for the draw in the second worker, which is judged before the one that ran beside it.
Result<void> Verification::end_earlier() {
  if (!current_->earlier) {
    return {};
  }
  EarlierRun earlier = std::move(*current_->earlier);
  current_->earlier.reset();
  STITCH_ASSIGN(const RunResult result, earlier.result.get());
  judge_run(result, earlier.draw, earlier.label, Stage::kDraws);
  return {};
}

void Verification::judge_run(const RunResult& result, const verify::OracleDraw& draw, const std::string& label,
                             Stage stage, const verify::RegimeJudge::LookedAt& looked_at) {
  if (const auto* finding = std::get_if<Finding>(&result)) {
    object(finding->kind, finding->reason, label, stage);
    return;
  }
  proof().shapes[current_->subject].judged += stage == Stage::kChecked ? 0 : 1;
  proof().checked.judged += stage == Stage::kChecked || runs_checked() ? 1 : 0;
  const auto& got = std::get<std::vector<HostTensor>>(result);
  judge_refusal(current_->judge.add_draw(label, draw.outputs, got, looked_at), stage);
}

void Verification::start_checked(const verify::OracleDraw& draw) {
  say(fmt::format("{}, {}, {}", subject().shape, current_->regime, kCheckedLabel));
  const auto run = [this, draw, binary = *subject().checked, seed = next_rng_seed()]() -> Result<RunResult> {
    STITCH_ASSIGN(const auto candidate, start_candidate_(binary));  // a candidate belongs to the thread that made it
    return run_checked(*candidate, draw, seed, request_.repeats_calls);
  };
  current_->checked.emplace(CheckedRun{draw, std::async(std::launch::async, run)});
  ++report_.checked_draws;
}

// Waits for it. decide() puts what it finds in the place of what a later draw found.
Result<void> Verification::end_checked() {
  if (!current_->checked) {
    return {};
  }
  STITCH_ASSIGN(const RunResult result, current_->checked->result.get());
  const verify::OracleDraw draw = std::move(current_->checked->draw);
  current_->checked.reset();
  if (current_->left_out && !std::holds_alternative<Finding>(result)) {
    ++proof().checked.told;
  } else {
    judge_run(result, draw, kCheckedLabel, Stage::kChecked);
  }
  return {};
}

void Verification::judge_refusal(const std::optional<verify::RefusedOutput>& refused, Stage stage) {
  if (const auto output = current_->judge.ill_conditioned()) {
    leave_out(
        fmt::format("one ulp at the inputs moves more than 1 in 1000 elements of {} beyond its own error", *output),
        stage);
  } else if (refused) {
    report_.error_ratio = std::max(report_.error_ratio, refused->ratio);
    object(VerdictKind::kWrong, refused->message, refused->draw, stage);
  }
}

void Verification::leave_out(const std::string& reason, Stage stage) {
  current_->left_out = true;
  report_.left_out.push_back({subject().shape, current_->regime, reason});
  if (current_->regime == verify::kAsGiven && current_->subject == 0) {
    object(VerdictKind::kIllConditioned, reason, "", stage);
  }
}

void Verification::end_regime() {
  if (current_->left_out) {
    return;
  }
  if (current_->judge.statistics().empty()) {
    leave_out(current_->dropped.empty() ? "no draws" : current_->dropped.front(), Stage::kDraws);
    return;
  }
  if (!current_->dropped.empty()) {
    note(fmt::format("{}, {}: {} of {} draws left out: {}", subject().shape, current_->regime, current_->dropped.size(),
                     report_.planned.back().draws_per_regime, current_->dropped.front()));
  }
  judge_refusal(current_->judge.finish(), Stage::kDraws);
  if (!current_->left_out && !decided()) {
    keep_statistics();
  }
}

void Verification::keep_statistics() {
  const auto& seen = current_->judge.statistics();
  statistics_.resize(std::max(statistics_.size(), seen.size()));
  for (size_t i = 0; i < seen.size(); ++i) {
    statistics_[i].first = seen[i].first;
    statistics_[i].second.merge(seen[i].second);
    report_.regimes.push_back({subject().shape, current_->regime, seen[i].second.report(seen[i].first)});
  }
}

void Verification::object(VerdictKind kind, const std::string& reason, const std::string& label, Stage stage) {
  report_.findings.add({stage, kind,
                        fmt::format("{} ({}{}regime {}, {})", reason, label, label.empty() ? "" : ", ",
                                    current_->regime, subject().shape)});
}

void Verification::keep(const QueuedDraw& queued) {
  if (queued.subject != 0 || queued.draw.stays()) {
    return;
  }
  if (request_.keeps_draws && queued.regime == verify::kAsGiven) {
    report_.kept.offer(queued.draw, queued.number, queued.program);
  }
  if (request_.repeats_calls) {
    repeated_draws_.offer(queued.draw, queued.number, queued.regime);
  }
}

// The same question is asked all through the draws: a program that works on the host at some moment of theirs is not to
// find that it is asked at others alone.
Result<void> Verification::ask_beside(const QueuedDraw& queued, const RunSettings& settings) {
  const std::vector<verify::OracleDraw>& known = repeated_draws_.draws;
  if (decided() || !asked_in() || queued.subject != 0 || known.size() < 2) {
    return {};
  }
  if (!companion_) {
    companion_.emplace(BesideRequest{subject().binary, request_.math, request_.needs_kernels, request_.seed},
                       start_candidate_);
  }
  return add_found(companion_->call(queued, settings, fastest_run_.value_or(1), known));
}

Result<void> Verification::repeat() {
  if (decided() || repeated_draws_.draws.empty() || candidate_subject_ != size_t{0}) {
    return {};
  }
  say(fmt::format("{}, calls of it again and again", request_.subjects.front().shape));
  STITCH_ASSIGN(const CallsAfterDraws done, call_after_draws({.request = request_,
                                                              .oracle = oracle_,
                                                              .declared = *declared_,
                                                              .kept = repeated_draws_,
                                                              .call_seconds = fastest_run_.value_or(0),
                                                              .question = question_,
                                                              .companion = companion_},
                                                             *candidate_));
  report_.repeated = done.counts;
  report_.findings.add(done.finding);
  if (!decided() && !done.counts.limit.empty()) {
    note("no call had contents that are in no draw: " + done.counts.limit);
  }
  return {};
}

Result<void> Verification::destroy() {
  if (decided() || !request_.repeats_calls || candidate_ == nullptr) {
    return {};
  }
  STITCH_ASSIGN(const CandidateOutcome outcome, candidate_->destroy());
  return add_found(finding_of(outcome.ending, outcome.message, "destroy", Stage::kCalls));
}

Result<void> Verification::draw_by_itself(verify::Oracle& oracle) {
  if (decided() || declared_ == nullptr || declared_->random_inputs == 0) {
    return {};
  }
  const VerifySubject& declared = request_.subjects.front();
  say(fmt::format("{}, random numbers of its own", declared.shape));
  STITCH_ASSIGN(const verify::OracleDraw draw, oracle.draw(*declared_, verify::kAsGiven, 0));
  if (draw.dropped) {
    return {};
  }
  STITCH_ASSIGN(const auto candidate, start_candidate_(declared.binary));
  return add_found(judge_own_draws(oracle, *declared_, draw, *candidate, request_.seed));
}

VerifyReport Verification::finish() {
  if (current_ && decided()) {
    keep_statistics();  // what was seen up to the refusal
  }
  for (const auto& [name, statistics] : statistics_) {
    report_.outputs.push_back(statistics.report(name));
    report_.error_ratio = std::max(report_.error_ratio, statistics.max_ratio);
  }
  for (const std::string& message : exceptions_of(report_)) {
    note(message);
  }
  if (proof().checked.planned == 0 && proof().checked.absence.empty() && !request_.no_checked_draw.empty()) {
    proof().checked.absence = request_.no_checked_draw;
    note("no checked draw: " + request_.no_checked_draw);
  }
  report_.findings.acceptance = fmt::format("{} draws at {} shapes: max error {:.2g} times the reference's own",
                                            report_.draws, report_.shapes.size(), report_.error_ratio);
  return std::move(report_);
}

}  // namespace

Result<VerifyReport> verify_program(const VerifyRequest& request, verify::Oracle& oracle,
                                    const StartCandidate& start_candidate) {
  const auto start = std::chrono::steady_clock::now();
  Verification verification(request, oracle, start_candidate);
  {
    DrawQueue queue(oracle, plans_of(request));  // has the oracle to itself
    bool done = request.subjects.empty();
    while (!done) {
      STITCH_ASSIGN(const auto queued, verification.next(queue));
      if (!queued) {
        break;
      }
      STITCH_ASSIGN(done, verification.take(*queued));
    }
  }
  STITCH_TRY(verification.rest());
  STITCH_TRY(verification.end_beside_gpu());
  STITCH_TRY(verification.repeat());
  STITCH_TRY(verification.destroy());
  STITCH_TRY(verification.draw_by_itself(oracle));
  VerifyReport report = verification.finish();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace stitch::evaluate
