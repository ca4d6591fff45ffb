// SPDX-License-Identifier: Apache-2.0
#include "driver/score/reference_times.h"

#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "driver/time/baseline.h"
#include "driver/time/time_on_gpu.h"
#include "driver/written/step_nodes.h"
#include "evaluate/timing/statistics.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"

namespace stitch::driver {
namespace {

constexpr const char* kSchema = "stitchcuda.reference_times/1";

double bytes_of(const ir::Graph& graph, const ir::Node& node) {
  double bytes = 0;
  for (const ir::Operand& operand : node.operands) {
    const auto* value = std::get_if<ir::ValueId>(&operand);
    bytes += value == nullptr ? 0 : static_cast<double>(graph.type(*value).bytes());
  }
  for (const ir::ValueId value : node.outputs) {
    bytes += static_cast<double>(graph.type(value).bytes());
  }
  return bytes;
}

// A launch an operator; the arithmetic of a step is that of its root.
double a_launch_an_operator_us(const plan::Plan& plan, const kernels::DeviceLimits& limits) {
  const std::vector<std::vector<ir::NodeId>> own = own_nodes(plan);
  double us = 0;
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[step].skeleton);
    if (plan.steps[step].phase == plan::Phase::kPrepare || kernel == nullptr) {
      continue;
    }
    const kernels::Work whole = kernel->work(plan::step_group(plan, step), plan.steps[step].setting);
    for (const ir::NodeId node : own[step]) {
      const bool is_root = node == plan.steps[step].root;
      us += plan::modelled_us({.pipe = whole.pipe,
                               .flops = is_root ? whole.flops : 0,
                               .bytes = bytes_of(plan.graph, plan.graph.node(node))},
                              limits);
    }
  }
  return us;
}

std::optional<double> median_of(const MeasuredProgram& measured) {
  const auto& baseline = measured.times.baseline;
  const bool is_told = measured.times.refusal().empty() && baseline.has_value() && baseline->speedup.refusal.empty();
  return is_told ? std::optional(evaluate::median(baseline->theirs_us)) : std::nullopt;
}

}  // namespace

Json to_json(const ReferenceTimes& times) {
  return {{"schema", kSchema},
          {"kind", times.is_measured ? "measured" : "modelled"},
          {"eager_us", times.eager_us},
          {"compiled_us", times.compiled_us},
          {"floor_us", times.floor_us}};
}

Result<ReferenceTimes> reference_times_from_json(const Json& json) {
  ReferenceTimes times;
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  STITCH_ASSIGN(const std::string kind, json_string(json, "kind"));
  times.is_measured = kind == "measured";
  for (const auto& [name, into] : {std::pair("eager_us", &times.eager_us), std::pair("compiled_us", &times.compiled_us),
                                   std::pair("floor_us", &times.floor_us)}) {
    const auto found = json.find(name);
    if (schema != kSchema || found == json.end() || !found->is_number()) {
      return failure(ErrorCode::kFileInvalid, "the reference times of a run are none", name, "begin the run again");
    }
    *into = found->get<double>();
  }
  return times;
}

std::optional<ReferenceTimes> modelled_reference(const plan::Plan& expert, double expert_us, double floor_us) {
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(expert.device);
  if (!limits.has_value() || !(expert.modelled_us > 0) || !(floor_us > 0)) {
    return std::nullopt;
  }
  const double ratio = std::max(1.0, a_launch_an_operator_us(expert, *limits) / expert.modelled_us);
  return ReferenceTimes{false, expert_us * ratio, expert_us, std::min(floor_us, expert_us)};
}

Result<std::optional<ReferenceTimes>> measured_reference(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                                         const plan::Plan& expert,
                                                         const evaluate::EvaluateReport& report, double floor_us) {
  ReferenceTimes times{true, 0, 0, floor_us};
  for (const auto& [name, into] : {std::pair("eager", &times.eager_us), std::pair("compile", &times.compiled_us)}) {
    STITCH_ASSIGN(const std::optional<tuning::Baseline> baseline, baseline_named(job, task, DeviceKind::kCuda, name));
    STITCH_ASSIGN(const MeasuredProgram measured,
                  time_on_gpu(job, tools, {expert.graph, report.compile.library, report.verify, task.math, baseline}));
    const std::optional<double> us = median_of(measured);
    if (!us.has_value()) {
      return std::optional<ReferenceTimes>();
    }
    *into = *us;
    times.floor_us = measured.floor_us > 0 ? measured.floor_us : times.floor_us;
  }
  return times.floor_us > 0 ? std::optional(times) : std::nullopt;
}

rubric::RewardTimes reward_times(const ReferenceTimes& reference, double candidate_us) {
  return {candidate_us, reference.eager_us, reference.compiled_us, reference.floor_us};
}

}  // namespace stitch::driver
