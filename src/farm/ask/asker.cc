// SPDX-License-Identifier: Apache-2.0
#include "farm/ask/asker.h"

#include <chrono>

#include "store/open/open_store.h"

namespace stitch::farm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{200};
constexpr int64_t kCollectMs = 500;
constexpr int kCollectAtOnce = 100;
// A store that came back without what it had knows nothing of the job: it is submitted again.
constexpr std::chrono::seconds kSubmitAgain{30};

}  // namespace

Result<std::unique_ptr<Asker>> Asker::open(const AskerOptions& options) {
  std::unique_ptr<Asker> asker(new Asker(options));
  STITCH_ASSIGN(asker->collecting_, store::open_store(options.store_url));
  STITCH_ASSIGN(asker->submitting_, store::open_store(options.store_url));
  asker->collector_ = std::thread([&self = *asker] { self.collect(); });
  return asker;
}

Asker::~Asker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  if (collector_.joinable()) {
    collector_.join();
  }
}

void Asker::collect() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) {
        return;
      }
    }
    const Result<void> collected = collect_once();
    if (!collected.has_value()) {
      const std::lock_guard lock(mutex_);
      lost_ = collected.error();
      changed_.notify_all();
      return;
    }
  }
}

// Those that nobody here waits for stay in the store: this run goes on from an earlier one, and may ask for them yet.
Result<void> Asker::collect_once() {
  STITCH_ASSIGN(std::vector<store::Ended> ended, collecting_->ended(options_.run, kCollectAtOnce + left_over_));
  std::vector<std::string> taken;
  for (store::Ended& each : ended) {
    const std::string id = each.id;
    {
      const std::lock_guard lock(mutex_);
      if (!waited_for_.contains(id)) {
        continue;
      }
      ended_[id] = std::move(each);
    }
    taken.push_back(id);
    changed_.notify_all();
  }
  left_over_ = static_cast<int>(ended.size() - taken.size());
  return taken.empty() ? collecting_->wait_for_ended(options_.run, kCollectMs) : collecting_->drop(options_.run, taken);
}

Result<std::string> Asker::submit(const Job& job, store::JobClass job_class, const std::function<bool()>& is_unwanted) {
  const store::Submission submission{job_class, options_.run, to_text(job), options_.device};
  while (true) {
    {
      const std::lock_guard lock(store_mutex_);
      STITCH_ASSIGN(store::Submitted submitted, submitting_->submit(submission));
      if (!submitted.is_full) {
        return submitted.id;
      }
    }
    if (is_unwanted()) {
      return failure(ErrorCode::kInterrupted, "the job was cancelled before the store had room for it");
    }
    std::this_thread::sleep_for(kLook);
  }
}

Result<Answered> Asker::ask(const Job& job, store::JobClass job_class, const std::function<bool()>& is_unwanted) {
  STITCH_ASSIGN(const std::string id, submit(job, job_class, is_unwanted));
  std::unique_lock lock(mutex_);
  ++waited_for_[id];
  bool is_given_up = false;
  for (Clock::time_point submitted = Clock::now(); !ended_.contains(id) && !lost_.has_value() && !is_given_up;) {
    changed_.wait_for(lock, kLook);
    is_given_up = is_unwanted();
    if (Clock::now() - submitted > kSubmitAgain && !ended_.contains(id)) {
      submitted = Clock::now();
      lock.unlock();
      const Result<std::string> again = submit(job, job_class, is_unwanted);
      lock.lock();
      if (!again.has_value()) {
        lost_ = lost_.has_value() ? lost_ : std::optional(again.error());
      }
    }
  }
  const auto found = ended_.find(id);
  const std::optional<store::Ended> ended = found == ended_.end() ? std::optional<store::Ended>() : found->second;
  if (--waited_for_[id] == 0) {
    waited_for_.erase(id);
    ended_.erase(id);
  }
  if (!ended.has_value()) {
    const Error error = lost_.has_value() ? *lost_ : Error{ErrorCode::kInterrupted, "the job was cancelled", "", ""};
    lock.unlock();
    const std::lock_guard store_lock(store_mutex_);
    static_cast<void>(submitting_->drop(options_.run, {id}));
    return failure(error);
  }
  if (ended->state == store::JobState::kParked) {
    return Answered{.result = {}, .parked = ended->text};
  }
  Result<JobResult> result = read_job_result(ended->text);
  return result.has_value() ? Answered{.result = std::move(result).value()}
                            : Answered{.result = {}, .parked = result.error().message};
}

}  // namespace stitch::farm
