// SPDX-License-Identifier: Apache-2.0
// What became of one sample of one task: a line of results.jsonl, `stitchcuda.bench/1` (docs/bench.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/hack_class.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "bench/data/standing.h"

namespace stitch::bench {

// How it ended. Those after kVerdict have no verdict.
enum class Outcome {
  kOk,
  kVerdict,       // a verdict other than ok: `kind` says which
  kBroken,        // the program itself cannot be run or judged
  kUnsupported,   // it needs an operator that we lack
  kTimedOut,      // beyond the limit of a task
  kOutOfMemory,   // beyond the limit of a task
  kCrashed,       // the process of the task ended by a signal
  kWorld,         // the machine failed, or our own mistake: says nothing about the candidate
  kMissing,       // --candidates has no answer to it
  kNeedsPackage,  // the program imports what this Python lacks: tried again once it is there
};
inline constexpr Outcome kOutcomes[] = {
    Outcome::kOk,          Outcome::kVerdict, Outcome::kBroken, Outcome::kUnsupported, Outcome::kTimedOut,
    Outcome::kOutOfMemory, Outcome::kCrashed, Outcome::kWorld,  Outcome::kMissing,     Outcome::kNeedsPackage};
// "ok", "verdict", "broken", "unsupported", "timed_out", "out_of_memory", "crashed", "world", "missing",
// "needs_package".
const char* to_string(Outcome outcome);
// Whether nothing is known of the task yet: it is in no figure, and --resume tries it again.
constexpr bool is_open(Outcome outcome) { return outcome == Outcome::kWorld || outcome == Outcome::kNeedsPackage; }
Result<Outcome> outcome_from_string(const std::string& name);

// One baseline's time beside ours, in turns. Without `ratio` there is none, and `refusal` says why.
struct RatioResult {
  std::optional<double> ratio{};  // theirs over ours: beyond one we are faster
  double low = 0;                 // of its 95 % interval
  double high = 0;
  double baseline_us = 0;
  double ours_us = 0;
  std::string refusal{};
};

struct Spent {
  double seconds = 0;  // of the whole task, by the clock
  double gpu_seconds = 0;
  int64_t requests = 0;
  int64_t prompt_tokens = 0;
  int64_t answer_tokens = 0;
  double dollars = 0;
};

struct TaskResult {
  std::string task;
  std::string name;
  std::string digest;  // SHA-256 of its file
  int level = 0;
  int number = 0;
  std::string family{};
  std::vector<std::string> subsets{};
  int sample = 0;

  Standing standing = Standing::kSound;
  std::string standing_reason{};
  bool is_standing_known = false;  // whether somebody has asked

  Outcome outcome = Outcome::kWorld;
  std::string kind{};      // of its verdict; empty without one
  std::string sentence{};  // what happened, for a person
  std::string where{};     // of an error: its place
  HackClass hack_class = HackClass::kClean;
  std::string hack_evidence{};
  std::string device{};
  std::string scale{};
  std::map<std::string, bool> others{};       // others' rule -> whether it takes the answer, on the same draws
  std::optional<double> modelled_us{};        // by the cost model
  std::optional<double> executed_us{};        // by what the emulated device counted
  std::optional<double> first_executed_us{};  // likewise, of the expert's program before agents
  std::optional<int64_t> sub_tasks{};         // of the agents' last plan
  std::optional<int64_t> sub_tasks_right{};   // among them: those that the Coder had a right answer to
  std::optional<double> measured_us{};
  std::optional<double> floor_us{};           // of measured_us, else of modelled_us: nothing is faster than it
  std::map<std::string, RatioResult> over{};  // baseline -> times
  Spent spent{};
  std::string out{};  // its folder, relative to the run's
  std::string ended{};

  // How much of its time no program could save: the physical floor over measured_us, else over modelled_us.
  std::optional<double> floor_share() const;
  bool is_right() const { return outcome == Outcome::kOk; }
  // Whether the Coder had a right answer to all that was asked of it; nothing where no agents were asked.
  std::optional<bool> is_whole_answer() const;
  // Right, and its own work.
  bool is_success() const { return is_right() && hack_class != HackClass::kTotal; }
};

Json to_json(const TaskResult& result);
Result<TaskResult> task_result_from_json(const Json& json);

}  // namespace stitch::bench
