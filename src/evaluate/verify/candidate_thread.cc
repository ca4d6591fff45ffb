// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/candidate_thread.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace stitch::evaluate {

struct CandidateThread::State {
  using Task = std::packaged_task<Result<RunResult>()>;

  State(const StartCandidate& start, CandidateBinary program, std::optional<MathMode> asked_in)
      : start_candidate(start),
        binary(std::move(program)),
        question(question_of(binary, asked_in)),
        thread([this] { work(); }) {}

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopped = true;
      changed.notify_all();
    }
    thread.join();
  }

  void put(Task task) {
    const std::lock_guard lock(mutex);
    waiting = std::move(task);
    changed.notify_all();
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stopped || waiting.valid(); });
      if (!waiting.valid()) {
        break;
      }
      Task task = std::exchange(waiting, {});
      lock.unlock();
      task();
    }
    candidate.reset();  // on the thread that made it
  }

  Result<RunResult> run(const verify::OracleDraw& draw, const RunSettings& settings) {
    if (candidate == nullptr) {
      STITCH_ASSIGN(candidate, start_candidate(binary));
    }
    return run_and_ask(*candidate, draw, settings, question);
  }

  const StartCandidate& start_candidate;
  CandidateBinary binary;
  WorkQuestion question;
  std::unique_ptr<Candidate> candidate;
  std::mutex mutex;
  std::condition_variable changed;
  Task waiting;
  bool stopped = false;
  std::thread thread;  // last: it starts when everything above is there
};

CandidateThread::CandidateThread(const StartCandidate& start_candidate, CandidateBinary binary,
                                 std::optional<MathMode> asked_in)
    : state_(std::make_unique<State>(start_candidate, std::move(binary), asked_in)) {}

CandidateThread::~CandidateThread() = default;

std::future<Result<RunResult>> CandidateThread::run(verify::OracleDraw draw, RunSettings settings) {
  State::Task task([state = state_.get(), draw = std::move(draw), settings] { return state->run(draw, settings); });
  std::future<Result<RunResult>> result = task.get_future();
  state_->put(std::move(task));
  return result;
}

}  // namespace stitch::evaluate
