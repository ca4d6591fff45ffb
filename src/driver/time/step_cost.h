// SPDX-License-Identifier: Apache-2.0
// What one step of a plan costs: counted and modelled anywhere, measured on a GPU.
#pragma once

#include <optional>
#include <string>

#include "driver/job/job.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct StepCost {
  int step = 0;
  std::string name;
  std::string skeleton;
  std::string setting;
  bool prepares = false;
  double flops = 0;
  double bytes = 0;                   // that must move at least
  double modelled_us = 0;             // launches and the roofline
  double floor_us = 0;                // the roofline alone
  std::optional<double> measured_us;  // median; never on an emulated device
  double spread = 0;                  // of the measurement, as a part of it
};

StepCost counted_cost(const plan::Plan& plan, int step);
Json to_json(const StepCost& cost);

// Builds the step from `text` (its file as it is now) as a program of its own, and times it on the GPU here with cold
// L2.
Result<void> measure_cost(Job& job, const toolchain::Toolchain& tools, const plan::Plan& plan, const std::string& text,
                          StepCost& cost);

}  // namespace stitch::driver
