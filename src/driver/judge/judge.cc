// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/judge.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "driver/build/gpu_room.h"
#include "driver/build/library_folders.h"
#include "evaluate/runner/program_runner.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

constexpr int64_t kOracleTimeoutMs = 600'000;
constexpr const char* kMemoryFolder = "/dev/shm";
constexpr double kCallsInTotal = 10;  // that may take as long as one may

}  // namespace

verify::OracleSource oracle_source(const Task& task, DeviceKind device, uint64_t seed, const std::string& folder) {
  verify::OracleSource source;
  source.task = task;
  source.seed = seed;
  source.device = torch_device_of(device);
  source.folder = folder;
  return source;
}

Result<TemporaryDirectory> tensor_folder() {
  std::error_code ignored;
  const bool in_memory = std::filesystem::is_directory(kMemoryFolder, ignored);
  return TemporaryDirectory::make("stitchcuda-oracle", in_memory ? kMemoryFolder : "");
}

int64_t call_timeout_ms(const Job& job) { return static_cast<int64_t>(job.options().call_timeout_seconds * 1000); }

std::shared_ptr<evaluate::CallBudget> call_budget(const Job& job) {
  const Options& options = job.options();
  const double seconds = options.total_timeout_seconds.value_or(kCallsInTotal * options.call_timeout_seconds);
  return std::make_shared<evaluate::CallBudget>(static_cast<int64_t>(seconds * 1000));
}

Result<DeviceKind> choose_device(Job& job, const toolchain::Toolchain& tools) {
  DeviceKind device = DeviceKind::kEmulated;
  if (job.options().device != DeviceChoice::kEmulated) {
    const Result<std::string> architecture = toolchain::gpu_architecture();
    const bool able = architecture.has_value() && tools.supports(DeviceKind::kCuda).has_value();
    if (job.options().device == DeviceChoice::kGpu && !architecture.has_value()) {
      return failure(architecture.error());
    }
    if (able || job.options().device == DeviceChoice::kGpu) {
      device = DeviceKind::kCuda;
    }
  }
  STITCH_TRY(tools.supports(device));
  return device;
}

Result<evaluate::EvaluateReport> judge(Job& job, const toolchain::Toolchain& tools, const SubjectSet& set,
                                       DeviceKind device) {
  const ir::Graph& graph = set.subjects.front().plan.graph;
  const GpuMemory memory = device == DeviceKind::kCuda ? memory_of_gpu() : GpuMemory{};
  STITCH_TRY(check_room_for_verdict(memory, graph));
  std::optional<evaluate::GpuShare> room;
  STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
  const uint64_t seed = job.options().seed;
  evaluate::EvaluateRequest request;
  request.is_outside = authors_of(set, set.subjects.front()).has_strangers;
  request.launches = set.launches;
  request.is_timed = !job.options().baseline.empty();
  request.is_untimed = job.options().no_time;
  request.before_verifying = [&]() -> Result<void> {
    STITCH_ASSIGN(room, take_room_for_verdict(job, tools, memory, graph));
    return {};
  };
  for (const Subject& subject : set.subjects) {
    evaluate::EvaluateTask task{subject.shape, subject.bundle,
                                oracle_source(subject.task, device, seed, folder.path().string()), subject.same_binary};
    task.library = subject.library;
    task.draw_seconds = subject.draw_seconds;
    task.note = subject.note;
    task.emitted = subject.emitted;
    if (&subject == &set.subjects.front()) {
      request.declared = std::move(task);
    } else {
      request.hidden.push_back(std::move(task));
    }
  }
  if (set.checked.has_value() && tools.supports(DeviceKind::kChecked).has_value()) {
    const Subject& subject = *set.checked;
    request.hidden.push_back({subject.shape, subject.bundle,
                              oracle_source(subject.task, DeviceKind::kChecked, seed, folder.path().string()), false,
                              true, "", subject.draw_seconds, subject.note, subject.emitted});
  } else if (device == DeviceKind::kCuda) {
    const Result<void> able = tools.supports(DeviceKind::kChecked);
    request.no_checked_draw = able.has_value() ? set.checked_note : able.error().message;
    job.progress().fact("checked", fmt::format("no checked draw: {}", request.no_checked_draw));
  }
  request.math = set.subjects.front().task.math;
  verify::OracleClient oracle = oracle_client(job);
  return evaluate_with(job, tools, std::move(request), device, oracle);
}

verify::OracleClient oracle_client(Job& job) {
  return verify::OracleClient(
      [&job](const std::string& verb, const Json& arguments) { return job.ask(verb, arguments, kOracleTimeoutMs); });
}

Result<evaluate::EvaluateReport> evaluate_with(Job& job, const toolchain::Toolchain& tools,
                                               evaluate::EvaluateRequest request, DeviceKind device,
                                               verify::Oracle& oracle) {
  request.device = device;
  request.with_checked_draw = device == DeviceKind::kEmulated;
  request.seed = job.options().seed;
  Progress::Wait wait = job.progress().wait("verify", "the program is built at all sizes");
  request.progress = [&](const std::string& message) { wait.say(message); };
  if (device == DeviceKind::kCuda) {
    STITCH_ASSIGN(request.architecture, toolchain::gpu_architecture());
  }
  evaluate::RunnerOptions options;
  options.timeout_ms = call_timeout_ms(job);
  options.cage = tools.confinement.mode;
  if (request.is_outside) {
    options.budget = call_budget(job);
  }
  if (device == DeviceKind::kCuda) {
    options.library_folders = library_folders(job);
  }
  STITCH_ASSIGN(evaluate::EvaluateReport report,
                evaluate::evaluate(request, tools, oracle, job.run_candidates()(options)));
  job.progress().fact("verify", fmt::format("{}: {} draws at {} shapes", to_string(report.verify.verdict().kind),
                                            report.verify.draws, report.verify.shapes.size()));
  return report;
}

std::string verdict_text(const evaluate::VerifyReport& report) {
  const Verdict verdict = report.verdict();
  if (verdict.kind != VerdictKind::kOk) {
    return fmt::format("not verified ({}): {}", to_string(verdict.kind), verdict.reason);
  }
  const std::string batches =
      report.same_binary_shapes == 0
          ? ""
          : fmt::format(" ({} of them other batches on the same binary)", report.same_binary_shapes);
  const std::string checked = report.checked_shape.empty() ? "" : fmt::format(" ({})", report.checked_shape);
  return fmt::format(
      "verified: {} draws ({} checked{}, {} in random thread order) at {} shapes{}; largest error {:.2f} "
      "times the reference's own (4 accepted)",
      report.draws, report.checked_draws, checked, report.randomised_draws, report.shapes.size(), batches,
      report.error_ratio);
}

}  // namespace stitch::driver
