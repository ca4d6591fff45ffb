// SPDX-License-Identifier: Apache-2.0
// work: one process that takes jobs from a store, one at a time.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/fs/file_slot.h"
#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "farm/metrics/metrics_server.h"
#include "farm/work/worker.h"
#include "store/open/open_store.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEmulated = "emulated";
constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kSlurmEnd = "SLURM_JOB_END_TIME";

bool is_on_gpu(const WorkOptions& work) { return work.job_class == "device" && work.device != kEmulated; }

std::string worker_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}", host.data(), ::getpid());
}

// The `number`-th of those that are visible, as CUDA_VISIBLE_DEVICES names it.
Result<std::string> visible_device(const std::string& number) {
  size_t index = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (!number.empty() && (error != std::errc() || stop != number.data() + number.size())) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no device", number), "", "say --device 0, or emulated");
  }
  const char* visible = std::getenv(kVisible);
  if (visible == nullptr) {
    return std::to_string(index);
  }
  std::string_view left = visible;
  for (; index > 0 && !left.empty(); --index) {
    left.remove_prefix(std::min(std::min(left.find(','), left.size() - 1) + 1, left.size()));
  }
  left = left.substr(0, left.find(','));
  return left.empty() ? Result<std::string>(failure(ErrorCode::kEnvironment,
                                                    fmt::format("GPU {} is none of '{}'", number, visible), kVisible,
                                                    "name a device that is visible"))
                      : Result<std::string>(std::string(left));
}

// When the worker begins to drain: some time before its end, where it has one.
Result<std::optional<double>> life_of(const WorkOptions& work) {
  std::optional<double> life = work.seconds;
  const char* end = std::getenv(kSlurmEnd);
  if (end != nullptr && work.drain_before.has_value()) {
    const double left = std::strtod(end, nullptr) - static_cast<double>(std::time(nullptr));
    life = std::min(left, life.value_or(left));
  }
  if (work.drain_before.has_value()) {
    if (!life.has_value()) {
      return failure(ErrorCode::kUsage, "nobody says when this worker ends", kSlurmEnd,
                     "--drain-before goes with --seconds, or with a Slurm that sets it");
    }
    life = std::max(0.0, *life - *work.drain_before);
  }
  return life;
}

// The driver's own job on a program of ours: a device that cannot do that does nothing right.
farm::Canary canary_of(const farm::JobPlace& place, const fs::path& problems) {
  return [&place, problems]() -> Result<std::string> {
    constexpr const char* kProgram = "layernorm_linear_softmax.py";
    farm::Job job;
    job.verb = "optimize";
    STITCH_ASSIGN(job.files, place.artefacts.put_all(problems / kProgram, kProgram));
    using Kind = farm::JobWord::Kind;
    job.words = {{Kind::kInput, "", kProgram},
                 {Kind::kOut, "--out", "canary"},
                 {Kind::kOption, "", "--device=gpu"},
                 {Kind::kOption, "", "--no-tune"},
                 {Kind::kOption, "", "--baseline=off"}};
    STITCH_ASSIGN(const farm::JobRun run, farm::run_job(place, job, [] { return false; }));
    if (!run.world.empty()) {
      return run.world;
    }
    const farm::JobResult& result = run.result;
    return result.exit_code == 0 && result.signal == 0
               ? std::string()
               : fmt::format("{} ended with {}: {}", kProgram, result.exit_code, result.last_words);
  };
}

class WorkCommand {
 public:
  explicit WorkCommand(Invocation& invocation) : invocation_(invocation), given_(invocation.line().work) {}

  Result<int> run();

 private:
  Result<void> read_options();
  Result<void> claim_gpu();
  Result<void> start_metrics();
  std::string metrics_text();

  Invocation& invocation_;
  const WorkOptions& given_;
  farm::WorkerOptions options_;
  farm::WorkerMetrics metrics_;
  std::optional<farm::GpuPlace> gpu_;
  std::unique_ptr<store::Store> counted_;  // of the thread that answers for metrics
  std::unique_ptr<farm::MetricsServer> server_;
};

Result<void> WorkCommand::read_options() {
  STITCH_ASSIGN(const std::string artefacts, farm::artefacts_of(given_.store, given_.artefacts));
  std::error_code failed;
  options_.place = {.program = fs::read_symlink("/proc/self/exe", failed),
                    .artefacts = farm::Artefacts(fs::absolute(artefacts))};
  options_.store_url = given_.store;
  STITCH_ASSIGN(options_.job_class, store::job_class_from_string(given_.job_class));
  options_.name = worker_name();
  options_.device = options_.job_class == store::JobClass::kDevice ? kEmulated : "";
  constexpr double kMilliseconds = 1000;
  options_.lease_ms = static_cast<int64_t>(given_.lease_seconds * kMilliseconds);
  options_.beat_ms = std::min(options_.beat_ms, options_.lease_ms / 3);
  options_.grace_seconds = given_.grace_seconds;
  options_.max_jobs = given_.max_jobs;
  STITCH_ASSIGN(options_.life_seconds, life_of(given_));
  if (!is_on_gpu(given_)) {
    options_.place.visible_devices = "";  // what a builder runs touches nobody's GPU
  }
  return {};
}

// This process and those that it starts have one GPU from here on.
Result<void> WorkCommand::claim_gpu() {
  STITCH_ASSIGN(const std::string visible, visible_device(given_.device));
  ::setenv(kVisible, visible.c_str(), 1);
  options_.place.visible_devices = visible;
  STITCH_ASSIGN(const std::string uuid, toolchain::gpu_uuid());
  STITCH_ASSIGN(options_.device, toolchain::gpu_field("name"));
  STITCH_ASSIGN(gpu_, farm::GpuPlace::take(node_folder(), uuid));
  return {};
}

std::string WorkCommand::metrics_text() {
  if (counted_ == nullptr) {
    Result<std::unique_ptr<store::Store>> opened = store::open_store(given_.store, {.patience_ms = 1000});
    counted_ = opened.has_value() ? std::move(opened).value() : nullptr;
  }
  const Result<store::Counts> counts =
      counted_ == nullptr ? Result<store::Counts>(failure(ErrorCode::kEnvironment, "none")) : counted_->counts();
  return prometheus_text(metrics_, {options_.name, given_.job_class, options_.device},
                         counts.has_value() ? &*counts : nullptr);
}

Result<void> WorkCommand::start_metrics() {
  if (!given_.metrics.empty()) {
    STITCH_ASSIGN(server_, farm::MetricsServer::start(given_.metrics, [this] { return metrics_text(); }));
    invocation_.reporter().fact("metrics", fmt::format("port {}", server_->port()));
  }
  return {};
}

Result<int> WorkCommand::run() {
  STITCH_TRY(read_options());
  if (is_on_gpu(given_)) {
    STITCH_TRY(claim_gpu());
  }
  STITCH_TRY(start_metrics());
  const std::unique_ptr<ForkServer> forks = invocation_.start_forks();
  options_.place.forks = forks.get();
  // The thread of signals may use it as long as the process lives.
  static farm::Drain drain;
  on_first_signal([grace = given_.grace_seconds](int signal) { drain.begin(signal == SIGINT ? 0 : grace); });
  invocation_.reporter().fact("worker",
                              fmt::format("{}: {} jobs of {}{}", options_.name, given_.job_class, given_.store,
                                          options_.device.empty() ? "" : " on " + options_.device));
  const farm::WorkerEvents events{[&](const std::string& sentence) { invocation_.reporter().fact("job", sentence); }};
  const farm::Canary canary = canary_of(options_.place, invocation_.services().resources.root / "problems");
  STITCH_TRY(farm::work(options_, drain, metrics_, gpu_.has_value() ? &*gpu_ : nullptr, canary, events));
  const Json told = {{"schema", "stitchcuda.work/1"},
                     {"worker", options_.name},
                     {"done", metrics_.done.load()},
                     {"refused", metrics_.refused.load()},
                     {"given_back", metrics_.given_back.load()},
                     {"cancelled", metrics_.cancelled.load()}};
  invocation_.reporter().result(
      told, fmt::format("drained: {} jobs done, {} refused, {} given back, {} cancelled", metrics_.done.load(),
                        metrics_.refused.load(), metrics_.given_back.load(), metrics_.cancelled.load()));
  return 0;
}

}  // namespace

Result<int> run_work(Invocation& invocation) { return WorkCommand(invocation).run(); }

}  // namespace stitch::cli
