// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/tuning.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "base/process/child.h"
#include "base/process/descriptor.h"
#include "cli/stages/compile_program.h"
#include "toolchain/discovery/cuda_folders.h"
#include "tuning/measure/measure_setting.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabaseName = "tuning.sqlite";
constexpr const char* kLockName = "tuning.lock";
constexpr int64_t kProbeTimeoutMs = 30'000;

Result<std::string> gpu_name() {
  ChildOptions options;
  options.arguments = {"nvidia-smi", "--query-gpu=name", "--format=csv,noheader"};
  STITCH_ASSIGN(const ChildOutput ran, run_child(options, kProbeTimeoutMs));
  const std::string name = ran.standard_output.substr(0, ran.standard_output.find('\n'));
  if (!ran.exit.ok() || name.empty()) {
    return failure(ErrorCode::kEnvironment, "no NVIDIA GPU was found here", "nvidia-smi");
  }
  return name;
}

// One timing at a time on this machine, whatever process asks: a lock on a file beside the database.
class TimingLock {
 public:
  explicit TimingLock(fs::path file) : file_(std::move(file)) {}

  Result<void> alone(const std::function<Result<void>()>& work) {
    const std::lock_guard own_threads(mutex_);
    const Descriptor descriptor(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (descriptor.get() < 0 || ::flock(descriptor.get(), LOCK_EX) != 0) {
      return failure(ErrorCode::kEnvironment, "the lock of timings cannot be taken", file_.string());
    }
    return work();
  }

 private:
  fs::path file_;
  std::mutex mutex_;
};

std::string as_text(const tuning::Trial& trial, const tuning::Measurement& measurement, const plan::Plan& plan) {
  const std::string splits = trial.setting.splits > 1 ? fmt::format(" x{}", trial.setting.splits) : "";
  const std::string time =
      std::isfinite(measurement.median_us) ? fmt::format("{:.1f} us", measurement.median_us) : "does not run";
  return fmt::format("{} by {}{}: {}", plan.steps[trial.step].name, trial.setting.variant, splits, time);
}

}  // namespace

std::vector<std::string> library_folders(const Session& session) {
  return session.line().libraries == plan::Libraries::kOff
             ? std::vector<std::string>()
             : toolchain::cuda_library_folders(session.resources().python);
}

Result<std::optional<Tuning>> Tuning::open(Session& session, const toolchain::Toolchain& tools) {
  const Result<std::string> gpu = gpu_name();
  if (session.line().no_tune || !gpu.has_value() || !tools.supports(DeviceKind::kCuda).has_value()) {
    return std::optional<Tuning>{};
  }
  const fs::path file =
      session.line().tuning_database.empty() ? tools.cache / kDatabaseName : fs::path(session.line().tuning_database);
  STITCH_ASSIGN(tuning::TuningDatabase database, tuning::TuningDatabase::open(file));
  tuning::Context context{*gpu, tools.nvcc->identity, to_string(session.line().math)};
  return std::optional(Tuning(session, tools, std::move(context), std::move(database)));
}

plan::MeasuredTimes Tuning::times() const {
  return [this](const std::string& signature, const kernels::Setting& setting) -> std::optional<double> {
    const auto found = database_.find(context_, signature, setting);
    return found.has_value() && found->has_value() ? std::optional((*found)->median_us) : std::nullopt;
  };
}

Result<tuning::TuneResult> Tuning::run(const plan::Plan& plan) {
  const std::vector<std::string> folders = library_folders(*session_);
  TimingLock lock(tools_->cache / kLockName);
  tuning::MeasureOptions measuring;
  measuring.runtime_folder = session_->resources().runtime();
  STITCH_ASSIGN(measuring.architecture, gpu_architecture());
  measuring.library_folders = folders;
  measuring.alone = [&](const auto& work) { return lock.alone(work); };
  tuning::TuneOptions options;
  options.budget_seconds = session_->line().tune_seconds;
  options.clock = [this] { return session_->reporter().elapsed_seconds(); };
  options.build = [&](const tuning::Trial& trial) {
    return tuning::build_setting(plan, trial.step, trial.setting, *tools_, measuring);
  };
  options.measure = [&](const tuning::Trial& trial) {
    return tuning::measure_setting(plan, trial.step, trial.setting, *tools_, measuring);
  };
  Reporter::Wait wait = session_->reporter().wait("tune", "nvcc on the first settings");
  std::map<size_t, double> best_us;
  options.progress = [&](const tuning::Trial& trial, const tuning::Measurement& measured, int done, int total) {
    const auto best = best_us.emplace(trial.step, measured.median_us).first;
    best->second = std::min(best->second, measured.median_us);
    const std::string found =
        std::isfinite(best->second) ? fmt::format(", best so far {:.1f} us", best->second) : std::string();
    wait.say(fmt::format("{}/{}  {}{}", done, total, as_text(trial, measured, plan), found));
  };
  return tuning::tune(tuning::worth_timing(plan, {}, !folders.empty()), context_, database_, options);
}

Result<tuning::ProgramTimes> time_on_gpu(Session& session, const toolchain::Toolchain& tools, const ir::Graph& graph,
                                         const std::string& library) {
  evaluate::RunnerOptions options;
  options.binary = {DeviceKind::kCuda, library};
  options.library_folders = library_folders(session);
  TimingLock lock(tools.cache / kLockName);
  tuning::ProgramTimes times;
  STITCH_TRY(lock.alone([&]() -> Result<void> {
    STITCH_ASSIGN(times, tuning::time_program(graph, options));
    return {};
  }));
  return times;
}

std::string describe(const tuning::ProgramTimes& times) {
  const std::string prepare = fmt::format("prepare {:.1f} us", times.prepare_us);
  if (times.graph.samples_us.empty()) {
    return fmt::format("measured {:.1f} us by plain launches (run() cannot be captured), {}", times.plain.median_us,
                       prepare);
  }
  return times.graph_is_faster() ? fmt::format("measured {:.1f} us by CUDA graph (plain launches {:.1f} us), {}",
                                               times.graph.median_us, times.plain.median_us, prepare)
                                 : fmt::format("measured {:.1f} us by plain launches (CUDA graph {:.1f} us), {}",
                                               times.plain.median_us, times.graph.median_us, prepare);
}

}  // namespace stitch::cli
