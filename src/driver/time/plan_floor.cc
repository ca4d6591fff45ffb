// SPDX-License-Identifier: Apache-2.0
#include "driver/time/plan_floor.h"

#include "evaluate/timing/floor.h"
#include "tuning/floor/compulsory_work.h"

namespace stitch::driver {

std::optional<double> plan_floor_us(const plan::Plan& plan, MathMode math) {
  const std::optional<evaluate::Datasheet> device = evaluate::datasheet_of(plan.device);
  const bool is_declared = !plan.batch.has_value() || plan.batch->declared == plan.batch->planned;
  if (!device.has_value() || !is_declared) {
    return std::nullopt;
  }
  const double us = evaluate::physical_floor(tuning::compulsory_work(plan.graph), *device, math).us();
  return us > 0 ? std::optional(us) : std::nullopt;
}

}  // namespace stitch::driver
