// SPDX-License-Identifier: Apache-2.0
// From launches in order to kernels of steps, by what the plan says of its steps.
#pragma once

#include <string>
#include <vector>

#include "profile/values/measurement.h"

namespace stitch::profile {

// Of a step of run().
struct StepWork {
  int step = 0;
  std::string name{};
  double launches = 1;
  bool uses_library = false;  // which launches what it likes
  double bytes = 0;           // at least
  double flops = 0;
  double peak = 0;         // FLOP/s of the pipe that does them
  bool is_tensor = false;  // which is the tensor cores'
  double floor_us = 0;
};

// Launches belong to steps in order where there are as many as the plan has; else to the step that they have already
// (their names tell it of our own kernels), and between two such steps to the one that may have launched them. A note
// says how many are left; those are joined by name. What was not seen (bytes, FLOPs) is the step's least work, where it
// has one launch or several alike; shares that the tool told stay.
void join_launches(const std::vector<StepWork>& steps, Measurement& measured);

}  // namespace stitch::profile
