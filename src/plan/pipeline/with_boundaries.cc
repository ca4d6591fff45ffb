// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "plan/batch/graph_family.h"
#include "plan/batch/run_time_batch.h"
#include "plan/partition/host.h"
#include "plan/partition/states.h"
#include "plan/pipeline/cut.h"
#include "plan/plan.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

bool is_for_own_sizes(const Boundary& boundary) {
  return boundary.written.has_value() && boundary.written->holds_for == HoldsFor::kOwnSizes;
}

// The graph at the batch that the program declares: code for its own sizes knows no other.
Result<ir::Graph> declared_graph(const Plan& plan) {
  if (!plan.batch.has_value() || plan.batch->declared == plan.batch->planned) {
    return plan.graph;
  }
  STITCH_ASSIGN(const GraphFamily family,
                GraphFamily::between(plan.graph, plan.batch->planned, plan.batch->other, plan.batch->other_batch));
  return family.at(plan.batch->declared);
}

}  // namespace

std::string why_own_sizes(const Plan& plan) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.boundary >= 0 && is_for_own_sizes(plan.boundaries[static_cast<size_t>(step.boundary)])) {
      return fmt::format("step {} ({}) is written for its own sizes alone", i, step.name);
    }
  }
  return {};
}

Result<Plan> with_boundaries(const Plan& plan, std::vector<Boundary> boundaries) {
  PlanOptions options;
  options.math = plan.math;
  STITCH_ASSIGN(options.limits, kernels::device_limits(plan.device));
  options.boundaries = std::move(boundaries);
  const bool is_own = std::any_of(options.boundaries.begin(), options.boundaries.end(), is_for_own_sizes);
  STITCH_ASSIGN(ir::Graph graph, is_own ? declared_graph(plan) : Result<ir::Graph>(plan.graph));
  STITCH_ASSIGN(graph, without_state_copies(graph));
  STITCH_ASSIGN(Plan made, cut_graph(std::move(graph), options, &plan));
  made.program = plan.program;
  made.form = plan.form;
  made.batch_note = is_own ? why_own_sizes(made) : plan.batch_note;
  if (plan.batch.has_value() && !is_own) {
    RunTimeBatch batch = *plan.batch;
    STITCH_ASSIGN(batch.other, without_state_copies(batch.other));
    carry_run_time_batch(made, std::move(batch));
  }
  keep_host(made, plan);
  return made;
}

}  // namespace stitch::plan
