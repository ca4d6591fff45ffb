// SPDX-License-Identifier: Apache-2.0
#include "kernels/builtin_templates.h"
#include "plan/partition/assemble.h"
#include "plan/partition/host.h"

namespace stitch::plan {

Result<Plan> with_setting(const Plan& plan, size_t index, const Setting& setting) {
  PlanOptions options;
  options.math = plan.math;
  STITCH_ASSIGN(options.limits, kernels::device_limits(plan.device));
  options.boundaries = plan.boundaries;
  std::vector<ChosenStep> steps;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
    const bool may_change = i != index && !kernel->is_timed_alone(step.setting);  // it goes by what others can do
    steps.push_back({step_group(plan, i), kernel, step.phase, i == index ? setting : step.setting, step.boundary});
    if (may_change) {
      steps.back().setting.reset();
    }
  }
  STITCH_ASSIGN(Plan made, assemble(plan.graph, steps, options));
  keep_host(made, plan);
  return made;
}

}  // namespace stitch::plan
