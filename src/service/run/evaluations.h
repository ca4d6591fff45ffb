// SPDX-License-Identifier: Apache-2.0
// Evaluations from their admission to their end: each is written down, then submitted to the store job by job; whoever
// waits is woken. All calls are safe from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/parallel/crew.h"
#include "base/process/stop.h"
#include "service/journal/journal.h"
#include "service/outcome/response.h"
#include "service/run/counters.h"
#include "service/run/jobs_of.h"

namespace stitch::service {

// What the model that may lower marks says of a right candidate: `stitchcuda.score/1` with its reply, or why there is
// none. `score` is what the evidence gave.
using AskJudge = std::function<Result<Json>(const ServedTask& task, const std::vector<farm::PlacedFile>& candidate,
                                            const Json& score)>;

struct EvaluationsOptions {
  std::string store_url;
  std::string artefacts;
  std::filesystem::path journal;
  bool is_on_gpu = false;
  size_t max_open = 1000;  // more are refused: 429
  EvaluationLimits limits{};
  std::string profile = "stitch_v1";  // of who names none
  int64_t keep_ms = int64_t{7} * 24 * 3600 * 1000;
  int64_t submit_again_ms = 30'000;  // for a store that lost what it had
  AskJudge judge{};                  // empty: marks are those of the evidence
};

// A store that does not answer for so long is down: evaluations wait in the journal meanwhile.
inline constexpr int64_t kStorePatienceMs = 800;

// What becomes of a request before anything is judged.
struct Admission {
  int status = 202;  // or 400, 409, 429, 503
  std::string id;    // of 202
  std::string sentence{};
  int retry_after_s = 0;  // of 429 and 503
};

class Evaluations {
 public:
  // `tasks` must outlive it. Goes on with what an earlier process left open. kEnvironment where store or journal cannot
  // be used.
  static Result<std::unique_ptr<Evaluations>> open(const EvaluationsOptions& options, const TaskList& tasks);
  ~Evaluations();

  Admission admit(const Json& body);
  // The answer as it is once the evaluation has ended, after so long, or once the stop is wished for. nullopt: there is
  // none of this id.
  Result<std::optional<Json>> wait(const std::string& id, std::chrono::milliseconds patience, const Stop& stop);
  // Whether there was one. One that has ended stays as it is.
  Result<bool> cancel(const std::string& id);

  void drain() { is_draining_ = true; }
  bool is_draining() const { return is_draining_; }
  size_t open_count() const;
  bool is_store_up() const { return is_store_up_; }
  Counters& counters() { return counters_; }
  std::string metrics_text();

 private:
  // In memory as long as it is open.
  struct Open {
    std::string body_sha256;
    std::string store_run;
    std::string job;  // its id in the store; empty: none is under way
    bool is_prepared = false;
    int64_t submitted_ms = 0;
    int64_t give_up_ms = 0;
    std::condition_variable ended;  // or written down
    bool has_ended = false;
  };
  using Entry = std::shared_ptr<Open>;

  Evaluations(const EvaluationsOptions& options, const TaskList& tasks)
      : options_(options), tasks_(tasks), artefacts_(std::filesystem::absolute(options.artefacts)) {}
  Result<void> begin();
  Admission reserve(const std::string& id, const std::string& body_sha256, Entry* mine);
  Admission take_reserved(const std::string& id, const EvaluationRequest& request, const ServedTask& task,
                          const Entry& mine);
  Result<JournalEntry> prepare(const std::string& id, const EvaluationRequest& request, const ServedTask& task);
  Result<std::vector<farm::PlacedFile>> put_files(const std::vector<CandidateFile>& files);
  Result<void> keep_feedback(const AnswerFrame& frame, const Json& judged);
  Result<void> add_context(const EvaluationRequest& request, AskedOfWorkers& asked);
  Result<bool> submit_phase(const std::string& id, const JournalEntry& entry, const Entry& open);
  void give_back_place(const std::string& id, const Entry& open);

  void collect();
  Result<void> collect_once(store::Store& store);
  Result<bool> collect_run(store::Store& store, const std::string& run);
  void look_after(int64_t now_ms);
  Result<void> advance(const std::string& id, const store::Ended& ended);
  Result<void> go_on(JournalEntry entry, Json judged);
  void ask_judge(JournalEntry entry, Json judged, Json score);
  Result<void> end(JournalEntry entry, Json judged);
  Result<void> fail(const std::string& id, const std::string& why);
  std::vector<std::string> waiting_for(const std::string& run, const std::string& job) const;
  std::set<std::string> runs() const;

  const EvaluationsOptions options_;
  const TaskList& tasks_;
  const farm::Artefacts artefacts_;
  std::unique_ptr<Journal> journal_;
  std::string secret_;
  Counters counters_;
  std::mutex store_mutex_;  // for the next one
  std::unique_ptr<store::Store> submitting_;
  // Held from when ended jobs are read until they are dropped, and while one is submitted: the same job, submitted
  // between the two, would be dropped with the other.
  std::recursive_mutex hand_over_;
  std::atomic<bool> is_draining_ = false;
  std::atomic<bool> is_store_up_ = true;
  mutable std::mutex mutex_;  // for what follows
  std::condition_variable wake_;
  std::map<std::string, Entry> open_;
  bool is_over_ = false;
  size_t next_run_ = 0;  // of the collector: whose turn to be waited for it is
  std::thread collector_;
  Crew judges_;  // last: its threads use the others
};

}  // namespace stitch::service
