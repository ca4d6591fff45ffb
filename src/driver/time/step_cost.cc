// SPDX-License-Identifier: Apache-2.0
#include "driver/time/step_cost.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/build/compile_program.h"
#include "driver/build/library_folders.h"
#include "driver/judge/step_subject.h"
#include "evaluate/runner/program_runner.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"
#include "toolchain/build/build.h"
#include "tuning/measure/samples.h"

namespace stitch::driver {
namespace {

Result<std::string> built_step(Job& job, const toolchain::Toolchain& tools, const plan::Plan& alone,
                               const std::string& text, int step) {
  const auto number = static_cast<size_t>(step);
  STITCH_ASSIGN(EmittedProgram program, emit_again(job, alone, number));
  program.bundle.files[codegen::step_file_name(alone, 0, number)] = text;
  STITCH_ASSIGN(const CompileReport built, build_bundle(job, tools, program.bundle, DeviceKind::kCuda, ""));
  if (!built.ok) {
    return failure(ErrorCode::kProgramInvalid, build_failed(built, DeviceKind::kCuda).reason, alone.steps[0].name,
                   "mend the step's file");
  }
  return built.library;
}

Unexpected ended(const std::string& message) {
  return failure(ErrorCode::kProgramInvalid, "the step did not run: " + message, "", "verify it first, with --step");
}

}  // namespace

StepCost counted_cost(const plan::Plan& plan, int number) {
  const plan::Step& step = plan.steps[static_cast<size_t>(number)];
  StepCost cost{number,
                step.name,
                step.skeleton,
                step.setting.variant,
                step.phase == plan::Phase::kPrepare,
                step.flops,
                step.bytes_min,
                step.modelled_us,
                0,
                std::nullopt,
                0};
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  STITCH_CHECK(kernel != nullptr) << "a plan names the skeleton " << step.skeleton;
  const kernels::Work work = kernel->work(plan::step_group(plan, static_cast<size_t>(number)), step.setting);
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (limits.has_value()) {
    cost.floor_us = step.modelled_us - work.launches * limits->launch_us;
  }
  if (step.setting.splits > 1) {
    cost.setting += fmt::format(" x{}", step.setting.splits);
  }
  return cost;
}

Json to_json(const StepCost& cost) {
  Json json = {{"step", cost.step},
               {"name", cost.name},
               {"phase", cost.prepares ? "prepare" : "run"},
               {"skeleton", cost.skeleton},
               {"setting", cost.setting},
               {"flops", cost.flops},
               {"bytes_min", cost.bytes},
               {"modelled_us", cost.modelled_us},
               {"floor_us", cost.floor_us}};
  if (cost.measured_us.has_value()) {
    json["measured_us"] = *cost.measured_us;
    json["spread"] = cost.spread;
    json["share_of_floor"] = *cost.measured_us > 0 ? cost.floor_us / *cost.measured_us : 0;
  }
  return json;
}

Result<void> measure_cost(Job& job, const toolchain::Toolchain& tools, const plan::Plan& plan, const std::string& text,
                          StepCost& cost) {
  STITCH_ASSIGN(const plan::Plan alone, plan::step_plan(plan, cost.step));
  STITCH_ASSIGN(const std::string library, built_step(job, tools, alone, text, cost.step));
  evaluate::RunnerOptions options;
  options.binary = {DeviceKind::kCuda, library};
  options.library_folders = library_folders(job);
  options.cage = tools.confinement.mode;
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  const evaluate::TimedSubject subject{.parameters = tuning::samples(alone.graph, {TensorRole::kParameter}),
                                       .draws = tuning::sample_draws(alone.graph)};
  STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare(subject.parameters));
  if (prepared.ending != evaluate::Ending::kOk) {
    return ended(prepared.message);
  }
  evaluate::TimingOptions timing;
  timing.graph = true;
  STITCH_ASSIGN(const evaluate::TimingOutcome timed, runner->time_blocks(subject, timing));
  if (timed.ending != evaluate::Ending::kOk) {
    return ended(timed.message);
  }
  cost.measured_us = timed.timing.median_us;
  cost.spread = timed.timing.spread;
  return {};
}

}  // namespace stitch::driver
