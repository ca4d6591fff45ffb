// SPDX-License-Identifier: Apache-2.0
#include "codegen/raise/step_counts.h"

#include <fmt/format.h>

#include <iterator>

#include "kernels/builtin_templates.h"
#include "kernels/template/device_limits.h"
#include "plan/cost/cost.h"

namespace stitch::codegen {
namespace {

// "18.8 G": three digits, with the prefix of a unit that follows.
std::string quantity(double value) {
  constexpr double kStep = 1000.0;
  const char* prefixes[] = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  while (value >= kStep && prefix + 1 < std::size(prefixes)) {
    value /= kStep;
    ++prefix;
  }
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

std::string setting_text(const kernels::Setting& setting) {
  return setting.splits > 1 ? fmt::format("{} in {} splits", setting.variant, setting.splits) : setting.variant;
}

const char* bound_text(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  switch (plan::bound_of(work, limits)) {
    case plan::Bound::kLaunches:
      return "launching";
    case plan::Bound::kMemory:
      return "memory";
    case plan::Bound::kLaneOperations:
      return "pointwise operations";
    case plan::Bound::kArithmetic:
      return work.pipe == kernels::Pipe::kFp32 ? "arithmetic" : "arithmetic on the tensor cores";
  }
  return "";
}

std::string time_text(double estimated_us, const std::optional<double>& measured_us) {
  return measured_us.has_value() ? fmt::format("{:.1f} us measured", *measured_us)
                                 : fmt::format("{:.1f} us estimated", estimated_us);
}

}  // namespace

std::vector<std::string> counts_in_words(const plan::Plan& plan, size_t index) {
  const plan::Step& step = plan.steps[index];
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  STITCH_CHECK(kernel != nullptr) << "a plan names the skeleton " << step.skeleton;
  const kernels::Work work = kernel->work(plan::step_group(plan, index), step.setting);
  std::string counts = fmt::format("Step {}, {}:", index, step.name);
  if (step.flops > 0) {
    counts += fmt::format(" {}FLOP,", quantity(step.flops));
  }
  if (work.lane_operations > 0) {
    counts += fmt::format(" {}op pointwise,", quantity(work.lane_operations));
  }
  counts += fmt::format(" {}B", quantity(step.bytes_min));
  if (const auto limits = kernels::device_limits(plan.device); limits.has_value()) {
    counts += fmt::format(", {:.1f} us by the limits of {}, bound by {}", step.modelled_us, limits->name,
                          bound_text(work, *limits));
  }
  if (step.boundary >= 0) {
    return {counts + ".", "Its code came with the plan: the time is that of its work, not of its code."};
  }
  std::string setting =
      fmt::format("Setting {}: {}", setting_text(step.setting), time_text(step.estimated_us, step.measured_us));
  if (step.alternatives.empty()) {
    return {counts + ".", setting + ", the only one."};
  }
  const plan::Alternative& next = step.alternatives.front();
  setting += fmt::format("; next {}: {}.", setting_text(next.setting), time_text(next.estimated_us, next.measured_us));
  return {counts + ".", setting};
}

}  // namespace stitch::codegen
