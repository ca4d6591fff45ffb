// SPDX-License-Identifier: Apache-2.0
// The thread that hears of ended jobs, and what it does with each.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json/json.h"
#include "service/run/evaluations.h"
#include "store/open/open_store.h"

namespace stitch::service {
namespace {

constexpr int kEndedAtOnce = 200;
constexpr std::chrono::milliseconds kIdle{200};

int64_t clock_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What a worker's verb printed; null where it cannot be had or read, which is then the answer's worth.
Json answer_in(const farm::Artefacts& artefacts, const farm::JobResult& result) {
  const Result<std::string> text =
      result.answer.empty() ? Result<std::string>(std::string()) : artefacts.get(result.answer);
  Result<Json> json = text.has_value() ? parse_json(*text, "a worker's answer") : Result<Json>(Json());
  return json.has_value() ? std::move(json).value() : Json();
}

}  // namespace

std::set<std::string> Evaluations::runs() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> names;
  for (const auto& [id, open] : open_) {
    if (open->is_prepared) {
      names.insert(open->store_run);
    }
  }
  return names;
}

std::vector<std::string> Evaluations::waiting_for(const std::string& run, const std::string& job) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, open] : open_) {
    if (open->job == job && open->store_run == run) {
      ids.push_back(id);
    }
  }
  return ids;
}

void Evaluations::collect() {
  std::unique_ptr<store::Store> store;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (open_.empty() && !is_over_) {
        wake_.wait_for(lock, kIdle);
      }
      if (is_over_) {
        return;
      }
    }
    if (store == nullptr) {
      Result<std::unique_ptr<store::Store>> opened =
          store::open_store(options_.store_url, {.patience_ms = kStorePatienceMs});
      store = opened.has_value() ? std::move(opened).value() : nullptr;
    }
    const Result<void> collected =
        store == nullptr ? Result<void>(failure(ErrorCode::kEnvironment, "the store of jobs does not answer"))
                         : collect_once(*store);
    is_store_up_ = collected.has_value();
    if (!collected.has_value()) {
      store = nullptr;
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, kIdle, [this] { return is_over_; });
    }
    look_after(clock_ms());
  }
}

// Of several runs one after the other is waited for, so that none is forgotten for long.
Result<void> Evaluations::collect_once(store::Store& store) {
  const std::set<std::string> names = runs();
  bool has_some = false;
  for (const std::string& run : names) {
    STITCH_ASSIGN(const bool found, collect_run(store, run));
    has_some = has_some || found;
  }
  if (names.empty()) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kIdle / 10);
  }
  if (has_some || names.empty()) {
    return {};
  }
  const auto next = std::next(names.begin(), static_cast<std::ptrdiff_t>(next_run_++ % names.size()));
  constexpr int64_t kAloneMs = 100;
  constexpr int64_t kAmongOthersMs = 10;
  return store.wait_for_ended(*next, names.size() == 1 ? kAloneMs : kAmongOthersMs);
}

// Jobs that nobody here waits for are those of evaluations that were cancelled.
Result<bool> Evaluations::collect_run(store::Store& store, const std::string& run) {
  const std::lock_guard handing_over(hand_over_);
  STITCH_ASSIGN(const std::vector<store::Ended> ended, store.ended(run, kEndedAtOnce));
  std::vector<std::string> over;
  for (const store::Ended& each : ended) {
    over.push_back(each.id);
    for (const std::string& id : waiting_for(run, each.id)) {
      STITCH_TRY(advance(id, each));
    }
  }
  if (!over.empty()) {
    STITCH_TRY(store.drop(run, over));
  }
  return !over.empty();
}

// Jobs that were never submitted, or that a store may have lost, and evaluations that nobody took in time.
void Evaluations::look_after(int64_t now) {
  std::vector<std::pair<std::string, Entry>> due;
  std::vector<std::string> late;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, open] : open_) {
      constexpr int64_t kTryAgainMs = 500;
      const int64_t patience = open->job.empty() ? kTryAgainMs : options_.submit_again_ms;
      if (open->is_prepared && now > open->give_up_ms) {
        late.push_back(id);
      } else if (open->is_prepared && now - open->submitted_ms > patience) {
        due.emplace_back(id, open);
      }
    }
  }
  for (const std::string& id : late) {
    static_cast<void>(fail(id, "no worker ended it in the time that it may wait (limits.queue_s)"));
  }
  for (const auto& [id, open] : due) {
    const Result<std::optional<JournalEntry>> entry = journal_->find(id);
    if (entry.has_value() && entry->has_value() && (*entry)->state == "open") {
      const bool is_submitted = submit_phase(id, **entry, open).has_value();
      is_store_up_ = is_submitted;
      if (!is_submitted) {
        return;  // one after the other would wait for a store that is down
      }
    }
  }
}

Result<void> Evaluations::fail(const std::string& id, const std::string& why) {
  STITCH_ASSIGN(std::optional<JournalEntry> entry, journal_->find(id));
  if (!entry.has_value() || entry->state != "open") {
    return {};
  }
  Result<Json> judged = parse_json(entry->judged, "the journal of evaluations");
  STITCH_TRY(judged);
  std::string job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    job = found == open_.end() ? "" : found->second->job;
  }
  const std::string run = entry->run;
  STITCH_TRY(end(*std::move(entry), judged_by_nobody(std::move(judged).value(), why)));
  if (!job.empty() && waiting_for(run, job).empty()) {
    const std::lock_guard lock(store_mutex_);
    STITCH_TRY(submitting_->drop(run, {job}));
  }
  return {};
}

Result<void> Evaluations::advance(const std::string& id, const store::Ended& ended) {
  STITCH_ASSIGN(std::optional<JournalEntry> entry, journal_->find(id));
  if (!entry.has_value() || entry->state != "open") {
    return {};
  }
  STITCH_ASSIGN(const Json jobs_json, parse_json(entry->jobs, "the journal of evaluations"));
  STITCH_ASSIGN(const std::vector<PhaseJob> jobs, phase_jobs_from_json(jobs_json));
  STITCH_ASSIGN(Json judged, parse_json(entry->judged, "the journal of evaluations"));
  const Phase phase = jobs[static_cast<size_t>(entry->phase)].phase;
  Result<farm::JobResult> result = ended.state == store::JobState::kParked
                                       ? Result<farm::JobResult>(failure(ErrorCode::kEnvironment, ended.text))
                                       : farm::read_job_result(ended.text);
  ++entry->phase;
  if (!result.has_value()) {
    const std::string why = result.error().message;
    const bool is_lost = phase == Phase::kVerify;
    judged = is_lost ? judged_by_nobody(std::move(judged), why)
                     : (phase == Phase::kRubric ? without_marks(std::move(judged), why) : std::move(judged));
    return go_on(*std::move(entry), std::move(judged));
  }
  const Json answer = answer_in(artefacts_, *result);
  judged = with_job(std::move(judged), phase, *result, answer);
  const bool is_to_be_judged = judged["rubric"]["status"] == "ok" && options_.judge;
  if (is_to_be_judged) {
    ask_judge(*std::move(entry), std::move(judged), phase == Phase::kRubric ? answer : answer["score"]);
    return {};
  }
  return go_on(*std::move(entry), std::move(judged));
}

// The next job, or the end.
Result<void> Evaluations::go_on(JournalEntry entry, Json judged) {
  STITCH_ASSIGN(const Json jobs, parse_json(entry.jobs, "the journal of evaluations"));
  if (!is_right_so_far(judged) || static_cast<size_t>(entry.phase) >= jobs.size()) {
    const bool was_to_be_timed = dumped(jobs).find("\"baseline\"") != std::string::npos;
    return end(std::move(entry), was_to_be_timed ? with_times_or_nothing(std::move(judged)) : std::move(judged));
  }
  entry.judged = dumped(judged);
  STITCH_TRY(journal_->change(entry));
  Entry open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(entry.id);
    if (found == open_.end()) {
      return {};
    }
    open = found->second;
    open->job = "";
  }
  const Result<bool> submitted = submit_phase(entry.id, entry, open);
  return submitted.has_value() ? Result<void>() : Result<void>(failure(submitted.error()));
}

// A model may take a minute: who else waits does not wait for it.
void Evaluations::ask_judge(JournalEntry entry, Json judged, Json score) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(entry.id);
    if (found != open_.end()) {
      found->second->job = "";
      found->second->submitted_ms = std::numeric_limits<int64_t>::max() / 2;  // nothing is left to submit
    }
  }
  judges_.start([this, entry = std::move(entry), judged = std::move(judged), score = std::move(score)]() mutable {
    const Result<Json> frame = parse_json(entry.frame, "the journal of evaluations");
    const Result<std::string> sha256 =
        frame.has_value() ? json_string(*frame, "candidate_sha256") : Result<std::string>(failure(frame.error()));
    const Result<std::optional<std::string>> kept =
        sha256.has_value() ? journal_->files_of(*sha256) : Result<std::optional<std::string>>(std::nullopt);
    const Result<Json> files = parse_json(kept.has_value() ? kept->value_or("[]") : "[]", "the journal of evaluations");
    const Result<std::vector<farm::PlacedFile>> placed =
        files.has_value() ? farm::read_files(*files) : Result<std::vector<farm::PlacedFile>>(failure(files.error()));
    const Result<std::string> task = frame.has_value() ? json_string(*frame, "task") : std::string();
    const Result<const ServedTask*> served = tasks_.find(task.has_value() ? *task : "");
    Result<Json> reply =
        placed.has_value() && served.has_value()
            ? options_.judge(**served, *placed, score)
            : Result<Json>(failure(ErrorCode::kFileInvalid, "the journal does not know the candidate"));
    judged = reply.has_value() ? with_judge(std::move(judged), *reply)
                               : without_marks(std::move(judged), reply.error().message);
    counters_.add_judged(judged["rubric"]["status"] == "fallback");
    static_cast<void>(go_on(std::move(entry), std::move(judged)));
  });
}

Result<void> Evaluations::end(JournalEntry entry, Json judged) {
  const std::string outcome = judged["outcome"].get<std::string>();
  STITCH_ASSIGN(const Json frame_json, parse_json(entry.frame, "the journal of evaluations"));
  STITCH_ASSIGN(const AnswerFrame frame, answer_frame_from_json(frame_json));
  STITCH_TRY(keep_feedback(frame, judged));
  entry.state = "done";
  entry.ended_ms = clock_ms();
  entry.judged = dumped(judged);
  STITCH_TRY(journal_->change(entry));
  constexpr double kMilliseconds = 1000;
  counters_.add_outcome(outcome, static_cast<double>(entry.ended_ms - entry.created_ms) / kMilliseconds, false);
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(entry.id);
  if (found != open_.end()) {
    found->second->has_ended = true;
    found->second->ended.notify_all();
    open_.erase(found);
  }
  return {};
}

}  // namespace stitch::service
