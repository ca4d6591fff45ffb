// SPDX-License-Identifier: Apache-2.0
#include "driver/time/executed_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/build/compile_program.h"
#include "driver/build/library_folders.h"
#include "driver/judge/judge.h"
#include "driver/judge/step_subject.h"
#include "evaluate/runner/program_runner.h"
#include "plan/streams/schedule.h"
#include "tuning/measure/time_program.h"

namespace stitch::driver {
namespace {

// What would take a unit's accesses out of the count, or count others: no kernel needs these words.
constexpr const char* kNotCounted[] = {"__tsan", "no_sanitize", "stitch_count_", "stitch_begin_step"};

std::string uncountable(const SourceBundle& sources) {
  for (const auto& [path, text] : sources.files) {
    for (const char* word : kNotCounted) {
      if (!path.starts_with("runtime/") && text.find(word) != std::string::npos) {
        return fmt::format("{} says {}: what runs there cannot be counted", path, word);
      }
    }
  }
  return {};
}

struct Sources {
  const SourceBundle& bundle;
  const toolchain::Authors& authors;
};

// What one call gave and did.
struct Called {
  std::string refusal{};
  evaluate::CandidateOutcome outcome{};
  std::vector<LaunchRecord> launches{};
};

Result<Called> call_once(Job& job, const toolchain::Toolchain& tools, const plan::Plan& plan, const Sources& sources,
                         DeviceKind device) {
  STITCH_ASSIGN(const CompileReport built, build_bundle(job, tools, sources.bundle, device, "", sources.authors));
  if (!built.ok) {
    return Called{.refusal = build_failed(built, device).reason};
  }
  evaluate::RunnerOptions options;
  options.binary = {device, built.library};
  options.binary.launches = std::make_shared<evaluate::LaunchLedger>();
  options.timeout_ms = call_timeout_ms(job);
  options.library_folders = library_folders(job);
  options.cage = tools.confinement.mode;
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  const evaluate::TimedSubject subject = tuning::sample_subject(plan.graph);
  STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare(subject.parameters));
  if (prepared.ending != evaluate::Ending::kOk) {
    return Called{.refusal = prepared.message};
  }
  const evaluate::TimedDraw& draw = subject.draws.front();
  Called called;
  STITCH_ASSIGN(called.outcome, runner->run({.inputs = draw.inputs, .states = draw.states}));
  if (called.outcome.ending != evaluate::Ending::kOk) {
    called.refusal = called.outcome.message;
  }
  called.launches = options.binary.launches->last().value_or(std::vector<LaunchRecord>{});
  return called;
}

bool same_contents(const std::vector<HostTensor>& left, const std::vector<HostTensor>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& one, const auto& other) { return std::ranges::equal(one.bytes(), other.bytes()); });
}

struct CountedCall {
  std::string refusal{};
  std::vector<LaunchRecord> launches{};
  std::vector<LaunchRecord> uncounted{};  // of the same call without the counts
};

// With the counts and without: a program that does something else while it is counted gives itself away, or gives the
// same results and has done what leads to them.
Result<CountedCall> counted_call(Job& job, const toolchain::Toolchain& tools, const plan::Plan& plan,
                                 const Sources& sources) {
  if (std::string refusal = uncountable(sources.bundle); !refusal.empty()) {
    return CountedCall{.refusal = std::move(refusal)};
  }
  STITCH_ASSIGN(Called plain, call_once(job, tools, plan, sources, DeviceKind::kEmulated));
  if (!plain.refusal.empty()) {
    return CountedCall{.refusal = plain.refusal};
  }
  STITCH_ASSIGN(Called counted, call_once(job, tools, plan, sources, DeviceKind::kCounted));
  if (!counted.refusal.empty()) {
    return CountedCall{.refusal = counted.refusal};
  }
  if (!same_contents(plain.outcome.outputs, counted.outcome.outputs) ||
      !same_contents(plain.outcome.states, counted.outcome.states)) {
    return CountedCall{.refusal = "the program gives other results while what it does is counted"};
  }
  return CountedCall{.launches = std::move(counted.launches), .uncounted = std::move(plain.launches)};
}

Result<SourceBundle> sources_of_step(Job& job, const plan::Plan& alone, const ExecutedRequest& request, int step) {
  const auto number = static_cast<size_t>(step);
  STITCH_ASSIGN(EmittedProgram program, emit_again(job, alone, number));
  const std::string file = codegen::step_file_name(request.plan, number);
  const auto found = request.sources.files.find(file);
  if (found == request.sources.files.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is missing", file), file, "emit the program again");
  }
  for (auto& [path, text] : program.bundle.files) {
    const auto own = request.sources.files.find(path);
    if (path.starts_with("runtime/") && own != request.sources.files.end()) {
      text = own->second;
    }
  }
  program.bundle.files[codegen::step_file_name(alone, 0, number)] = found->second;
  return std::move(program.bundle);
}

bool is_named(const LaunchRecord& record, std::initializer_list<const char*> beginnings) {
  return record.is_library() && std::any_of(beginnings.begin(), beginnings.end(),
                                            [&](const char* beginning) { return record.name.starts_with(beginning); });
}

HostCounts host_counts(const plan::Plan& plan, const std::vector<LaunchRecord>& launches) {
  HostCounts counts{.workspace_bytes = plan.arena_bytes};
  for (const LaunchRecord& record : launches) {
    if (!record.is_library() || record.library_flops > 0) {
      counts.launches += record.launches;
    } else if (is_named(record, {"cudaStreamWaitEvent"})) {
      counts.waits += record.launches;
    } else if (is_named(record, {"cudaMalloc"})) {
      counts.allocations += record.launches;
    } else if (is_named(record, {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"})) {
      counts.synchronisations += record.launches;
    } else if (is_named(record, {"cudaMemcpy"})) {
      counts.copied_bytes += record.launches * record.accesses.value_or(MemoryAccesses{}).bytes_written;
    }
  }
  return counts;
}

// What the host's choices make of the times of the steps.
void schedule(const plan::Plan& plan, const kernels::DeviceLimits& limits, ExecutedTime& time) {
  std::vector<double> step_us(plan.steps.size(), 0);
  std::vector<double> launches(plan.steps.size(), 0);
  double outside_us = 0;
  for (const plan::StepExecution& each : time.steps) {
    if (each.step < 0) {
      outside_us += each.executed_us;
      continue;
    }
    step_us[static_cast<size_t>(each.step)] = each.executed_us;
    launches[static_cast<size_t>(each.step)] = each.counts.launches;
  }
  const plan::CallSchedule scheduled = plan::schedule_of(plan, step_us, launches, limits);
  time.host.idle_us = scheduled.idle_us;
  if (plan.host.has_value()) {
    time.executed_us = scheduled.us + outside_us;
  }
}

Result<ExecutedTime> time_of(Job& job, const toolchain::Toolchain& tools, const plan::Plan& plan,
                             const Sources& sources, const plan::ProgramWork& ran, const plan::ProgramWork& declared) {
  STITCH_ASSIGN(const kernels::DeviceLimits limits, kernels::device_limits(plan.device));
  STITCH_ASSIGN(CountedCall counted, counted_call(job, tools, plan, sources));
  ExecutedTime time{.device = plan.device, .refusal = std::move(counted.refusal)};
  if (time.refusal.empty()) {
    plan::Execution execution = plan::execution_of(counted.launches, ran, declared, limits);
    time.steps = std::move(execution.steps);
    time.executed_us = execution.executed_us;
    time.host = host_counts(plan, counted.launches);
    time.launches.add(counted.uncounted);
    schedule(plan, limits, time);
  }
  return time;
}

}  // namespace

std::string describe(const HostCounts& counts) {
  return fmt::format(
      "{} launches, {} waits for other streams, {} allocations, {} synchronisations, {} bytes copied, {} bytes of "
      "workspace, {:.3f} us without work",
      counts.launches, counts.waits, counts.allocations, counts.synchronisations, counts.copied_bytes,
      counts.workspace_bytes, counts.idle_us);
}

Result<ExecutedTime> executed_time(Job& job, const toolchain::Toolchain& tools, const ExecutedRequest& request) {
  const plan::ProgramWork ran = plan::work_of(request.plan);
  const plan::ProgramWork declared = request.declared == nullptr ? ran : plan::work_of(*request.declared);
  STITCH_ASSIGN(ExecutedTime time,
                time_of(job, tools, request.plan, {request.sources, request.authors}, ran, declared));
  time.sizes = request.sizes;
  if (request.declared != nullptr) {
    time.host.workspace_bytes = request.declared->arena_bytes;
  }
  return time;
}

Result<ExecutedTime> executed_step(Job& job, const toolchain::Toolchain& tools, const ExecutedRequest& request,
                                   int step) {
  STITCH_ASSIGN(const plan::Plan alone, plan::step_plan(request.plan, step));
  STITCH_ASSIGN(const SourceBundle sources, sources_of_step(job, alone, request, step));
  const plan::Plan& declared = request.declared == nullptr ? request.plan : *request.declared;
  const auto index = static_cast<size_t>(step);
  const plan::LeastWork ran = plan::work_of(request.plan).steps.at(index);
  const std::vector<plan::LeastWork> all = plan::work_of(declared).steps;
  const plan::LeastWork least = index < all.size() ? all[index] : ran;
  STITCH_ASSIGN(ExecutedTime time, time_of(job, tools, alone, {sources, {}}, {{ran}, ran}, {{least}, least}));
  time.sizes = request.sizes;
  for (plan::StepExecution& execution : time.steps) {
    execution.step = step;
  }
  return time;
}

namespace {

Json kernels_json(const std::vector<LaunchRecord>& kernels) {
  Json list = Json::array();
  for (const LaunchRecord& kernel : kernels) {
    list.push_back({{"name", kernel.name},
                    {"launches", kernel.launches},
                    {"blocks", kernel.blocks},
                    {"threads", kernel.threads},
                    {"barriers", kernel.barriers},
                    {"warp_operations", kernel.warp_operations},
                    {"matrix_operations", kernel.matrix_operations},
                    {"shared_bytes", kernel.shared_bytes},
                    {"library_flops", kernel.library_flops},
                    {"accesses", to_json(kernel.accesses.value_or(MemoryAccesses{}))}});
  }
  return list;
}

}  // namespace

Json to_json(const plan::StepExecution& execution) {
  const plan::ExecutedCounts& counts = execution.counts;
  return {{"executed_us", execution.executed_us},
          {"bound", to_string(execution.bound)},
          {"launches", counts.launches},
          {"bytes", counts.bytes},
          {"sectors", counts.sectors},
          {"missed", counts.missed},
          {"wavefronts", counts.wavefronts},
          {"atomics", counts.atomics},
          {"flops", counts.flops},
          {"tensor_flops", counts.tensor_flops},
          {"counted",
           {{"launches", execution.launches},
            {"accesses", to_json(execution.counted)},
            {"kernels", kernels_json(execution.kernels)}}}};
}

}  // namespace stitch::driver
