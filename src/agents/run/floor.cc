// SPDX-License-Identifier: Apache-2.0
#include "agents/run/floor.h"

#include <algorithm>

#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"
#include "plan/executed/executed.h"

namespace stitch::agents {

double floor_of(const plan::Plan& plan) {
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (!limits.has_value()) {
    return 0;
  }
  double arithmetic_us = 0;
  double steps_us = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[i].skeleton);
    if (plan.steps[i].phase == plan::Phase::kRun && kernel != nullptr) {
      kernels::Work work = kernel->work(plan::step_group(plan, i), plan.steps[i].setting);
      work.launches = 0;
      steps_us += plan::modelled_us(work, *limits);
      work.bytes = 0;
      arithmetic_us += plan::modelled_us(work, *limits);
    }
  }
  const kernels::Work moved{.launches = 0, .bytes = plan::work_of(plan).whole.bytes};
  return std::min(std::max(arithmetic_us, plan::modelled_us(moved, *limits)), steps_us);
}

}  // namespace stitch::agents
