// SPDX-License-Identifier: Apache-2.0
// The figures of a run, each under its name, made of its results alone. Only sound tasks enter a mean; the others have
// a line each. What is measured and what is modelled never stand in one table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "bench/figures/statistics.h"
#include "bench/record/task_result.h"

namespace stitch::bench {

// The p of the fast_p curve.
inline constexpr double kSpeedups[] = {0.0, 0.5, 0.8, 1.0, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0};

// Of one baseline. A ratio counts as faster than p only where the lower end of its interval is beyond p, and never
// where the answer is a total hack.
struct BaselineFigures {
  int64_t timed = 0;    // tasks that have a ratio, or failed, in every sample
  int64_t untimed = 0;  // tasks with a right answer whose time may not be told: in no figure here
  Interval fast_1;
  std::vector<double> fast_p;          // for each of kSpeedups
  std::optional<Interval> arithmetic;  // mean of ratios, failures as 0 (StitchCUDA's)
  std::optional<Interval> geometric;   // mean of ratios over right answers (CUDA Agent's)
  std::map<int64_t, double> fast_at;   // fast@k by k
};

// How much of their times right answers could not save, by the physical floor of each.
struct FloorFigures {
  int64_t samples = 0;
  Interval share;  // geometric mean of floor over time
};

// What the Coder answered by itself. A sub-task without a right answer keeps the program that was there before agents,
// so that the verdict alone does not tell.
struct CoderFigures {
  int64_t samples = 0;  // that agents were asked about
  int64_t sub_tasks = 0;
  int64_t sub_tasks_right = 0;
  Interval whole;  // share of tasks whose sub-tasks are all answered right, samples averaged
};

struct GroupFigures {
  std::string name;  // "all", "level 1", "family conv", "subset stitchcuda"
  int64_t tasks = 0;
  int64_t samples = 0;                // of all of them
  int64_t right = 0;                  // samples with the verdict ok
  Interval success;                   // share of tasks with an answer that is right and its own work, samples averaged
  std::map<int64_t, double> pass_at;  // pass@k by k, for every k that all tasks have samples for
  int64_t partial_hacks = 0;          // samples
  int64_t total_hacks = 0;
  std::map<std::string, int64_t> others;    // others' rule -> samples whose answer it takes
  int64_t asked_others = 0;                 // samples of which that is known
  std::map<std::string, int64_t> failures;  // outcome, or the verdict's kind -> samples
  std::map<std::string, BaselineFigures> over;
  std::optional<CoderFigures> coder;
  std::optional<Interval> modelled_gain;      // emulated: geometric mean of first over best, as counted
  int64_t modelled = 0;                       // samples of that
  std::map<std::string, FloorFigures> floor;  // "measured", "modelled": the kind of the times
  Spent spent;
  std::optional<double> dollars_a_success;

  // "8 partial / 0 total of 50"
  std::string hacks() const;
};

// A task that is in no mean.
struct AsideLine {
  std::string task;
  Standing standing = Standing::kSound;
  std::string reason;
  std::string outcome;  // as in `failures`, or "ok"; of several samples with commas between
};

struct Figures {
  std::vector<GroupFigures> groups;  // "all" first
  std::vector<AsideLine> aside;
  int64_t world = 0;  // samples that the machine failed at: in no figure
};

// kInternal where a ratio is no number. Samples that the machine failed at are left out and counted.
Result<Figures> figures_of(const std::vector<TaskResult>& results);

Json to_json(const Figures& figures);

}  // namespace stitch::bench
