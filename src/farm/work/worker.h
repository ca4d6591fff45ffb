// SPDX-License-Identifier: Apache-2.0
// Takes jobs out of a store, one after the other, until it is told to drain.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "farm/metrics/worker_metrics.h"
#include "farm/place/gpu_place.h"
#include "farm/work/run_job.h"
#include "store/interface/store.h"

namespace stitch::farm {

struct WorkerOptions {
  std::string store_url;
  store::JobClass job_class = store::JobClass::kBuild;
  std::string name;      // "host-1234"
  std::string device{};  // its kind, "NVIDIA H200", "emulated"; empty for builds
  int64_t lease_ms = 30'000;
  int64_t look_ms = 1'000;               // for leases that ran out, of which nobody tells, and whether it shall drain
  int64_t beat_ms = 2'000;               // a cancellation is heard of within this time
  std::optional<double> life_seconds{};  // begins to drain then
  double grace_seconds = 45;             // how long the job under way has once it drains; then it is given back
  std::optional<int64_t> max_jobs{};
  int canary_every = 50;  // jobs
  JobPlace place;
};

// Told to end: from a signal's thread, or by its own clock.
class Drain {
 public:
  using Clock = std::chrono::steady_clock;
  // The job under way has that long.
  void begin(double grace_seconds);
  bool has_begun() const { return has_begun_; }
  bool is_over() const;

 private:
  std::atomic<bool> has_begun_ = false;
  std::atomic<Clock::duration::rep> over_at_ = 0;
};

struct WorkerEvents {
  std::function<void(const std::string& sentence)> said;
};

// Returns when it has drained. An Error where the store, this machine or the GPU cannot be worked with. `gpu` and
// `canary` are those of a worker on a GPU, else null. Call from a thread that lives as long.
Result<void> work(const WorkerOptions& options, Drain& drain, WorkerMetrics& metrics, const GpuPlace* gpu,
                  const Canary& canary, const WorkerEvents& events);

}  // namespace stitch::farm
