// SPDX-License-Identifier: Apache-2.0
#include "bench/run/run_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace stitch::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Key = std::pair<std::string, int>;

// A machine that has run out of disk fails at every task: better to stop than to go through them all.
constexpr int kMaxFailuresOfTheWorld = 5;

class Tasks {
 public:
  Tasks(const RunSpec& spec, ResultsFile& file, const Budget& budget, const TaskEvents& events)
      : spec_(spec), file_(file), budget_(budget), events_(events), results_(file.known()) {
    pending_ = pending_of(spec, results_);
    all_ = spec.tasks.size() * static_cast<size_t>(spec.samples);
    for (const TaskResult& known : results_) {
      add_spent(known);
    }
  }

  Result<RunEnd> run(int jobs) {
    std::vector<std::thread> threads;
    for (int i = 0; i < jobs; ++i) {
      threads.emplace_back([this] { work(); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    if (error_.has_value()) {
      return failure(*error_);
    }
    return RunEnd{latest_of(spec_, results_), pending_.size() - next_, why_left_};
  }

 private:
  void work() {
    while (const std::optional<Pending> pending = take()) {
      const SuiteTask& task = spec_.tasks[pending->task];
      Result<TaskResult> result = events_.attempt(task, pending->sample);
      const std::lock_guard lock(mutex_);
      if (!result.has_value()) {
        stop(result.error());
      } else {
        keep(std::move(result).value());
      }
    }
  }

  std::optional<Pending> take() {
    const std::lock_guard lock(mutex_);
    if (error_.has_value() || next_ == pending_.size() || is_spent()) {
      return std::nullopt;
    }
    return pending_[next_++];
  }

  bool is_spent() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (budget_.seconds.has_value() && !(seconds < *budget_.seconds)) {
      why_left_ = fmt::format("the {:.0f} s of --suite-seconds are over", *budget_.seconds);
    } else if (budget_.dollars.has_value() && !(dollars_ < *budget_.dollars)) {
      why_left_ = fmt::format("{:.2f} dollars are spent (--suite-cost)", dollars_);
    } else if (budget_.tokens.has_value() && !(tokens_ < *budget_.tokens)) {
      why_left_ = fmt::format("{} tokens are used (--suite-tokens)", tokens_);
    }
    return !why_left_.empty();
  }

  void keep(TaskResult result) {
    const Result<void> kept = file_.append(result);
    if (!kept.has_value()) {
      return stop(kept.error());
    }
    world_failures_ = result.outcome == Outcome::kWorld ? world_failures_ + 1 : 0;
    if (world_failures_ >= kMaxFailuresOfTheWorld) {
      stop(Error{ErrorCode::kEnvironment,
                 fmt::format("{} tasks in a row failed for reasons outside of them, the last one: {}", world_failures_,
                             result.sentence),
                 result.where, "mend that (stitchcuda doctor), then go on with --resume"});
    }
    add_spent(result);
    results_.push_back(std::move(result));
    const std::vector<TaskResult> latest = latest_of(spec_, results_);
    events_.ended(results_.back(), latest.size(), all_);
  }

  void add_spent(const TaskResult& result) {
    dollars_ += result.spent.dollars;
    tokens_ += result.spent.prompt_tokens + result.spent.answer_tokens;
  }

  void stop(const Error& error) {
    if (!error_.has_value()) {
      error_ = error;
    }
  }

  const RunSpec& spec_;
  ResultsFile& file_;
  const Budget& budget_;
  const TaskEvents& events_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::vector<Pending> pending_;
  size_t next_ = 0;
  size_t all_ = 0;
  std::vector<TaskResult> results_;
  double dollars_ = 0;
  int64_t tokens_ = 0;
  int world_failures_ = 0;
  std::string why_left_;
  std::optional<Error> error_;
};

}  // namespace

std::vector<Pending> pending_of(const RunSpec& spec, const std::vector<TaskResult>& known) {
  std::set<Key> ended;
  for (const TaskResult& result : known) {
    if (!is_open(result.outcome)) {
      ended.emplace(result.task, result.sample);
    }
  }
  std::vector<Pending> pending;
  for (int sample = 0; sample < spec.samples; ++sample) {
    for (size_t i = 0; i < spec.tasks.size(); ++i) {
      if (!ended.contains({spec.tasks[i].id, sample})) {
        pending.push_back({i, sample});
      }
    }
  }
  return pending;
}

std::vector<TaskResult> latest_of(const RunSpec& spec, const std::vector<TaskResult>& all) {
  std::map<Key, const TaskResult*> latest;
  for (const TaskResult& result : all) {
    latest[{result.task, result.sample}] = &result;
  }
  std::vector<TaskResult> found;
  for (const SuiteTask& task : spec.tasks) {
    for (int sample = 0; sample < spec.samples; ++sample) {
      const auto result = latest.find({task.id, sample});
      if (result != latest.end()) {
        found.push_back(*result->second);
      }
    }
  }
  return found;
}

Result<RunEnd> run_tasks(const RunSpec& spec, ResultsFile& file, int jobs, const Budget& budget,
                         const TaskEvents& events) {
  return Tasks(spec, file, budget, events).run(jobs);
}

}  // namespace stitch::bench
