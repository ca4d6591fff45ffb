// SPDX-License-Identifier: Apache-2.0
#include "profile/ladder/join_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::profile {
namespace {

void add(std::optional<double>& sum, const std::optional<double>& more) {
  if (more.has_value()) {
    sum = sum.value_or(0) + *more;
  }
}

// The mean of two, by how long each was; of one that is missing the other.
std::optional<double> mean(const std::optional<double>& left, double left_us, const std::optional<double>& right,
                           double right_us) {
  if (!left.has_value() || !right.has_value() || !(left_us + right_us > 0)) {
    return left.has_value() ? left : right;
  }
  return (*left * left_us + *right * right_us) / (left_us + right_us);
}

void merge(const Kernel& more, Kernel& kernel) {
  const double had_us = kernel.time_us.value_or(0);
  const double more_us = more.time_us.value_or(0);
  kernel.memory_share = mean(kernel.memory_share, had_us, more.memory_share, more_us);
  kernel.compute_share = mean(kernel.compute_share, had_us, more.compute_share, more_us);
  for (auto& [id, value] : kernel.metrics) {
    if (const auto other = more.metrics.find(id); other != more.metrics.end()) {
      value = mean(value, had_us, other->second, more_us).value_or(value);
    }
  }
  kernel.launches += more.launches;
  add(kernel.time_us, more.time_us);
  add(kernel.bytes, more.bytes);
  add(kernel.flops, more.flops);
  add(kernel.tensor_flops, more.tensor_flops);
}

std::vector<const StepWork*> owners(const std::vector<StepWork>& steps, size_t launches) {
  std::vector<const StepWork*> owner;
  for (const StepWork& step : steps) {
    owner.insert(owner.end(), static_cast<size_t>(std::lround(step.launches)), &step);
  }
  return owner.size() == launches ? owner : std::vector<const StepWork*>();
}

// The steps that kernels without a known one may be of: those between the steps around them, and either of these where
// a library launches for it.
std::vector<const StepWork*> steps_between(const std::vector<StepWork>& steps, int before, int after) {
  std::vector<const StepWork*> between;
  bool is_behind = before < 0;
  for (const StepWork& step : steps) {
    if (step.step == after) {
      if (step.uses_library && (is_behind || before == after)) {
        between.push_back(&step);
      }
      return between;
    }
    if (is_behind || (step.step == before && step.uses_library)) {
      between.push_back(&step);
    }
    is_behind = is_behind || step.step == before;
  }
  return between;
}

// By the steps that some launches are known to be of. What lies between two of them belongs to the one step that may
// have launched it, if there is one alone.
std::vector<const StepWork*> owners_by_known(const std::vector<StepWork>& steps, const std::vector<Kernel>& launches) {
  std::vector<const StepWork*> owner(launches.size(), nullptr);
  int before = -1;
  for (size_t begin = 0; begin < launches.size();) {
    if (launches[begin].step >= 0) {
      before = launches[begin].step;
      const auto own =
          std::find_if(steps.begin(), steps.end(), [&](const StepWork& step) { return step.step == before; });
      owner[begin++] = own == steps.end() ? nullptr : &*own;
      continue;
    }
    size_t end = begin;
    while (end < launches.size() && launches[end].step < 0) {
      ++end;
    }
    const int after = end < launches.size() ? launches[end].step : -1;
    const std::vector<const StepWork*> candidates = steps_between(steps, before, after);
    if (candidates.size() == 1) {
      std::fill(owner.begin() + static_cast<std::ptrdiff_t>(begin), owner.begin() + static_cast<std::ptrdiff_t>(end),
                candidates.front());
    }
    begin = end;
  }
  return owner;
}

// Of several kernels in a step the one that takes longest is held against its work: which does what nobody says.
void add_work(const std::vector<StepWork>& steps, std::vector<Kernel>& kernels) {
  for (const StepWork& step : steps) {
    Kernel* main = nullptr;
    for (Kernel& kernel : kernels) {
      if (kernel.step == step.step && (main == nullptr || kernel.time_us.value_or(0) > main->time_us.value_or(0))) {
        main = &kernel;
      }
    }
    if (main == nullptr) {
      continue;
    }
    main->floor_us = step.floor_us;
    main->bytes = main->bytes.has_value() ? main->bytes : std::optional(step.bytes);
    if (!main->flops.has_value() && !main->tensor_flops.has_value()) {
      (step.is_tensor ? main->tensor_flops : main->flops) = step.flops;
      main->tensor_peak = step.is_tensor ? std::optional(step.peak) : std::nullopt;
    }
  }
}

}  // namespace

void join_launches(const std::vector<StepWork>& steps, Measurement& measured) {
  std::vector<const StepWork*> owner = owners(steps, measured.kernels.size());
  if (owner.empty() && !measured.kernels.empty()) {
    owner = owners_by_known(steps, measured.kernels);
    const auto unknown = std::count(owner.begin(), owner.end(), nullptr);
    if (unknown > 0 && !steps.empty()) {
      measured.notes.push_back(
          fmt::format("which step {} of {} kernels belong to is unknown", unknown, measured.kernels.size()));
    }
  }
  std::vector<Kernel> joined;
  for (size_t index = 0; index < measured.kernels.size(); ++index) {
    Kernel& launch = measured.kernels[index];
    launch.step = owner[index] == nullptr ? -1 : owner[index]->step;
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Kernel& each) {
      return each.step == launch.step && each.name == launch.name;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(launch));
    } else {
      merge(launch, *same);
    }
  }
  measured.kernels = std::move(joined);
  add_work(steps, measured.kernels);
}

}  // namespace stitch::profile
