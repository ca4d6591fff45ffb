// SPDX-License-Identifier: Apache-2.0
#include "driver/time/shipped.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <fstream>

#include "base/fs/files.h"
#include "driver/build/compile_program.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxReplans = 4;  // each takes over times for the steps of the one before

// "knowledge/times/nvidia-h200.txt" has what ships for "NVIDIA H200".
fs::path shipped_file(const Job& job, std::string device) {
  for (char& letter : device) {
    letter = letter == ' ' || letter == '/' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return job.resources().root / "knowledge" / "times" / (device + ".txt");
}

Result<std::vector<tuning::KnownStep>> read_times(const fs::path& file) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  return tuning::parse_times(text, file.string());
}

// Nothing where another kind of device is planned for than the one here.
Result<std::string> gpu_planned_for(const Job& job) {
  const std::vector<std::string>& targets = job.options().targets;
  STITCH_ASSIGN(const std::string architecture, toolchain::gpu_architecture());
  if (!targets.empty() && targets.front() != architecture) {
    return failure(ErrorCode::kEnvironment, "the GPU here is not the one that is planned for");
  }
  return toolchain::gpu_field("name");
}

// Of the devices in a text that somebody has named: the GPU here, else the first of the kind that is planned for. Empty
// where there is none.
Result<std::string> device_in(const std::vector<tuning::KnownStep>& steps, const Job& job,
                              const Result<std::string>& gpu) {
  STITCH_ASSIGN(const kernels::DeviceLimits planned_for, planned_limits(job));
  std::string found;
  for (const tuning::KnownStep& step : steps) {
    if (gpu.has_value() && step.device == *gpu) {
      return step.device;
    }
    found = found.empty() && tuning::is_of_kind(step.device, planned_for.name) ? step.device : found;
  }
  return found;
}

bool is_run(const plan::Step& step) { return step.phase == plan::Phase::kRun; }

std::string signature_of(const plan::Plan& plan, size_t index) {
  return plan::step_signature(plan::step_group(plan, index), plan.steps[index].skeleton);
}

}  // namespace

bool names_times_text(const Job& job) {
  std::array<char, 32> beginning{};
  std::ifstream file(job.options().tuning_database, std::ios::binary);
  file.read(beginning.data(), beginning.size());
  return tuning::is_times_text({beginning.data(), static_cast<size_t>(file.gcount())});
}

Result<std::optional<Shipped>> Shipped::open(const Job& job, MathMode math) {
  const Result<std::string> gpu = gpu_planned_for(job);
  if (names_times_text(job)) {
    const fs::path file = job.options().tuning_database;
    STITCH_ASSIGN(const std::vector<tuning::KnownStep> steps, read_times(file));
    STITCH_ASSIGN(const std::string device, device_in(steps, job, gpu));
    return std::optional(Shipped({steps, device, to_string(math)}, file.filename().string()));
  }
  std::error_code ignored;
  if (!gpu.has_value() || !fs::exists(shipped_file(job, *gpu), ignored)) {
    return std::optional<Shipped>{};
  }
  STITCH_ASSIGN(const std::vector<tuning::KnownStep> steps, read_times(shipped_file(job, *gpu)));
  return std::optional(Shipped({steps, *gpu, to_string(math)}, "the shipped database for " + *gpu));
}

Result<bool> Shipped::carry_over(const plan::Plan& plan) {
  bool is_more = false;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const std::string signature = is_run(plan.steps[i]) ? signature_of(plan, i) : std::string();
    if (signature.empty() || times_.knows(signature) || times_.is_carried(signature)) {
      continue;
    }
    STITCH_ASSIGN(const tuning::StepRecord record, tuning::record_of(plan, i));
    is_more = times_.carry_over(signature, record) || is_more;
  }
  return is_more;
}

Result<plan::Plan> Shipped::plan(const PlannedBy& planned_by) {
  const plan::MeasuredTimes known = [this](const std::string& signature, const plan::Setting& setting) {
    return us(signature, setting);
  };
  STITCH_ASSIGN(plan::Plan plan, planned_by(known, {}));
  for (int round = 1; round < kMaxReplans; ++round) {
    STITCH_ASSIGN(const bool is_more, carry_over(plan));
    if (!is_more) {
      break;
    }
    STITCH_ASSIGN(plan, planned_by(known, {}));
  }
  return plan;
}

void Shipped::remove_carried(plan::Plan& plan, const plan::MeasuredTimes& measured) const {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan::Step& step = plan.steps[i];
    if (!is_run(step)) {
      continue;
    }
    const std::string signature = signature_of(plan, i);
    if (!times_.is_carried(signature)) {
      continue;
    }
    const auto own = [&](const plan::Setting& setting) {
      return measured ? measured(signature, setting) : std::nullopt;
    };
    step.measured_us = own(step.setting);
    for (plan::Alternative& other : step.alternatives) {
      other.measured_us = own(other.setting);
    }
  }
}

ChoiceCounts Shipped::count(const plan::Plan& plan) const {
  ChoiceCounts counts;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (is_run(plan.steps[i])) {
      const std::string signature = signature_of(plan, i);
      ++counts.steps;
      counts.same += times_.knows(signature) ? 1 : 0;
      counts.similar += times_.is_carried(signature) ? 1 : 0;
    }
  }
  return counts;
}

std::string Shipped::describe(const plan::Plan& plan) const {
  const ChoiceCounts counts = count(plan);
  return fmt::format("{}: times of {} of {} steps, of {} more by a similar step", source_, counts.same, counts.steps,
                     counts.similar);
}

Result<UntunedPlan> plan_untuned(Job& job, MathMode math, const PlannedBy& planned_by) {
  UntunedPlan untuned;
  STITCH_ASSIGN(std::optional<Shipped> shipped, Shipped::open(job, math));
  if (!shipped.has_value() || shipped->is_empty()) {
    STITCH_ASSIGN(untuned.plan, planned_by({}, {}));
    return untuned;
  }
  STITCH_ASSIGN(untuned.plan, shipped->plan(planned_by));
  untuned.times = shipped->describe(untuned.plan);
  job.progress().fact("times", untuned.times);
  shipped->remove_carried(untuned.plan, {});
  return untuned;
}

}  // namespace stitch::driver
