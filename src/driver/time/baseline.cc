// SPDX-License-Identifier: Apache-2.0
#include "driver/time/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/json/json.h"
#include "driver/job/interpreter.h"
#include "evaluate/processes/eviction_library.h"
#include "evaluate/timing/statistics.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kReadTimeoutMs = 180'000;
constexpr const char* kEager = "eager";
constexpr const char* kCompiled = "compile";
constexpr const char* kGraph = "graph";

// Why it cannot be run in a process of its own; empty where it can.
std::string why_none(const Json& interface) {
  if (interface.value("is_random", false)) {
    return "the program draws random numbers, which PyTorch draws otherwise";
  }
  return interface.value("reference_class", std::string()).empty()
             ? "the program is no class that another process can construct"
             : "";
}

}  // namespace

Result<std::optional<tuning::Baseline>> find_baseline(Job& job, const Task& task, DeviceKind device) {
  std::string name = job.options().baseline;
  if (name.empty() && device == DeviceKind::kCuda) {
    name = kEager;
  }
  return name.empty() || name == "off" ? std::optional<tuning::Baseline>() : baseline_named(job, task, device, name);
}

Result<std::optional<tuning::Baseline>> baseline_named(Job& job, const Task& task, DeviceKind device,
                                                       const std::string& name) {
  tuning::Baseline baseline;
  baseline.name = name;
  if (name == kGraph && device != DeviceKind::kCuda) {
    baseline.why_none = "not measured: PyTorch captures CUDA graphs on a GPU alone";
    return std::optional(baseline);
  }
  Result<Json> answer = job.ask("candidate.interface", task.arguments(), kReadTimeoutMs);
  if (!answer.has_value()) {
    baseline.why_none = answer.error().message;
    return std::optional(baseline);
  }
  Json& interface = *answer;
  baseline.why_none = why_none(interface);
  interface["class"] = interface["reference_class"];
  interface["math"] = to_string(task.math);
  interface["compiles"] = baseline.name == kCompiled;
  interface["captures"] = baseline.name == kGraph;
  evaluate::PythonHost host;
  host.role = evaluate::PythonRole::kReference;
  host.interpreter = interpreter_of(job.resources(), interface);
  host.modules = job.resources().python_path().string();
  host.folder = fs::path(task.file).parent_path().string();
  host.interface = interface.dump();
  host.readable = interface.value("python_folders", std::vector<std::string>());
  std::ranges::copy(evaluate::eviction_library(device), std::back_inserter(host.readable));
  baseline.binary.device = device;
  baseline.binary.library = task.file;
  baseline.binary.python = std::move(host);
  return std::optional(baseline);
}

Result<tuning::BaselineTimes> take_turns_without_gpu(const evaluate::TimedSubject& subject, const std::string& library,
                                                     tuning::Baseline baseline, sandbox::CageMode cage) {
  evaluate::RunnerOptions options;
  options.binary = {DeviceKind::kEmulated, library};
  options.cage = cage;
  constexpr evaluate::TimingOptions kShort{.block_us = 1000, .blocks = 3, .tries = 1, .l2_bytes = 1 << 16};
  baseline.fours = 3;
  const size_t blocks = 2 * static_cast<size_t>(baseline.fours);
  STITCH_ASSIGN(const tuning::ProgramTimes times, tuning::time_program(subject, options, kShort, baseline));
  tuning::BaselineTimes told = times.baseline.value_or(tuning::BaselineTimes());
  told.name = baseline.name;
  if (!times.fault.empty()) {
    told.speedup.refusal = times.fault;
  } else if (told.ours_us.size() == blocks && told.theirs_us.size() == blocks) {
    told.speedup.refusal =
        fmt::format("{} blocks took turns, but no time is measured on the emulated device", 2 * blocks);
  }
  return told;
}

std::string describe(const tuning::BaselineTimes& baseline) {
  const evaluate::Speedup& speedup = baseline.speedup;
  if (!speedup.refusal.empty()) {
    return fmt::format("no speedup over {}: {}", baseline.name, speedup.refusal);
  }
  return fmt::format("{} {:.1f} us: {:.2f} times as fast ({:.2f} to {:.2f})", baseline.name,
                     evaluate::median(baseline.theirs_us), speedup.median, speedup.low, speedup.high);
}

Json to_json(const tuning::BaselineTimes& baseline, bool is_told) {
  const evaluate::Speedup& speedup = baseline.speedup;
  const bool has_times = is_told && speedup.refusal.empty();
  const auto told = [&](double value) { return has_times ? Json(value) : Json(); };
  return {{"name", baseline.name},
          {"us", has_times ? Json(evaluate::median(baseline.theirs_us)) : Json()},
          {"ours_us", has_times ? Json(evaluate::median(baseline.ours_us)) : Json()},
          {"speedup", told(speedup.median)},
          {"low", told(speedup.low)},
          {"high", told(speedup.high)},
          {"refusal", speedup.refusal},
          {"tries", baseline.tries},
          {"blocks", baseline.theirs_us.size()},
          {"contents", baseline.is_mixed ? "mixed" : "drawn"},
          {"samples_us", has_times ? Json(baseline.theirs_us) : Json()},
          {"ours_samples_us", has_times ? Json(baseline.ours_us) : Json()}};
}

}  // namespace stitch::driver
