// SPDX-License-Identifier: Apache-2.0
// Plans by times that ship with us, or that a text file names: nothing is measured here.
#pragma once

#include <optional>
#include <string>

#include "driver/job/job.h"
#include "driver/time/planned_by.h"
#include "tuning/shipped/shipped_times.h"

namespace stitch::driver {

// Whether --tuning-database names times as text (`stitchcuda tune export`), which take the place of those that ship.
bool names_times_text(const Job& job);

// By what a plan's steps were chosen, of those that a call runs.
struct ChoiceCounts {
  int same = 0;     // times of this very step
  int similar = 0;  // of one that differs in extents
  int steps = 0;
};

class Shipped {
 public:
  // Nothing where no times ship for the GPU here, or another one is planned for. With a text that is named, a GPU of
  // the kind that is planned for is enough. kFileInvalid for a text that cannot be read.
  static Result<std::optional<Shipped>> open(const Job& job, MathMode math);

  bool is_empty() const { return times_.is_empty(); }  // of other devices and modes alone
  // As the planner asks for them.
  std::optional<double> us(const std::string& signature, const plan::Setting& setting) const {
    return times_.us(signature, setting);
  }
  // Takes over times of similar steps for those of the plan that have none. Whether there were any: the program is
  // then to be planned again.
  Result<bool> carry_over(const plan::Plan& plan);
  // Planned until no more is carried over.
  Result<plan::Plan> plan(const PlannedBy& planned_by);

  // Takes the times of similar steps out of a plan that was made by them: nobody has measured its own. `measured`: what
  // is known of them otherwise.
  void remove_carried(plan::Plan& plan, const plan::MeasuredTimes& measured) const;
  ChoiceCounts count(const plan::Plan& plan) const;
  // "2 of 3 steps by the times of NVIDIA H200 that ship, 1 by those of a similar step".
  std::string describe(const plan::Plan& plan) const;

 private:
  Shipped(tuning::ShippedTimes times, std::string source) : times_(std::move(times)), source_(std::move(source)) {}

  tuning::ShippedTimes times_;
  std::string source_;  // "the shipped database for NVIDIA H200"
};

struct UntunedPlan {
  plan::Plan plan;
  std::string times;  // Shipped::describe(); empty: by estimates alone
};
// By times that ship, where there are any, else by estimates; the job is told which.
Result<UntunedPlan> plan_untuned(Job& job, MathMode math, const PlannedBy& planned_by);

}  // namespace stitch::driver
