// SPDX-License-Identifier: Apache-2.0
// From a graph to a plan, top to bottom.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/layout/channels_last.h"
#include "plan/partition/host.h"
#include "plan/pipeline/cut.h"
#include "plan/plan.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

constexpr double kDoubt = 1.2;  // of what steps are expected to take, beside a measured program

bool is_run(const Step& step) { return step.phase == Phase::kRun; }

// What the measured steps of all these plans took, over their estimates; at least 1. A plan of which nobody has
// measured anything would else be preferred for being unknown.
double shortfall(const std::vector<Plan>& plans) {
  double measured_us = 0, estimated_us = 0;
  for (const Plan& plan : plans) {
    for (const Step& step : plan.steps) {
      if (is_run(step) && step.measured_us.has_value() && std::isfinite(*step.measured_us)) {
        measured_us += *step.measured_us;
        estimated_us += step.estimated_us;
      }
    }
  }
  return estimated_us > 0 ? std::max(1.0, measured_us / estimated_us) : 1.0;
}

// Where each step without a measured time takes `shortfall` times its estimate.
double expected_us(const Plan& plan, double shortfall) {
  return std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0, [&](double sum, const Step& step) {
    return sum + (is_run(step) ? step.measured_us.value_or(shortfall * step.estimated_us) : 0.0);
  });
}

Result<Plan> plan_in(const PlanForm& form, ir::Graph graph, const std::string& program, const PlanOptions& given) {
  PlanOptions options = given;
  options.form.layout = form.layout;
  options.form.style = form.style;
  STITCH_ASSIGN(Plan plan, cut_graph(std::move(graph), options));
  plan.program = program;
  plan.form = form;
  if (options.like != nullptr) {
    keep_host(plan, *options.like);
  }
  return plan;
}

// Which plans are made of a program and compared.
class Forms {
 public:
  Forms(const ir::Graph& rewritten, const PlanOptions& options)
      : rewritten_(rewritten),
        options_(options),
        program_(options.measured ? program_signature(rewritten) : std::string()),
        kept_(choose_channels_last(rewritten, options)) {}

  std::vector<PlanForm> candidates() const {
    std::vector<Layout> layouts = {Layout::kChannelsFirst};
    if (!kept_.values.empty() && options_.like != nullptr) {
      layouts = {Layout::kChannelsLast};
    } else if (!kept_.values.empty()) {
      layouts = {Layout::kChannelsLast, Layout::kChannelsFirst};
      std::erase_if(layouts, [&](Layout layout) { return options_.form.layout.value_or(layout) != layout; });
    }
    std::vector<PlanForm> forms;
    for (const Style style : {Style::kByCost, Style::kByLibraries}) {
      for (const Layout layout : layouts) {
        if (is_wanted({layout, style})) {
          forms.push_back({layout, style});
        }
      }
    }
    return forms;
  }

  Result<Plan> made(const PlanForm& form) const {
    if (form.layout == Layout::kChannelsFirst) {
      return plan_in(form, rewritten_, program_, options_);
    }
    STITCH_ASSIGN(ir::Graph with_kept, keep_channels_last(rewritten_, kept_));
    return plan_in(form, std::move(with_kept), program_, options_);
  }

  // By which forms are compared: what the whole took where it was timed, else what its steps are expected to take.
  double worth_us(const Plan& plan, double shortfall) const {
    return measured_us(plan.form).value_or(kDoubt * expected_us(plan, shortfall));
  }

  // Of two that nobody timed, where libraries are wanted anyhow, the one whose convolutions need not turn.
  bool is_settled_by(const PlanForm& form) const {
    const PlanForm first{Layout::kChannelsFirst, form.style};
    return options_.libraries == Libraries::kOn && form.layout == Layout::kChannelsLast &&
           !measured_us(first).has_value();
  }

 private:
  std::optional<double> measured_us(const PlanForm& form) const {
    return options_.measured ? options_.measured(program_, setting_of(form)) : std::nullopt;
  }

  // By libraries only where that is asked for or was timed: by estimate each step has the choice already.
  bool is_wanted(const PlanForm& form) const {
    if (options_.like != nullptr) {
      return form.style == options_.like->form.style;
    }
    if (options_.form.style.has_value()) {
      return form.style == *options_.form.style;
    }
    return form.style == Style::kByCost || measured_us(form).has_value();
  }

  const ir::Graph& rewritten_;
  const PlanOptions& options_;
  std::string program_;
  ChannelsLast kept_;
};

// What is saved between steps may be lost within them: small images leave reductions with few columns. Of two that are
// as fast, the first.
Result<Plan> fastest(const Forms& forms) {
  std::vector<Plan> plans;
  for (const PlanForm& form : forms.candidates()) {
    STITCH_ASSIGN(Plan plan, forms.made(form));
    if (forms.is_settled_by(form)) {
      return plan;
    }
    plans.push_back(std::move(plan));
  }
  const double beyond = shortfall(plans);
  const auto is_less = [&](const Plan& a, const Plan& b) {
    return forms.worth_us(a, beyond) < forms.worth_us(b, beyond);
  };
  return std::move(*std::min_element(plans.begin(), plans.end(), is_less));
}

}  // namespace

double expected_us(const Plan& plan) { return expected_us(plan, 1.0); }

const char* to_string(Layout layout) { return layout == Layout::kChannelsLast ? "channels_last" : "channels_first"; }

std::string to_string(const PlanForm& form) {
  return std::string(to_string(form.layout)) + (form.style == Style::kByLibraries ? "_by_libraries" : "");
}

Setting setting_of(const PlanForm& form) { return {to_string(form), 1}; }

Result<Plan> make_plan(const ir::Graph& graph, const PlanOptions& given) {
  STITCH_TRY(check_plannable(graph));
  PlanOptions options = given;
  if (options.like != nullptr && options.boundaries.empty()) {
    options.boundaries = options.like->boundaries;
  }
  STITCH_ASSIGN(const ir::Graph rewritten, rewrite_for(options.limits.architecture, graph));
  return fastest(Forms(rewritten, options));
}

}  // namespace stitch::plan
