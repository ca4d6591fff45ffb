// SPDX-License-Identifier: Apache-2.0
// A Python process that looks at tasks, one after the other, for as long as its memory stays small. What a task does to
// it (it hangs, crashes, grows) costs that task alone: the next one gets a new process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "driver/job/job.h"
#include "synth/filters/task_facts.h"

namespace stitch::synth {

using NamedSizes = std::vector<std::pair<std::string, int64_t>>;

struct TaskText {
  const std::string& source;
  std::string name;  // what messages call it
  NamedSizes sizes{};
};

class TaskProcess {
 public:
  // Both must outlive it.
  TaskProcess(const driver::Options& options, const driver::Services& services)
      : options_(options), services_(services) {}

  // A task that ends the process is one that failed; an Error is the world's.
  Result<TaskFacts> look(const TaskText& task);
  struct Fallen {
    std::string filter{};  // empty: it passed
    std::string why{};
  };
  Result<Fallen> try_out(const TaskText& task, uint64_t seed, const std::vector<std::string>& backends);
  // Milliseconds of an eager call on a GPU, and its name. kEnvironment where there is none.
  struct Measured {
    double ms = 0;
    std::string device{};
  };
  Result<Measured> measure(const TaskText& task, uint64_t seed);
  // Any other verb; the process begins anew after it where it fails.
  Result<Json> ask(const std::string& verb, const Json& arguments);

 private:
  driver::Job& job();

  const driver::Options& options_;
  const driver::Services& services_;
  std::unique_ptr<driver::Job> job_;
};

}  // namespace stitch::synth
