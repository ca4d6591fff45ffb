// SPDX-License-Identifier: Apache-2.0
// The front end's side: jobs submitted from several threads, each of which waits for the end of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "farm/artefacts/artefacts.h"
#include "farm/job/job_result.h"
#include "store/interface/store.h"

namespace stitch::farm {

struct AskerOptions {
  std::string store_url;
  std::string artefacts;
  std::string run;       // fair turns are between runs; one that goes on takes up what it submitted before
  std::string device{};  // the kind that all of the run's device jobs need; empty: that of the first
};

// What is known of a job's end.
struct Answered {
  JobResult result;
  std::string parked{};  // the world's failure; empty: `result` holds
};

class Asker {
 public:
  static Result<std::unique_ptr<Asker>> open(const AskerOptions& options);
  ~Asker();

  const Artefacts& artefacts() const { return artefacts_; }
  // Waits for the end. The job's files have been put before. `is_unwanted` is asked several times a second; once it
  // holds the job is cancelled, with kInterrupted. An Error where the store is lost.
  Result<Answered> ask(const Job& job, store::JobClass job_class, const std::function<bool()>& is_unwanted);

 private:
  explicit Asker(const AskerOptions& options)
      : options_(options), artefacts_(std::filesystem::absolute(options.artefacts)) {}
  Result<std::string> submit(const Job& job, store::JobClass job_class, const std::function<bool()>& is_unwanted);
  void collect();
  Result<void> collect_once();

  const AskerOptions options_;
  const Artefacts artefacts_;
  std::unique_ptr<store::Store> collecting_;  // these two are of the thread that collects
  int left_over_ = 0;                         // ended jobs that nobody here waits for, which come first
  std::mutex store_mutex_;                    // for the next one
  std::unique_ptr<store::Store> submitting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> waited_for_;      // id -> how many threads
  std::map<std::string, store::Ended> ended_;  // of those
  std::optional<Error> lost_;
  bool is_over_ = false;
  std::thread collector_;
};

}  // namespace stitch::farm
