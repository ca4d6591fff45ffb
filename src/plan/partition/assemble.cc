// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/assemble.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "kernels/builtin_templates.h"
#include "plan/boundaries/contract.h"
#include "plan/cost/cost.h"
#include "plan/partition/cat_parts.h"
#include "plan/partition/host.h"
#include "plan/partition/prices.h"

namespace stitch::plan {
namespace {

constexpr size_t kMaxNameLength = 40;

BufferKind kind_of(TensorRole role) {
  switch (role) {
    case TensorRole::kInput:
      return BufferKind::kInput;
    case TensorRole::kParameter:
      return BufferKind::kParameter;
    case TensorRole::kConstant:
      return BufferKind::kConstant;
    case TensorRole::kState:
      return BufferKind::kState;
    case TensorRole::kOutput:
      return BufferKind::kOutput;
  }
  return BufferKind::kInput;
}

class Assembler {
 public:
  Assembler(const ir::Graph& graph, const PlanOptions& options) : options_(options) {
    plan_.graph = graph;
    plan_.math = options.math;
    plan_.device = options.limits.name;
    plan_.boundaries = options.boundaries;
    add_inputs();
    find_outputs();
  }

  Result<Plan> run(const std::vector<ChosenStep>& steps) {
    for (const ChosenStep& chosen : steps) {
      for (const ir::ValueId operand : chosen.group.operands) {
        ++readers_[operand];
      }
    }
    for (const ChosenStep& chosen : steps) {
      STITCH_TRY(add_step(chosen));
    }
    for (const ir::GraphOutput& output : plan_.graph.outputs) {
      if (buffers_.count(output.value) == 0 || !is_result(output.value)) {
        return failure(ErrorCode::kFileInvalid,
                       "no step of the plan makes output " + plan_.graph.value(output.value).name);
      }
    }
    settle(plan_);
    return std::move(plan_);
  }

 private:
  bool is_result(ir::ValueId value) const {
    const BufferKind kind = plan_.buffers[static_cast<size_t>(buffers_.at(value))].kind;
    return kind == BufferKind::kOutput || kind == BufferKind::kStateOut;
  }

  int add_buffer(ir::ValueId value, BufferKind kind, int index) {
    const int number = static_cast<int>(plan_.buffers.size());
    plan_.buffers.push_back({plan_.graph.value(value).name, value, kind, index, 0});
    buffers_[value] = number;
    return number;
  }

  void add_inputs() {
    std::map<TensorRole, int> counts;
    for (const ir::GraphInput& input : plan_.graph.inputs) {
      const int index = counts[input.role]++;
      add_buffer(input.value, kind_of(input.role), index);
    }
  }

  // Where each value that the program hands back goes: its first place among the outputs counts. New states are counted
  // in the order of the old ones.
  void find_outputs() {
    std::set<std::string_view> new_states;
    for (const ir::GraphOutput& output : plan_.graph.outputs) {
      handed_back_.insert(output.value);
      if (output.role == TensorRole::kState) {
        new_states.insert(output.binding);
      }
    }
    std::map<std::string_view, int> state_indices;
    for (const ir::GraphInput& input : plan_.graph.inputs) {
      if (input.role == TensorRole::kState && new_states.count(input.binding) > 0) {
        state_indices.emplace(input.binding, static_cast<int>(state_indices.size()));
      }
    }
    int output_index = 0;
    for (const ir::GraphOutput& output : plan_.graph.outputs) {
      if (output.role == TensorRole::kState) {
        outputs_.emplace(output.value, std::pair(BufferKind::kStateOut, state_indices[output.binding]));
        continue;
      }
      outputs_.emplace(output.value, std::pair(BufferKind::kOutput, output_index));
      output_index += output.role == TensorRole::kOutput ? 1 : 0;
    }
  }

  int result_buffer(ir::ValueId value, Phase phase) {
    if (const auto found = outputs_.find(value); found != outputs_.end()) {
      return add_buffer(value, found->second.first, found->second.second);
    }
    return add_buffer(value, phase == Phase::kPrepare ? BufferKind::kPrepared : BufferKind::kArena, 0);
  }

  // At its place, or wherever the host has it launched.
  const Step* same_step(const Plan& like, const Step& step) const {
    const auto is_same = [&](const Step& other) { return other.skeleton == step.skeleton && other.name == step.name; };
    if (plan_.steps.size() < like.steps.size() && is_same(like.steps[plan_.steps.size()])) {
      return &like.steps[plan_.steps.size()];
    }
    const auto found =
        like.host.has_value() ? std::find_if(like.steps.begin(), like.steps.end(), is_same) : like.steps.end();
    return found == like.steps.end() ? nullptr : &*found;
  }

  // What the same step of the plan at other sizes uses: its text is then the same, and need not be built again.
  const Setting* kept_setting(const ChosenStep& chosen, const Step& step) const {
    const Step* other = options_.like == nullptr ? nullptr : same_step(*options_.like, step);
    return other != nullptr && chosen.kernel->allows(chosen.group, other->setting) ? &other->setting : nullptr;
  }

  Result<void> choose_setting(const ChosenStep& chosen, Step& step) {
    const Setting* kept = kept_setting(chosen, step);
    std::vector<Setting> settings = offered_settings(chosen, options_);
    if (kept != nullptr && std::none_of(settings.begin(), settings.end(),
                                        [&](const Setting& other) { return other.variant == kept->variant; })) {
      // Too small to be worth it here, and yet it is the code that is to run: two parts still show how parts are
      // joined.
      settings.push_back({kept->variant, std::min<int64_t>(kept->splits, 2)});
    }
    const bool adds_chosen = chosen.setting.has_value() && chosen.kernel->allows(chosen.group, *chosen.setting) &&
                             std::find(settings.begin(), settings.end(), *chosen.setting) == settings.end();
    if (adds_chosen) {
      settings.push_back(*chosen.setting);
    }
    std::vector<Alternative> costs;
    for (const Price& price : prices(chosen, settings, options_)) {
      costs.push_back(price.cost);
    }
    auto taken = std::find_if(costs.begin(), costs.end(), [&](const Alternative& candidate) {
      return chosen.setting.has_value() ? candidate.setting == *chosen.setting
                                        : kept == nullptr || candidate.setting.variant == kept->variant;
    });
    if (taken == costs.end()) {
      return failure(ErrorCode::kFileInvalid, step.skeleton + " has no setting " + chosen.setting->variant +
                                                  " for step " + step.name + " on " + plan_.device);
    }
    step.setting = taken->setting;
    step.estimated_us = taken->estimated_us;
    step.measured_us = taken->measured_us;
    costs.erase(taken);
    step.alternatives = std::move(costs);
    return {};
  }

  // What may be written by those who make it, beside what is said to be.
  ChosenStep with_places(const ChosenStep& given) const {
    ChosenStep chosen = given;
    std::vector<kernels::InWhole>& in_whole = chosen.group.in_whole;
    std::erase_if(in_whole, [](const kernels::InWhole& each) { return each.whole.has_value(); });
    const auto kind = outputs_.find(chosen.group.root_node().outputs[0]);
    if (is_cat(chosen) && (kind == outputs_.end() || kind->second.first == BufferKind::kOutput)) {
      const std::vector<kernels::InWhole> more =
          parts_to_place(chosen, {plan_, readers_, handed_back_, is_to_be_in_place(chosen)});
      in_whole.insert(in_whole.end(), more.begin(), more.end());
    }
    return chosen;
  }

  // As a plan that is read says, or the same step of the plan at other sizes.
  bool is_to_be_in_place(const ChosenStep& cat) const {
    Step step;
    step.skeleton = cat.kernel->name();
    step.name = step_name(cat.group);
    const Step* other = options_.like == nullptr ? nullptr : same_step(*options_.like, step);
    return (cat.setting.has_value() && !cat.kernel->is_timed_alone(*cat.setting)) ||
           (other != nullptr && !cat.kernel->is_timed_alone(other->setting));
  }

  // From now on whoever makes a part of the latest step's result writes into it.
  Result<void> place_parts() {
    const std::vector<kernels::InWhole> places = plan_.steps.back().in_whole;
    for (const kernels::InWhole& place : places) {
      if (!place.whole.has_value()) {
        continue;
      }
      plan_.buffers[static_cast<size_t>(buffers_.at(place.part))].whole = place.whole;
      plan_.steps[static_cast<size_t>(maker_of(plan_, place.part))].in_whole.push_back(place);
      for (size_t number = 0; number + 1 < plan_.steps.size(); ++number) {
        STITCH_TRY(refit(number, place));
      }
    }
    return {};
  }

  // The step's sizes where it writes `place.part`, or a part of that.
  Result<void> refit(size_t number, const kernels::InWhole& place) {
    Step& step = plan_.steps[number];
    bool is_placed = false;
    for (kernels::InWhole& each : step.in_whole) {
      is_placed = is_placed || each == place || each.whole == place.part;
      each.whole = each.whole == place.part ? place.whole : each.whole;
    }
    if (!is_placed) {
      return {};
    }
    STITCH_ASSIGN(const kernels::StepShape shape,
                  kernels::find_template(step.skeleton)->shape(step_group(plan_, number), step.setting));
    fit(step, shape);
    return {};
  }

  static void fit(Step& step, const kernels::StepShape& shape) {
    step.extents.clear();
    for (const kernels::NamedExtent& extent : shape.extents) {
      step.extents.push_back(extent.value);
    }
    step.scratch_bytes = shape.scratch_bytes;
    step.kept_bytes = shape.kept_bytes;
  }

  Result<void> add_step(const ChosenStep& given) {
    ChosenStep chosen = with_places(given);
    Step step;
    step.phase = chosen.phase;
    step.skeleton = chosen.kernel->name();
    step.root = chosen.group.root;
    step.nodes = chosen.group.nodes;
    step.name = step_name(chosen.group);
    step.boundary = chosen.boundary;
    for (const ir::ValueId operand : chosen.group.operands) {
      const auto found = buffers_.find(operand);
      if (found == buffers_.end()) {
        return failure(ErrorCode::kFileInvalid, "step " + step.name + " reads " + plan_.graph.value(operand).name +
                                                    ", which no earlier step makes");
      }
      step.operands.push_back(found->second);
    }
    STITCH_TRY(choose_setting(chosen, step));
    if (is_cat(chosen) && chosen.kernel->is_timed_alone(step.setting)) {
      std::erase_if(chosen.group.in_whole, [&](const kernels::InWhole& each) { return chosen.group.reads(each.part); });
    }
    step.in_whole = chosen.group.in_whole;
    const kernels::Work work = chosen.kernel->work(chosen.group, step.setting);
    step.flops = work.flops;
    step.bytes_min = work.bytes;
    step.modelled_us = modelled_us(work, options_.limits);
    STITCH_ASSIGN(const kernels::StepShape shape, chosen.kernel->shape(chosen.group, step.setting));
    fit(step, shape);
    if (step.boundary >= 0) {
      STITCH_ASSIGN(step.scratch_bytes,
                    settle_contract(chosen.group, plan_.boundaries[static_cast<size_t>(step.boundary)]));
    }
    for (const ir::ValueId result : chosen.group.results) {
      if (buffers_.count(result) > 0) {
        return failure(ErrorCode::kFileInvalid, "two steps of the plan make " + plan_.graph.value(result).name);
      }
      step.results.push_back(result_buffer(result, chosen.phase));
    }
    plan_.steps.push_back(std::move(step));
    return is_cat(chosen) ? place_parts() : Result<void>();
  }

  std::string step_name(const kernels::Group& group) const {
    std::string name = plan_.graph.value(group.root_node().outputs[0]).name;
    const std::string& last = plan_.graph.value(group.results.back()).name;
    if (last != name && name.size() + last.size() < kMaxNameLength) {
      name += "_" + last;
    }
    return name.substr(0, kMaxNameLength);
  }

  const PlanOptions& options_;
  Plan plan_;
  std::map<ir::ValueId, int> buffers_;
  std::map<ir::ValueId, std::pair<BufferKind, int>> outputs_;
  std::set<ir::ValueId> handed_back_;
  std::map<ir::ValueId, int> readers_;  // steps, by what they read
};

}  // namespace

Result<Plan> assemble(const ir::Graph& graph, const std::vector<ChosenStep>& steps, const PlanOptions& options) {
  return Assembler(graph, options).run(steps);
}

}  // namespace stitch::plan
