// SPDX-License-Identifier: Apache-2.0
// What each step of a program costs, and against what: counted work and the roofline anywhere, measured times only on a
// GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/task/task.h"
#include "driver/profile/ladder_of.h"
#include "driver/time/executed_time.h"
#include "driver/time/step_cost.h"

namespace stitch::driver {

struct ProfileRequest {
  std::string folder;                       // that optimize or emit wrote
  std::optional<int> step;                  // that one alone
  std::optional<profile::RungKind> rung{};  // that profiler alone; empty: the best one that is here
  Options options{};
  Task program{};  // with a file: the expert's program of it is profiled, in place of a folder's
};

struct ProfileReport {
  std::string task;  // its name
  DeviceKind device = DeviceKind::kEmulated;
  std::string planned_for;
  std::vector<StepCost> steps;
  double modelled_us = 0;               // of all but what prepares
  std::optional<double> measured_us{};  // likewise, where steps were timed alone: on a GPU, when there are few
  // On the emulated device: the time of what ran, or in its refusal or in a sentence why there is none.
  std::optional<ExecutedTime> executed{};
  std::string not_executed{};
  std::optional<LadderReport> ladder{};  // of the whole program; none of one step
};

// kUsage when the plan has no such step; kEnvironment where the one profiler that was asked for is not here.
Result<ProfileReport> profile(const ProfileRequest& request, const Services& services);

}  // namespace stitch::driver
