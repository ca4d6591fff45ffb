// SPDX-License-Identifier: Apache-2.0
#include "service/run/evaluations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/seed/seed.h"
#include "service/outcome/response.h"
#include "service/request/extraction.h"
#include "store/open/open_store.h"

namespace stitch::service {
namespace {

constexpr int kRetryAfterS = 2;
constexpr const char* kOpenState = "open";
constexpr const char* kDoneState = "done";
constexpr const char* kCancelledState = "cancelled";

int64_t now_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(system_clock::now().time_since_epoch()).count();
}

// The same for the same request, so that a second post finds the first one.
std::string id_of(const std::string& request_id) {
  constexpr size_t kDigits = 32;
  return "ev-" + sha256_hex(request_id).substr(0, kDigits);
}

Admission refused(int status, const std::string& sentence, int retry_after_s = 0) {
  return {.status = status, .id = {}, .sentence = sentence, .retry_after_s = retry_after_s};
}

// The world failed: whoever comes again may do better.
Admission refused_by_world(const Error& error) { return refused(503, error.message, kRetryAfterS); }

AnswerFrame frame_of(const EvaluationRequest& request, const ServedTask& task) {
  return {.request_id = request.request_id,
          .task = task.id,
          .profile = request.profile,
          .task_version = task.version,
          .candidate_sha256 = {},
          .has_verdict = request.has_verdict,
          .output_kb = request.limits.output_kb};
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json judged_of(const JournalEntry& entry) {
  Result<Json> json = parse_json(entry.judged, "the journal of evaluations");
  return json.has_value() ? std::move(json).value() : nothing_judged(false);
}

std::vector<PhaseJob> jobs_in(const JournalEntry& entry) {
  const Result<Json> json = parse_json(entry.jobs, "the journal of evaluations");
  const Result<std::vector<PhaseJob>> jobs =
      json.has_value() ? phase_jobs_from_json(*json) : Result<std::vector<PhaseJob>>(failure(json.error()));
  return jobs.has_value() ? *jobs : std::vector<PhaseJob>();
}

}  // namespace

Result<std::unique_ptr<Evaluations>> Evaluations::open(const EvaluationsOptions& options, const TaskList& tasks) {
  std::unique_ptr<Evaluations> made(new Evaluations(options, tasks));
  STITCH_TRY(made->begin());
  return made;
}

Result<void> Evaluations::begin() {
  STITCH_ASSIGN(journal_, Journal::open(options_.journal));
  STITCH_ASSIGN(secret_, journal_->secret());
  STITCH_TRY(journal_->forget_before(now_ms() - options_.keep_ms));
  STITCH_ASSIGN(submitting_, store::open_store(options_.store_url, {.patience_ms = kStorePatienceMs}));
  STITCH_ASSIGN(const std::vector<JournalEntry> left, journal_->open_ones());
  for (const JournalEntry& entry : left) {
    const auto open = std::make_shared<Open>();
    open->body_sha256 = entry.body_sha256;
    open->store_run = entry.run;
    open->is_prepared = true;
    open->give_up_ms = now_ms() + static_cast<int64_t>(1000 * options_.limits.queue_s);
    open_[entry.id] = open;
  }
  collector_ = std::thread([this] { collect(); });
  return {};
}

Evaluations::~Evaluations() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    wake_.notify_all();
  }
  if (collector_.joinable()) {
    collector_.join();
  }
  judges_.wait();
}

size_t Evaluations::open_count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

Admission Evaluations::admit(const Json& body) {
  const Result<EvaluationRequest> request = read_evaluation_request(body, options_.limits, options_.profile);
  if (!request.has_value()) {
    return refused(400, request.error().message);
  }
  const Result<const ServedTask*> task = tasks_.find(request->task_id);
  if (!task.has_value()) {
    return refused(400, task.error().message);
  }
  const ServedTask& served = **task;
  if (!request->task_version.empty() && request->task_version != served.version) {
    return refused(400, fmt::format("task '{}' has the version {} here", served.id, served.version));
  }
  if (!request->split.empty() && !served.split.empty() && request->split != served.split) {
    return refused(400, fmt::format("task '{}' is of the split {}", served.id, served.split));
  }
  const bool is_without_times = !options_.is_on_gpu || !request->is_timed;
  if (request->has_verdict && is_without_times && needs_times(request->profile)) {
    return refused(400, fmt::format("the reward {} needs times, which {}", request->profile,
                                    options_.is_on_gpu ? "the stage profile takes" : "the emulated device has not"));
  }
  if (!request->gpu.empty() && !options_.is_on_gpu && request->gpu != "emulated") {
    return refused(400, "this service judges on the emulated device, not on " + request->gpu);
  }
  const std::string id = id_of(request->request_id);
  Entry mine;
  Admission admission = reserve(id, sha256_hex(canonical_text(body)), &mine);
  return mine == nullptr ? admission : take_reserved(id, *request, served, mine);
}

// A place among the open ones, or what is said of a request that came before.
Admission Evaluations::reserve(const std::string& id, const std::string& body_sha256, Entry* mine) {
  const std::lock_guard lock(mutex_);
  std::string earlier;
  if (const auto found = open_.find(id); found != open_.end()) {
    earlier = found->second->body_sha256;
  } else {
    const Result<std::optional<JournalEntry>> known = journal_->find(id);
    if (!known.has_value()) {
      return refused_by_world(known.error());
    }
    earlier = known->has_value() ? (*known)->body_sha256 : "";
  }
  if (!earlier.empty()) {
    return earlier == body_sha256 ? Admission{.status = 202, .id = id}
                                  : refused(409, "this request_id came before, with another body");
  }
  if (is_draining_) {
    return refused(503, "the service drains: it takes no further evaluation", kRetryAfterS);
  }
  if (open_.size() >= options_.max_open) {
    return refused(429, fmt::format("{} evaluations are open, and no more may be", open_.size()), kRetryAfterS);
  }
  *mine = std::make_shared<Open>();
  (*mine)->body_sha256 = body_sha256;
  open_[id] = *mine;
  return {.status = 202, .id = id};
}

void Evaluations::give_back_place(const std::string& id, const Entry& open) {
  const std::lock_guard lock(mutex_);
  open_.erase(id);
  open->has_ended = true;
  open->ended.notify_all();
}

Admission Evaluations::take_reserved(const std::string& id, const EvaluationRequest& request, const ServedTask& task,
                                     const Entry& mine) {
  Result<JournalEntry> entry = prepare(id, request, task);
  if (!entry.has_value()) {
    give_back_place(id, mine);
    return entry.error().code == ErrorCode::kUsage ? refused(400, entry.error().message)
                                                   : refused_by_world(entry.error());
  }
  entry->body_sha256 = mine->body_sha256;
  const Result<void> written = journal_->add(*entry);
  if (!written.has_value()) {
    give_back_place(id, mine);
    return refused_by_world(written.error());
  }
  if (entry->state == kDoneState) {
    counters_.add_outcome(judged_of(*entry)["outcome"].get<std::string>(), 0, entry->is_from_cache);
    give_back_place(id, mine);
    return {.status = 202, .id = id};
  }
  {
    const std::lock_guard lock(mutex_);
    mine->store_run = entry->run;
    mine->is_prepared = true;
    mine->ended.notify_all();
    mine->submitted_ms = now_ms();
    constexpr double kMilliseconds = 1000;
    mine->give_up_ms =
        entry->created_ms +
        static_cast<int64_t>(kMilliseconds * (request.limits.queue_s + request.limits.job_seconds(true)));
  }
  // It is written down: where the store does not take it now, the collector tries again, and nobody else waits for it.
  if (is_store_up_) {
    is_store_up_ = submit_phase(id, *entry, mine).has_value();
  }
  wake_.notify_all();
  return {.status = 202, .id = id};
}

Result<JournalEntry> Evaluations::prepare(const std::string& id, const EvaluationRequest& request,
                                          const ServedTask& task) {
  JournalEntry entry{.id = id, .run = request.run_id + "@" + secret_, .created_ms = now_ms()};
  AnswerFrame frame = frame_of(request, task);
  Json judged = nothing_judged(request.refines);
  const Extraction extraction =
      request.is_completion ? extract_completion(request.completion, request.language) : extract_files(request.files);
  entry.state = kDoneState;
  entry.ended_ms = entry.created_ms;
  entry.jobs = "[]";
  if (const auto* none = std::get_if<NoCandidate>(&extraction)) {
    judged = judged_without_candidate(request.refines, none->why);
  } else {
    AskedOfWorkers asked{.request = request, .task = task, .is_on_gpu = options_.is_on_gpu};
    STITCH_ASSIGN(asked.candidate, put_files(std::get<ExtractedCandidate>(extraction).files));
    frame.candidate_sha256 = sha256_hex(text_of(farm::to_json(asked.candidate)));
    STITCH_TRY(journal_->keep_files(frame.candidate_sha256, text_of(farm::to_json(asked.candidate))));
    STITCH_TRY(add_context(request, asked));
    const bool may_reuse = request.cache == "all" || (request.cache == "correctness" && !options_.is_on_gpu);
    if (!may_reuse) {
      asked.seed = derived_seed(0, secret_ + id, 0) & kLargestSeed;
    }
    if (request.has_verdict) {
      STITCH_ASSIGN(const std::vector<PhaseJob> jobs, jobs_of(asked, artefacts_));
      entry.jobs = text_of(to_json(jobs));
      entry.work = sha256_hex(entry.jobs);
      STITCH_ASSIGN(const std::optional<std::string> known,
                    may_reuse ? journal_->judged_of(entry.work) : std::optional<std::string>());
      entry.is_from_cache = known.has_value();
      entry.state = known.has_value() ? kDoneState : kOpenState;
      entry.judged = known.value_or("");
    } else {
      judged["outcome"] = "ok";
    }
  }
  if (entry.state == kDoneState && entry.judged.empty()) {
    STITCH_TRY(keep_feedback(frame, judged));
  }
  entry.frame = text_of(to_json(frame));
  entry.judged = entry.judged.empty() ? text_of(judged) : entry.judged;
  return entry;
}

Result<std::vector<farm::PlacedFile>> Evaluations::put_files(const std::vector<CandidateFile>& files) {
  std::vector<farm::PlacedFile> placed;
  for (const CandidateFile& file : files) {
    STITCH_ASSIGN(const std::string digest, artefacts_.put(file.content));
    placed.push_back({"candidate/" + file.path, digest});
  }
  return placed;
}

// As it is told, so that a refinement may name it.
Result<void> Evaluations::keep_feedback(const AnswerFrame& frame, const Json& judged) {
  const Json told = response_of({.id = "", .status = kDoneState}, frame, judged);
  STITCH_TRY(artefacts_.put(told["feedback"]["text"].get<std::string>()));
  return {};
}

// What was refined, and by what advice, are known here by their digests, from the evaluations that they came out of.
Result<void> Evaluations::add_context(const EvaluationRequest& request, AskedOfWorkers& asked) {
  if (!request.previous_sha256.empty()) {
    STITCH_ASSIGN(const std::optional<std::string> files, journal_->files_of(request.previous_sha256));
    if (!files.has_value()) {
      return failure(ErrorCode::kUsage, "context.previous_sha256 is no candidate that was evaluated here");
    }
    STITCH_ASSIGN(const Json json, parse_json(*files, "the journal of evaluations"));
    STITCH_ASSIGN(asked.previous, farm::read_files(json));
    for (farm::PlacedFile& file : asked.previous) {
      file.place.replace(0, std::string_view("candidate").size(), "previous");
    }
  }
  if (!request.feedback_sha256.empty()) {
    const bool is_known =
        farm::is_digest(request.feedback_sha256) && artefacts_.get(request.feedback_sha256).has_value();
    if (!is_known) {
      return failure(ErrorCode::kUsage, "context.feedback_sha256 is no feedback that was given here");
    }
    asked.feedback = request.feedback_sha256;
  }
  return {};
}

// False: the store is full, and the collector comes again.
Result<bool> Evaluations::submit_phase(const std::string& id, const JournalEntry& entry, const Entry& open) {
  const std::vector<PhaseJob> jobs = jobs_in(entry);
  if (static_cast<size_t>(entry.phase) >= jobs.size()) {
    STITCH_TRY(fail(id, "the journal holds no job for it"));
    return true;
  }
  const std::lock_guard handing_over(hand_over_);
  const store::JobClass job_class = options_.is_on_gpu ? store::JobClass::kDevice : store::JobClass::kBuild;
  Result<store::Submitted> submitted = [&] {
    const std::lock_guard lock(store_mutex_);
    return submitting_->submit({job_class, entry.run, jobs[static_cast<size_t>(entry.phase)].text});
  }();
  STITCH_TRY(submitted);
  const std::lock_guard lock(mutex_);
  open->submitted_ms = now_ms();
  open->job = submitted->is_full ? "" : submitted->id;
  return !submitted->is_full;
}

Result<std::optional<Json>> Evaluations::wait(const std::string& id, std::chrono::milliseconds patience,
                                              const Stop& stop) {
  const auto until = std::chrono::steady_clock::now() + patience;
  bool is_under_way = false;
  {
    std::unique_lock lock(mutex_);
    const auto found = open_.find(id);
    const Entry entry = found == open_.end() ? nullptr : found->second;
    constexpr std::chrono::milliseconds kLook{200};
    while (entry != nullptr && !entry->is_prepared && !entry->has_ended && !stop.is_wished()) {
      entry->ended.wait_for(lock, kLook);  // until the journal knows it: the same request came twice at once
    }
    while (entry != nullptr && !entry->has_ended && !stop.is_wished() && std::chrono::steady_clock::now() < until) {
      entry->ended.wait_until(lock, std::min(until, std::chrono::steady_clock::now() + kLook));
    }
    is_under_way = entry != nullptr && !entry->has_ended && entry->job.size() > 0;
  }
  STITCH_ASSIGN(const std::optional<JournalEntry> entry, journal_->find(id));
  if (!entry.has_value()) {
    return std::optional<Json>();
  }
  STITCH_ASSIGN(const Json frame_json, parse_json(entry->frame, "the journal of evaluations"));
  STITCH_ASSIGN(const AnswerFrame frame, answer_frame_from_json(frame_json));
  const bool is_open = entry->state == kOpenState;
  constexpr double kMilliseconds = 1000;
  const AnswerState state{
      .id = id,
      .status = is_open ? (is_under_way && entry->phase > 0 ? "running" : "queued") : entry->state,
      .total_s = static_cast<double>((is_open ? now_ms() : entry->ended_ms) - entry->created_ms) / kMilliseconds,
      .is_from_cache = entry->is_from_cache};
  return std::optional<Json>(response_of(state, frame, is_open ? nothing_judged(false) : judged_of(*entry)));
}

Result<bool> Evaluations::cancel(const std::string& id) {
  STITCH_ASSIGN(std::optional<JournalEntry> entry, journal_->find(id));
  if (!entry.has_value() || entry->state != kOpenState) {
    return entry.has_value();
  }
  entry->state = kCancelledState;
  entry->ended_ms = now_ms();
  entry->judged = text_of(nothing_judged(false));
  STITCH_TRY(journal_->change(*entry));
  std::string job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) {
      return true;
    }
    job = found->second->job;
    found->second->has_ended = true;
    found->second->ended.notify_all();
    open_.erase(found);
  }
  counters_.add_cancelled();
  if (!job.empty() && waiting_for(entry->run, job).empty()) {
    const std::lock_guard lock(store_mutex_);
    STITCH_TRY(submitting_->drop(entry->run, {job}));
  }
  return true;
}

std::string Evaluations::metrics_text() {
  const Counters::Now now{.open = static_cast<int64_t>(open_count()),
                          .max_open = static_cast<int64_t>(options_.max_open),
                          .is_draining = is_draining_,
                          .is_store_up = is_store_up_};
  if (!now.is_store_up) {
    return counters_.prometheus_text(now, nullptr);
  }
  const Result<store::Counts> counts = [&] {
    const std::lock_guard lock(store_mutex_);
    return submitting_->counts();
  }();
  return counters_.prometheus_text(now, counts.has_value() ? &*counts : nullptr);
}

}  // namespace stitch::service
