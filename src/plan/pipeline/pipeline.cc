// SPDX-License-Identifier: Apache-2.0
// From a graph to a plan, top to bottom.
#include <numeric>

#include "plan/layout/channels_last.h"
#include "plan/partition/host.h"
#include "plan/pipeline/cut.h"
#include "plan/plan.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

constexpr double kDoubt = 1.2;  // of what steps are expected to take, beside a measured program

Result<Plan> plan_in(Layout layout, ir::Graph graph, const std::string& program, const PlanOptions& options) {
  STITCH_ASSIGN(Plan plan, cut_graph(std::move(graph), options));
  plan.program = program;
  plan.layout = layout;
  if (options.like != nullptr) {
    keep_host(plan, *options.like);
  }
  return plan;
}

// As timed whole where that was done.
std::optional<double> whole_us(const Plan& plan, const PlanOptions& options) {
  return options.measured ? options.measured(plan.program, setting_of(plan.layout)) : std::nullopt;
}

// What is saved between steps may be lost within them: small images leave reductions with few columns.
Result<Plan> faster_layout(const ir::Graph& rewritten, const ChannelsLast& kept, const std::string& program,
                           const PlanOptions& options) {
  STITCH_ASSIGN(ir::Graph with_kept, keep_channels_last(rewritten, kept));
  STITCH_ASSIGN(Plan last, plan_in(Layout::kChannelsLast, std::move(with_kept), program, options));
  if (options.like != nullptr || options.layout == Layout::kChannelsLast) {
    return last;
  }
  STITCH_ASSIGN(Plan first, plan_in(Layout::kChannelsFirst, rewritten, program, options));
  const std::optional<double> first_us = whole_us(first, options);
  const std::optional<double> last_us = whole_us(last, options);
  if (options.libraries == Libraries::kOn && !first_us.has_value()) {
    return last;
  }
  const double expected_first_us = first_us.value_or(kDoubt * expected_us(first));
  return expected_first_us < last_us.value_or(kDoubt * expected_us(last)) ? first : last;
}

}  // namespace

double expected_us(const Plan& plan) {
  return std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0, [](double sum, const Step& step) {
    return sum + (step.phase == Phase::kRun ? step.measured_us.value_or(step.estimated_us) : 0.0);
  });
}

const char* to_string(Layout layout) { return layout == Layout::kChannelsLast ? "channels_last" : "channels_first"; }

Setting setting_of(Layout layout) { return {to_string(layout), 1}; }

Result<Plan> make_plan(const ir::Graph& graph, const PlanOptions& given) {
  STITCH_TRY(check_plannable(graph));
  PlanOptions options = given;
  if (options.like != nullptr && options.boundaries.empty()) {
    options.boundaries = options.like->boundaries;
  }
  STITCH_ASSIGN(ir::Graph rewritten, rewrite(graph));
  const std::string program = options.measured ? program_signature(rewritten) : std::string();
  const ChannelsLast kept = choose_channels_last(rewritten, options);
  const bool is_first = options.layout == Layout::kChannelsFirst && options.like == nullptr;
  if (kept.values.empty() || is_first) {
    return plan_in(Layout::kChannelsFirst, std::move(rewritten), program, options);
  }
  return faster_layout(rewritten, kept, program, options);
}

}  // namespace stitch::plan
