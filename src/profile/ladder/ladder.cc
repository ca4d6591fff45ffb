// SPDX-License-Identifier: Apache-2.0
#include "profile/ladder/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::profile {
namespace {

Unexpected wrong(RungKind kind, const std::string& what) {
  return failure(ErrorCode::kInternal, fmt::format("{} gives {}", to_string(kind), what), "",
                 "name another profiler with --rung, and report this");
}

bool is_count(double value) { return std::isfinite(value) && value >= 0; }
bool is_count(const std::optional<double>& value) { return !value.has_value() || is_count(*value); }

const Rung* find(const std::vector<Rung>& rungs, RungKind kind) {
  const auto found = std::find_if(rungs.begin(), rungs.end(), [&](const Rung& each) { return each.kind == kind; });
  return found == rungs.end() ? nullptr : &*found;
}

Unexpected none_left(const std::vector<RungState>& states, std::optional<RungKind> only) {
  std::string reasons;
  for (const RungState& state : states) {
    if (!only.has_value() || state.kind == *only) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(to_string(state.kind)) + ": " + state.why_not;
    }
  }
  return failure(ErrorCode::kEnvironment, "there is no profile: " + reasons, "",
                 only.has_value() ? "leave --rung out: the best one that is here is taken" : "");
}

}  // namespace

Result<void> check_measurement(const Measurement& measured, RungKind kind) {
  if (measured.rung != kind) {
    return wrong(kind, fmt::format("figures of {}", to_string(measured.rung)));
  }
  for (const Kernel& kernel : measured.kernels) {
    const bool is_good = kernel.launches >= 1 && is_count(kernel.launches) && is_count(kernel.time_us) &&
                         is_count(kernel.bytes) && is_count(kernel.flops) && is_count(kernel.tensor_flops) &&
                         is_count(kernel.memory_share) && is_count(kernel.compute_share) && is_count(kernel.floor_us);
    if (kernel.name.empty() || !is_good) {
      return wrong(kind, fmt::format("kernel {} a figure that is no count", kernel.name));
    }
  }
  if (measured.system.has_value()) {
    const SystemFigures& system = *measured.system;
    const bool is_good = is_count(system.wall_us) && is_count(system.busy_us) &&
                         system.busy_us <= system.wall_us * 1.001 && is_count(system.launches) &&
                         is_count(system.host_us);
    if (!is_good) {
      return wrong(kind, "a call whose device is busy for longer than it takes, or no time for one");
    }
  }
  return {};
}

Result<Climbed> climb(const std::vector<Rung>& rungs, std::optional<RungKind> only) {
  Climbed climbed;
  bool is_taken = false;
  for (const RungKind kind : all_rungs()) {
    const Rung* rung = find(rungs, kind);
    RungState state{kind, false, false, "it does not see what is profiled", ""};
    if (rung != nullptr) {
      const Availability available = rung->look();
      state = {kind, false, available.is_here, available.why_not, available.mend};
    }
    const bool is_asked = state.is_here && !is_taken && (!only.has_value() || *only == kind);
    if (is_asked) {
      Result<Measurement> measured = rung->collect();
      if (!measured.has_value() && measured.error().code == ErrorCode::kInterrupted) {
        return failure(std::move(measured).error());
      }
      if (measured.has_value()) {
        STITCH_TRY(check_measurement(*measured, kind));
        climbed.measured = std::move(*measured);
        state.is_taken = is_taken = true;
      } else {
        state.is_here = false;
        state.why_not = measured.error().message;
        state.mend = measured.error().remedy;
      }
    }
    climbed.rungs.push_back(std::move(state));
  }
  return is_taken ? Result<Climbed>(std::move(climbed)) : none_left(climbed.rungs, only);
}

}  // namespace stitch::profile
