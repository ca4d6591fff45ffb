// SPDX-License-Identifier: Apache-2.0
#include "driver/score/workload.h"

#include <algorithm>

#include "codegen/emit.h"
#include "driver/build/compile_program.h"
#include "ir/graph/op.h"
#include "ir/ops.h"

namespace stitch::driver {
namespace {

bool contracts(ir::OpFamily family) {
  return family == ir::OpFamily::kContraction || family == ir::OpFamily::kConvolution ||
         family == ir::OpFamily::kAttention || family == ir::OpFamily::kRecurrent;
}

// Families whose operators need an element for several of their results, or several elements for one.
bool reuses(ir::OpFamily family) {
  return contracts(family) || family == ir::OpFamily::kReduction || family == ir::OpFamily::kNormalization ||
         family == ir::OpFamily::kSoftmax || family == ir::OpFamily::kScan || family == ir::OpFamily::kSort ||
         family == ir::OpFamily::kLinearAlgebra;
}

ir::OpFamily family_of(const ir::Node& node) {
  const ir::OpDef* definition = ir::find_op(node.op);
  return definition == nullptr ? ir::OpFamily::kPointwise : definition->family;
}

bool computes(const ir::Node& node) {
  const ir::OpFamily family = family_of(node);
  return family != ir::OpFamily::kView && family != ir::OpFamily::kCreation;
}

bool is_library(const plan::Step& step) {
  return step.setting.variant.starts_with("cublaslt") || step.setting.variant.starts_with("cudnn");
}

}  // namespace

rubric::Workload workload_of(const plan::Plan& plan) {
  rubric::Workload work;
  for (const plan::Step& step : plan.steps) {
    if (step.phase == plan::Phase::kPrepare) {
      continue;
    }
    ++work.steps;
    work.flops += step.flops;
    work.bytes += step.bytes_min;
    bool contracts_here = false;
    for (const ir::NodeId id : step.nodes) {
      const ir::Node& node = plan.graph.node(id);
      work.operators += computes(node) ? 1 : 0;
      contracts_here = contracts_here || contracts(family_of(node));
      work.reuses_data = work.reuses_data || reuses(family_of(node));
    }
    work.contraction_flops += contracts_here ? step.flops : 0;
  }
  return work;
}

std::optional<rubric::Workload> workload_of(const Job& job, const ir::Graph& graph, MathMode math) {
  const Result<plan::Plan> plan = make_plan(job, graph, math);
  return plan.has_value() ? std::optional(workload_of(*plan)) : std::nullopt;
}

std::vector<rubric::PlanStepFacts> plan_facts(const plan::Plan& plan) {
  std::vector<rubric::PlanStepFacts> facts;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const plan::Step& step = plan.steps[i];
    if (step.phase == plan::Phase::kPrepare) {
      continue;
    }
    rubric::PlanStepFacts fact;
    fact.file = codegen::step_file_name(plan, i);
    fact.operators = static_cast<int>(step.nodes.size());
    fact.is_library = is_library(step);
    fact.flops = step.flops;
    fact.bytes = step.bytes_min;
    fact.modelled_us = step.modelled_us;
    facts.push_back(std::move(fact));
  }
  return facts;
}

std::string operators_of(const ir::Graph& graph) {
  std::string names;
  for (const ir::Node& node : graph.nodes) {
    names += names.empty() ? "" : ", ";
    names += to_string(node.op);
  }
  return names;
}

}  // namespace stitch::driver
