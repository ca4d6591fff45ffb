// SPDX-License-Identifier: Apache-2.0
#include "farm/work/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text/printable.h"
#include "farm/work/heartbeat.h"
#include "store/open/open_store.h"

namespace stitch::farm {
namespace {

using Clock = Drain::Clock;

constexpr size_t kMaxSentence = 500;

std::chrono::milliseconds milliseconds(double seconds) {
  constexpr double kMilliseconds = 1000;
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * kMilliseconds));
}

class Worker {
 public:
  Worker(const WorkerOptions& options, Drain& drain, WorkerMetrics& metrics, const GpuPlace* gpu, const Canary& canary,
         const WorkerEvents& events)
      : options_(options), drain_(drain), metrics_(metrics), gpu_(gpu), canary_(canary), events_(events) {}

  Result<void> run() {
    STITCH_ASSIGN(store_, store::open_store(options_.store_url));
    STITCH_TRY(ask_canary());
    const store::Puller puller{options_.job_class, options_.name, options_.device, options_.lease_ms};
    int64_t jobs = 0;
    while (!should_drain(jobs)) {
      STITCH_ASSIGN(const std::optional<store::Lease> lease, store_->pull(puller));
      if (!lease.has_value()) {
        STITCH_TRY(store_->wait_for_work(options_.job_class, options_.look_ms));
        continue;
      }
      ++jobs;
      metrics_.is_busy = true;
      const Clock::time_point begun = Clock::now();
      const Result<void> done = take(*lease);
      metrics_.busy_ms += std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count();
      metrics_.is_busy = false;
      STITCH_TRY(done);
      if (gpu_ != nullptr && ++since_canary_ >= options_.canary_every) {
        STITCH_TRY(ask_canary());
      }
    }
    return {};
  }

 private:
  bool should_drain(int64_t jobs) {
    const bool is_old =
        options_.life_seconds.has_value() && Clock::now() - begun_ > milliseconds(*options_.life_seconds);
    if (is_old || (options_.max_jobs.has_value() && jobs >= *options_.max_jobs)) {
      drain_.begin(options_.grace_seconds);
    }
    metrics_.is_draining = drain_.has_begun();
    return drain_.has_begun();
  }

  // The time that this worker lives may end while a job is under way.
  bool is_grace_over() {
    if (options_.life_seconds.has_value() && !drain_.has_begun() &&
        Clock::now() - begun_ > milliseconds(*options_.life_seconds)) {
      drain_.begin(options_.grace_seconds);
    }
    return drain_.is_over();
  }

  Result<void> ask_canary() {
    since_canary_ = 0;
    if (gpu_ == nullptr) {
      return {};
    }
    Result<void> checked = gpu_->check(canary_);
    metrics_.is_quarantined = !checked.has_value();
    return checked;
  }

  Result<void> take(const store::Lease& lease) {
    const std::string name = lease.id.substr(0, 12);
    const Result<Job> job = read_job(lease.content);
    if (!job.has_value()) {
      ++metrics_.refused;
      events_.said(fmt::format("{}: refused: {}", name, job.error().message));
      return complete(lease, JobResult{.refusal = job.error().message});
    }
    bool is_given_up = false;
    Result<JobRun> run = [&] {
      const Heartbeat heartbeat(options_.store_url, lease, options_.lease_ms, options_.beat_ms);
      return run_job(options_.place, *job, [&] {
        is_given_up = is_grace_over();
        return is_given_up || heartbeat.is_lost();
      });
    }();
    if (!run.has_value()) {
      static_cast<void>(store_->give_back(lease, store::GivenBack::kCounted, run.error().message));
      return failure(run.error());
    }
    if (run->is_unwanted) {
      return stop(lease, is_given_up);
    }
    if (!run->world.empty()) {
      return give_back(lease, run->world);
    }
    events_.said(
        fmt::format("{}: {} ended in {:.1f} s with {}", name, job->verb, run->result.seconds, run->result.exit_code));
    return complete(lease, std::move(run->result));
  }

  Result<void> complete(const store::Lease& lease, JobResult result) {
    result.worker = options_.name;
    result.device = options_.device;
    result.delivery = lease.delivery;
    STITCH_ASSIGN(const bool is_taken, store_->complete(lease, to_text(result)));
    ++(is_taken ? metrics_.done : metrics_.cancelled);
    return {};
  }

  Result<void> stop(const store::Lease& lease, bool is_given_up) {
    if (!is_given_up) {
      ++metrics_.cancelled;
      events_.said(fmt::format("{}: nobody wants it any longer", lease.id.substr(0, 12)));
      return {};
    }
    ++metrics_.given_back;
    STITCH_TRY(store_->give_back(lease, store::GivenBack::kUncounted, "its worker ended"));
    return {};
  }

  // Who fails a job may be ill: the canary is asked before another job is taken.
  Result<void> give_back(const store::Lease& lease, const std::string& why) {
    ++metrics_.given_back;
    events_.said(fmt::format("{}: given back: {}", lease.id.substr(0, 12), why));
    STITCH_TRY(store_->give_back(lease, store::GivenBack::kCounted, printable_line(why, kMaxSentence)));
    return ask_canary();
  }

  const WorkerOptions& options_;
  Drain& drain_;
  WorkerMetrics& metrics_;
  const GpuPlace* gpu_;
  const Canary& canary_;
  const WorkerEvents& events_;
  const Clock::time_point begun_ = Clock::now();
  std::unique_ptr<store::Store> store_;
  int since_canary_ = 0;
};

}  // namespace

// The first word counts: a signal that comes again does not prolong it, but may shorten it.
void Drain::begin(double grace_seconds) {
  const Clock::rep over = (Clock::now() + milliseconds(grace_seconds)).time_since_epoch().count();
  over_at_ = has_begun_ ? std::min(over_at_.load(), over) : over;
  has_begun_ = true;
}

bool Drain::is_over() const { return has_begun_ && Clock::now().time_since_epoch().count() >= over_at_; }

Result<void> work(const WorkerOptions& options, Drain& drain, WorkerMetrics& metrics, const GpuPlace* gpu,
                  const Canary& canary, const WorkerEvents& events) {
  return Worker(options, drain, metrics, gpu, canary, events).run();
}

}  // namespace stitch::farm
