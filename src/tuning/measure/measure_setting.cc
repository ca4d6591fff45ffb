// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/measure_setting.h"

#include <limits>

#include "codegen/emit.h"
#include "evaluate/runner/program_runner.h"
#include "toolchain/build/build.h"
#include "tuning/measure/samples.h"

namespace stitch::tuning {
namespace {

constexpr Measurement kDoesNotWork{std::numeric_limits<double>::infinity(), 0};

// Long enough to tell settings apart, short enough to try many.
constexpr evaluate::TimingOptions kTiming{
    .block_us = 4000, .blocks = 7, .buffer_sets = 1, .cold_l2 = true, .graph = true};

Result<plan::Plan> step_alone(const plan::Plan& plan, size_t index, const kernels::Setting& setting) {
  STITCH_ASSIGN(const plan::Plan alone, plan::step_plan(plan, static_cast<int>(index)));
  return plan::with_setting(alone, 0, setting);
}

Result<Measurement> time_step(const evaluate::RunnerOptions& options, const std::vector<HostTensor>& inputs) {
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare({}));
  evaluate::CandidateCall call;
  call.inputs = inputs;
  STITCH_ASSIGN(const evaluate::CandidateOutcome ran, runner->run(call));  // loads code, finds what a library advises
  if (prepared.ending != evaluate::Ending::kOk || ran.ending != evaluate::Ending::kOk) {
    return kDoesNotWork;
  }
  STITCH_ASSIGN(const evaluate::TimingOutcome timed, runner->time_blocks(call, kTiming));
  return timed.ending == evaluate::Ending::kOk ? Measurement{timed.timing.median_us, timed.timing.spread}
                                               : kDoesNotWork;
}

}  // namespace

Result<Measurement> measure_setting(const plan::Plan& plan, size_t index, const kernels::Setting& setting,
                                    const toolchain::Toolchain& tools, const MeasureOptions& options) {
  const Result<plan::Plan> alone = step_alone(plan, index, setting);
  if (!alone.has_value()) {
    return kDoesNotWork;
  }
  STITCH_ASSIGN(SourceBundle bundle, codegen::emit(*alone, {options.runtime_folder.string()}));
  toolchain::BuildRequest request{.bundle = std::move(bundle)};
  request.device = DeviceKind::kCuda;
  request.architecture = options.architecture;
  request.jobs = 1;
  STITCH_ASSIGN(const CompileReport built, toolchain::build(request, tools));
  if (!built.ok) {
    return kDoesNotWork;
  }
  evaluate::RunnerOptions runner_options;
  runner_options.binary = {DeviceKind::kCuda, built.library};
  runner_options.library_folders = options.library_folders;
  Measurement measurement = kDoesNotWork;
  STITCH_TRY(options.alone([&]() -> Result<void> {
    STITCH_ASSIGN(measurement, time_step(runner_options, samples(alone->graph, {TensorRole::kInput})));
    return {};
  }));
  return measurement;
}

}  // namespace stitch::tuning
