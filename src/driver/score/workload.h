// SPDX-License-Identifier: Apache-2.0
// What a program's graph asks for, counted on the steps of our own plan of it.
#pragma once

#include <optional>
#include <string>

#include "driver/job/job.h"
#include "plan/plan.h"
#include "rubric/facts/facts.h"

namespace stitch::driver {

rubric::Workload workload_of(const plan::Plan& plan);
// Nothing where we have no plan for it.
std::optional<rubric::Workload> workload_of(const Job& job, const ir::Graph& graph, MathMode math);
std::vector<rubric::PlanStepFacts> plan_facts(const plan::Plan& plan);
// "matmul, relu, layer_norm", in order.
std::string operators_of(const ir::Graph& graph);

}  // namespace stitch::driver
