// SPDX-License-Identifier: Apache-2.0
// From groups to a plan: settings, buffers, extents, memory. The same code makes a new plan and checks one that was
// read.
#pragma once

#include <optional>
#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

struct ChosenStep {
  kernels::Group group;  // of the graph that is handed over with it
  const kernels::KernelTemplate* kernel = nullptr;
  Phase phase = Phase::kRun;
  std::optional<Setting> setting;  // by cost when it is left open
  int boundary = -1;               // of the options' boundaries: whose code it is
};

Result<Plan> assemble(const ir::Graph& graph, const std::vector<ChosenStep>& steps, const PlanOptions& options);

}  // namespace stitch::plan
