// SPDX-License-Identifier: Apache-2.0
#include "plan/batch/run_time_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "kernels/builtin_templates.h"
#include "plan/batch/graph_family.h"
#include "plan/boundaries/contract.h"
#include "plan/layout/channels_last.h"
#include "plan/partition/states.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

// Beyond, kernels would divide 64-bit indices: right, but never run here.
constexpr int64_t kMaxElements = (int64_t{1} << 31) - 1;
constexpr int64_t kSmallBatches = 9;  // all up to here are tried, then those around powers of two

Unexpected refused(std::string why) { return failure(ErrorCode::kProgramInvalid, std::move(why)); }

std::vector<int64_t> batches_to_try(int64_t minimum, int64_t maximum) {
  std::vector<int64_t> batches = {maximum};
  const auto add = [&](int64_t batch) {
    if (batch >= minimum && batch < maximum) {
      batches.push_back(batch);
    }
  };
  for (int64_t batch = 1; batch <= kSmallBatches; ++batch) {
    add(batch);
  }
  for (int64_t power = 16; power - 1 < maximum; power *= 2) {
    add(power - 1);
    add(power);
    add(power + 1);
  }
  std::sort(batches.begin(), batches.end());
  return batches;
}

// What a plan's graph was made by, beside the rewrites.
struct Maker {
  std::string architecture;
  ChannelsLast kept;
  const std::vector<Boundary>& boundaries;
};

Maker maker_of(const Plan& plan) {
  const auto limits = kernels::device_limits(plan.device);
  return {limits.has_value() ? limits->architecture : std::string(), kept_channels_last(plan.graph), plan.boundaries};
}

// The graph as make_plan() cuts it into steps.
Result<ir::Graph> rewritten(const ir::Graph& graph, const Maker& maker) {
  STITCH_TRY(check_plannable(graph));
  STITCH_ASSIGN(ir::Graph made, rewrite_for(maker.architecture, graph));
  STITCH_ASSIGN(made, keep_channels_last(made, maker.kept));
  STITCH_ASSIGN(const std::vector<PlacedGroup> groups, partition_with_states(made, maker.boundaries));
  return made;
}

kernels::Group step_group_in(const Plan& plan, const ir::Graph& graph, size_t index) {
  kernels::Group group = step_group(plan, index);
  group.graph = &graph;
  return group;
}

// What the code of a step follows from, at every batch: equal for steps that are the same but for their names.
std::string key_of(const Plan& plan, const GraphFamily& family, size_t index) {
  const Step& step = plan.steps[index];
  const auto root = std::find(step.nodes.begin(), step.nodes.end(), step.root);
  std::string places;
  for (const kernels::InWhole& place : step.in_whole) {
    places += plan.graph.value(place.part).name + " ";
  }
  return fmt::format("{} {} {} {} {} {} {}", places, step.boundary, step.setting.variant, step.setting.splits,
                     root - step.nodes.begin(),
                     step_signature(step_group_in(plan, family.first(), index), step.skeleton),
                     step_signature(step_group_in(plan, family.second(), index), step.skeleton));
}

// Whether anything that step `index` computes with changes from one graph of the family to the other.
bool follows_batch(const Plan& plan, const GraphFamily& family, size_t index) {
  const Step& step = plan.steps[index];
  const auto is_other = [&](int buffer) { return family.follows(plan.buffers[static_cast<size_t>(buffer)].value); };
  return std::any_of(step.operands.begin(), step.operands.end(), is_other) ||
         std::any_of(step.nodes.begin(), step.nodes.end(), [&](ir::NodeId id) {
           const ir::Node& node = family.first().node(id);
           return node.attributes != family.second().node(id).attributes ||
                  std::any_of(node.outputs.begin(), node.outputs.end(),
                              [&](ir::ValueId output) { return family.follows(output); });
         });
}

// The numbers of one plan at a batch, and whether they lie on the lines that were fitted. Of steps that are the same
// but for their names the first is looked at for all.
class BatchFit {
 public:
  BatchFit(Plan& plan, const GraphFamily& family) : plan_(plan), family_(family) {
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      first_alike_.push_back(known.emplace(key_of(plan, family, i), i).first->second);
      follows_.push_back(follows_batch(plan, family, i));
    }
  }

  // Decides every step at both batches of the family and notes what their numbers grow by.
  Result<void> fit() {
    STITCH_TRY(check_roles());
    STITCH_ASSIGN(planned_, codes_in(family_.first()));
    STITCH_ASSIGN(const Codes others, codes_in(family_.second()));
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      Step& step = plan_.steps[i];
      STITCH_TRY(check_code(i, *others[i], family_.second_batch()));
      step.extents_per_batch.clear();
      for (size_t j = 0; j < step.extents.size(); ++j) {
        step.extents_per_batch.push_back(family_.slope(step.extents[j], others[i]->shape.extents[j].value));
      }
      step.scratch_bytes_per_batch = family_.slope(step.scratch_bytes, others[i]->shape.scratch_bytes);
      STITCH_TRY(check_prepare(i));
    }
    return check_numbers(others, family_.second(), family_.second_batch());
  }

  // Whether the plan holds at `batch`.
  Result<void> check(int64_t batch) const {
    const Result<ir::Graph> graph = family_.at(batch);
    if (!graph.has_value()) {
      return refused(fmt::format("at batch {}: {}", batch, graph.error().message));
    }
    STITCH_ASSIGN(const Codes codes, codes_in(*graph));
    for (size_t i = 0; i < codes.size(); ++i) {
      STITCH_TRY(check_code(i, *codes[i], batch));
    }
    return check_numbers(codes, *graph, batch);
  }

 private:
  using Codes = std::vector<std::shared_ptr<const kernels::StepDraft>>;  // by step

  Result<void> check_roles() const {
    for (const ir::GraphInput& input : plan_.graph.inputs) {
      if (input.role != TensorRole::kInput && family_.follows(input.value)) {
        return refused(fmt::format("the shape of {} {} follows it", to_string(input.role), input.binding));
      }
    }
    for (const ir::GraphOutput& output : plan_.graph.outputs) {
      if (output.role == TensorRole::kState && family_.follows(output.value)) {
        return refused(fmt::format("the shape of state {} follows it", output.binding));
      }
    }
    return {};
  }

  // prepare() knows no batch.
  Result<void> check_prepare(size_t index) const {
    const Step& step = plan_.steps[index];
    const bool follows =
        step.scratch_bytes_per_batch != 0 || std::any_of(step.extents_per_batch.begin(), step.extents_per_batch.end(),
                                                         [](int64_t slope) { return slope != 0; });
    if (step.phase == Phase::kPrepare && follows) {
      return refused(fmt::format("step {} ({}) prepares a value whose size follows it", index, step.name));
    }
    return {};
  }

  Result<Codes> codes_in(const ir::Graph& graph) const {
    Codes codes;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (first_alike_[i] != i) {
        codes.push_back(codes[first_alike_[i]]);
        continue;
      }
      if (!planned_.empty() && !follows_[i]) {
        codes.push_back(planned_[i]);
        continue;
      }
      const Step& step = plan_.steps[i];
      const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
      const kernels::Group group = step_group_in(plan_, graph, i);
      if (kernel == nullptr || !kernel->store_first(group).empty() || !kernel->allows(group, step.setting)) {
        return refused(fmt::format("step {} ({}) has no setting {} there", i, step.name, step.setting.variant));
      }
      Result<kernels::StepDraft> code = kernel->draft(group, step.setting);
      if (!code.has_value()) {
        return refused(fmt::format("step {} ({}): {}", i, step.name, code.error().message));
      }
      if (step.boundary >= 0) {
        const Boundary& boundary = plan_.boundaries[static_cast<size_t>(step.boundary)];
        STITCH_ASSIGN(code.value().shape.scratch_bytes, scratch_bytes(group, *boundary.written));
      }
      codes.push_back(std::make_shared<const kernels::StepDraft>(std::move(code).value()));
    }
    return codes;
  }

  Result<void> check_code(size_t index, const kernels::StepDraft& code, int64_t batch) const {
    if (first_alike_[index] != index || kernels::is_same_code(*planned_[index], code)) {
      return {};
    }
    return refused(fmt::format("step {} ({}) is other code at batch {}", index, plan_.steps[index].name, batch));
  }

  Result<void> check_numbers(const Codes& codes, const ir::Graph& graph, int64_t batch) const {
    const int64_t distance = batch - family_.first_batch();
    for (size_t i = 0; i < codes.size(); ++i) {
      const Step& step = plan_.steps[i];
      bool good = codes[i]->shape.scratch_bytes == step.scratch_bytes + step.scratch_bytes_per_batch * distance &&
                  codes[i]->shape.kept_bytes == step.kept_bytes;
      for (size_t j = 0; good && j < step.extents.size(); ++j) {
        good = codes[i]->shape.extents[j].value == step.extents[j] + step.extents_per_batch[j] * distance;
      }
      if (!good) {
        return refused(fmt::format("a size of step {} ({}) follows it in no straight line", i, step.name));
      }
    }
    for (const Buffer& buffer : plan_.buffers) {
      const int64_t at_first = family_.first().type(buffer.value).bytes();
      const int64_t slope = family_.slope(at_first, family_.second().type(buffer.value).bytes());
      if (graph.type(buffer.value).bytes() != at_first + slope * distance) {
        return refused(fmt::format("{} does not grow evenly with it", buffer.name));
      }
    }
    return {};
  }

  Plan& plan_;
  const GraphFamily& family_;
  std::vector<size_t> first_alike_;  // by step
  std::vector<bool> follows_;        // by step
  Codes planned_;
};

// The largest batch at which no tensor has too many elements.
int64_t max_batches(const GraphFamily& family, int64_t planned, int64_t maximum) {
  for (const ir::Value& value : family.first().values) {
    const size_t index = static_cast<size_t>(&value - family.first().values.data());
    const int64_t count = value.type.element_count();
    const int64_t slope = family.slope(count, family.second().values[index].type.element_count());
    if (slope > 0) {
      maximum = std::min(maximum, planned + (kMaxElements - count) / slope);
    }
  }
  return std::max(maximum, planned);
}

// The stretch around the planned batch over which the plan holds.
Result<void> find_range(const BatchFit& fit, RunTimeBatch& batch) {
  const std::vector<int64_t> tried = batches_to_try(std::max<int64_t>(batch.minimum, 2), batch.maximum);
  std::string why;
  int64_t minimum = batch.planned;
  for (auto at = tried.rbegin(); at != tried.rend(); ++at) {
    if (*at < batch.planned) {
      const Result<void> holds = fit.check(*at);
      if (!holds.has_value()) {
        why = holds.error().message;
        break;
      }
      minimum = *at;
    }
  }
  int64_t maximum = batch.planned;
  for (const int64_t at : tried) {
    if (at > batch.planned) {
      const Result<void> holds = fit.check(at);
      if (!holds.has_value()) {
        why = holds.error().message;
        break;
      }
      maximum = at;
    }
  }
  // Through two points there is always a line: the range must hold a third.
  const bool is_line = std::any_of(tried.begin(), tried.end(), [&](int64_t at) {
    return at >= minimum && at <= maximum && at != batch.planned && at != batch.other_batch;
  });
  if (!is_line) {
    return refused(why.empty() ? "its range is too small" : why);
  }
  batch.minimum = batch.minimum == 1 && minimum <= 2 ? 1 : minimum;
  batch.maximum = maximum;
  if (batch.declared < batch.minimum) {
    return refused(why.empty() ? fmt::format("at batch {} it is a program of its own", batch.declared) : why);
  }
  return {};
}

Result<GraphFamily> family_of(const Plan& plan, const BatchRange& range, const BatchVariant& other) {
  Result<ir::Graph> graph = rewritten(other.graph, maker_of(plan));
  if (!graph.has_value()) {
    return refused(fmt::format("at batch {}: {}", other.batch, graph.error().message));
  }
  return GraphFamily::between(plan.graph, range.planned, std::move(graph).value(), other.batch);
}

// Some operators of the program do nothing at a batch of one (an expand to the batch), and an import leaves them out.
bool is_same_at_one(const ir::Graph& expected, const Maker& maker, const Result<ir::Graph>& found) {
  const Result<ir::Graph> simplified = rewritten(expected, maker);
  return simplified.has_value() && found.has_value() && difference(*simplified, *found).empty();
}

// Whether the program as imported at `variant.batch` is the one that the family says; 1 may be a case of its own.
Result<bool> agrees_with(const GraphFamily& family, const Maker& maker, const BatchVariant& variant,
                         BatchRange& range) {
  const Result<ir::Graph> expected = family.at(variant.batch);
  const Result<ir::Graph> found = rewritten(variant.graph, maker);
  std::string why;
  if (!expected.has_value() || !found.has_value()) {
    why = expected.has_value() ? found.error().message : expected.error().message;
  } else {
    why = difference(*expected, *found);
  }
  if (why.empty() || (variant.batch == 1 && expected.has_value() && is_same_at_one(*expected, maker, found))) {
    return true;
  }
  if (variant.batch == 1) {
    range.minimum = 2;
    return false;
  }
  return refused(fmt::format("at batch {}: {}", variant.batch, why));
}

// Fits the plan's numbers and narrows `batch` down to where they hold.
Result<void> settle_batch(Plan& plan, const GraphFamily& family, RunTimeBatch batch) {
  BatchFit fit(plan, family);
  STITCH_TRY(fit.fit());
  STITCH_TRY(find_range(fit, batch));
  plan.batch = std::move(batch);
  return {};
}

Result<void> try_carry(Plan& plan, RunTimeBatch batch) {
  if (std::string why = why_own_sizes(plan); !why.empty()) {
    return refused(std::move(why));
  }
  STITCH_ASSIGN(const std::vector<PlacedGroup> groups, partition_with_states(batch.other, plan.boundaries));
  STITCH_ASSIGN(const GraphFamily family,
                GraphFamily::between(plan.graph, batch.planned, batch.other, batch.other_batch));
  return settle_batch(plan, family, std::move(batch));
}

Result<void> try_batch(Plan& plan, BatchRange range, const std::vector<BatchVariant>& others) {
  if (std::string why = why_own_sizes(plan); !why.empty()) {
    return refused(std::move(why));
  }
  if (others.empty() || range.planned < 2) {
    return refused("steps that are planned for a batch of 1 leave its axis out");
  }
  STITCH_ASSIGN(const GraphFamily family, family_of(plan, range, others.front()));
  bool is_checked = false;
  for (size_t i = 1; i < others.size(); ++i) {
    STITCH_ASSIGN(const bool agrees, agrees_with(family, maker_of(plan), others[i], range));
    is_checked = is_checked || agrees;
  }
  if (!is_checked) {
    return refused("no third batch shows that its numbers follow it in a straight line");
  }
  return settle_batch(plan, family,
                      {range.declared, range.planned, range.minimum, max_batches(family, range.planned, range.maximum),
                       others.front().batch, family.second()});
}

void forget_batch(Plan& plan) {
  plan.batch.reset();
  for (Step& step : plan.steps) {
    step.extents_per_batch.clear();
    step.scratch_bytes_per_batch = 0;
  }
}

// Sets the plan's batch by `attempt`, or why there is none.
void note_batch(Plan& plan, const std::function<Result<void>()>& attempt) {
  forget_batch(plan);
  plan.batch_note.clear();
  const Result<void> done = attempt();
  if (!done.has_value()) {
    forget_batch(plan);
    plan.batch_note = done.error().message;
  }
}

}  // namespace

void add_run_time_batch(Plan& plan, const BatchRange& range, const std::vector<BatchVariant>& others) {
  note_batch(plan, [&] { return try_batch(plan, range, others); });
}

void carry_run_time_batch(Plan& plan, RunTimeBatch batch) {
  note_batch(plan, [&] { return try_carry(plan, std::move(batch)); });
}

Result<void> refit_batch(Plan& plan) {
  if (std::string why = why_own_sizes(plan); !why.empty()) {
    return refused(std::move(why));
  }
  RunTimeBatch& batch = *plan.batch;
  const bool in_order = batch.minimum >= 1 && batch.minimum <= batch.declared && batch.planned <= batch.maximum &&
                        batch.planned >= 2 && batch.other_batch >= 1 &&
                        (batch.declared == batch.planned || batch.declared == 1);
  if (!in_order) {
    return refused("the batches of the plan are in no order");
  }
  STITCH_ASSIGN(const GraphFamily family,
                GraphFamily::between(plan.graph, batch.planned, batch.other, batch.other_batch));
  BatchFit fit(plan, family);
  STITCH_TRY(fit.fit());
  if (max_batches(family, batch.planned, batch.maximum) != batch.maximum) {
    return refused("the greatest batch of the plan makes tensors too large");
  }
  for (const int64_t at : {std::max<int64_t>(batch.minimum, 2), batch.maximum}) {
    STITCH_TRY(fit.check(at));
  }
  return {};
}

BatchLine batch_line(const RunTimeBatch& batch, int64_t at_planned, int64_t at_other) {
  const int64_t slope = (at_other - at_planned) / (batch.other_batch - batch.planned);
  return {at_planned - slope * batch.planned, slope};
}

}  // namespace stitch::plan
