// SPDX-License-Identifier: Apache-2.0
// Where jobs wait for workers. A job is a text that the store does not read, known by its digest. What an operation
// says holds once it has returned: a process that dies between two of them loses nothing but its lease.
//
//   front end    submit -> ended -> drop          worker    pull -> beat ... -> complete, or give_back
//
// A Store belongs to one thread; several processes and threads each open their own over the same place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "store/interface/job_state.h"

namespace stitch::store {

struct Submission {
  JobClass job_class = JobClass::kBuild;
  std::string run;       // who asks: turns are fair between runs, and each reads its own ended jobs
  std::string content;   // at most kMaxContentBytes
  std::string device{};  // the kind of device that all jobs of this run need; empty: that of its first
};

struct Submitted {
  std::string id;        // SHA-256 of the content
  bool is_full = false;  // nothing was taken: too many of this class wait. Come again later.
  bool is_new = false;   // false: the same content is known, and this run is told of its end, too
};

struct Puller {
  JobClass job_class = JobClass::kBuild;
  std::string worker;
  std::string device{};  // its kind of device, as "NVIDIA H200"
  int64_t lease_ms = 30'000;
};

struct Lease {
  std::string id;
  int64_t token = 0;  // of this delivery
  std::string run;
  std::string content;
  int delivery = 1;  // which one this is
};

struct Ended {
  std::string id;
  JobState state = JobState::kDone;  // or kParked
  std::string text;                  // the result; of a parked job, why
  int deliveries = 0;
};

struct Counts {
  // "build" and "device" -> jobs now, and since the store was made.
  struct OfClass {
    int64_t waiting = 0, leased = 0;
    int64_t submitted = 0, done = 0, parked = 0, taken_over = 0;
  };
  std::map<JobClass, OfClass> of_class;
};

enum class GivenBack { kUncounted, kCounted };  // a worker that drains; a delivery that failed

class Store {
 public:
  virtual ~Store() = default;

  // The same content twice is one job.
  virtual Result<Submitted> submit(const Submission& submission) = 0;
  // A job of the run that has the fewest under way, the oldest first. Leases that ran out are taken over; who was
  // delivered kMaxDeliveries times and never ended is parked.
  virtual Result<std::optional<Lease>> pull(const Puller& puller) = 0;
  // False: the job is another's by now, has ended, or nobody wants it any longer; what works on it shall stop.
  virtual Result<bool> beat(const Lease& lease, int64_t lease_ms) = 0;
  // The result and the end of the lease in one step. False as above: then the result is not taken.
  virtual Result<bool> complete(const Lease& lease, const std::string& result) = 0;
  virtual Result<bool> give_back(const Lease& lease, GivenBack how, const std::string& why) = 0;
  // Jobs that this run submitted and did not drop, and that have ended; the first to end first.
  virtual Result<std::vector<Ended>> ended(const std::string& run, int max) = 0;
  // This run does not want these jobs any longer. One that no run wants is gone, in whatever state: that is to cancel
  // it.
  virtual Result<void> drop(const std::string& run, const std::vector<std::string>& ids) = 0;
  virtual Result<Counts> counts() = 0;

  // Return once something may have happened, or after that long.
  virtual Result<void> wait_for_work(JobClass job_class, int64_t timeout_ms) = 0;
  virtual Result<void> wait_for_ended(const std::string& run, int64_t timeout_ms) = 0;
};

inline constexpr int kMaxDeliveries = 3;
inline constexpr size_t kMaxContentBytes = 1u << 20;
inline constexpr size_t kMaxRunBytes = 200;

struct StoreOptions {
  std::map<JobClass, int64_t> max_waiting{{JobClass::kBuild, 20'000}, {JobClass::kDevice, 20'000}};
  int64_t keep_ms = int64_t{7} * 24 * 3600 * 1000;  // ended jobs that nobody drops
  int64_t patience_ms = 30'000;                     // for a store that does not answer
  std::function<int64_t()> clock_ms{};              // of tests; empty: the store's own
};

// kUsage where a submission is none; shared by all stores.
Result<void> check(const Submission& submission);
// "3 workers took this job and none ended it; the last, w1: ..."
std::string parked_sentence(int deliveries, const std::string& worker, const std::string& why);
inline constexpr const char* kNotHeardOf = "it was not heard of again";

}  // namespace stitch::store
