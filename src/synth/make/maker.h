// SPDX-License-Identifier: Apache-2.0
// A candidate for a task, made and sent through the filters that look at it alone.
#pragma once

#include <optional>

#include "kernels/template/device_limits.h"
#include "synth/filters/eager_time.h"
#include "synth/folder/candidate.h"
#include "synth/folder/settings.h"
#include "synth/make/task_process.h"
#include "synth/recipes/recipe.h"

namespace stitch::synth {

struct Maker {
  Settings settings{};
  std::vector<MinedModule> mined{};
  kernels::DeviceLimits device{};

  // Draws it, finds sizes at which a call takes between kMinimumMs and kMaximumMs, and asks what needs no computing:
  // "recipe", "eager", "deterministic" (it draws random numbers), "memory", "time", "gpu_bound".
  Result<Candidate> draw(TaskProcess& process, uint64_t number) const;
  // The same filters for a text of somebody else, at its own sizes.
  Result<Candidate> take(TaskProcess& process, uint64_t number, const std::string& source, const std::string& origin,
                         const NamedSizes& reduced) const;
  // Runs it, at reduced sizes: "eager", "answers", "deterministic", "aot_eager", "inductor".
  Result<void> try_out(TaskProcess& process, Candidate& candidate) const;

 private:
  bool asks(const char* filter) const { return settings.filters.count(filter) != 0; }
  Result<TaskFacts> fit_sizes(TaskProcess& process, Draft& draft, Candidate& candidate) const;
  void judge_facts(const TaskFacts& facts, Candidate& candidate) const;
};

}  // namespace stitch::synth
