// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/cat_parts.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/builtin_templates.h"
#include "kernels/group/in_place.h"

namespace stitch::plan {
namespace {

using kernels::InWhole;

// From one place along `axis` to the next.
int64_t elements_behind(const std::vector<int64_t>& shape, size_t axis) {
  return std::accumulate(shape.begin() + static_cast<int64_t>(axis) + 1, shape.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

// A part is copied by the step alone, which reads it at no other place.
bool is_read_once(const kernels::Group& group, ir::ValueId part) {
  int64_t uses = 0;
  for (const ir::NodeId id : group.nodes) {
    uses += kernels::uses(group.graph->node(id), part);
  }
  return uses == 1 && group.reads(part);
}

// Parts of a concatenation that is a part itself lie in the larger one, whose axis then has to be the same.
bool has_axis(const Step& maker, const InWhole& wanted) {
  return std::all_of(maker.in_whole.begin(), maker.in_whole.end(),
                     [&](const InWhole& each) { return each.whole != wanted.part || each.axis == wanted.axis; });
}

bool can_store(const Plan& plan, const InWhole& wanted) {
  const int number = maker_of(plan, wanted.part);
  if (number < 0) {
    return false;
  }
  const Step& maker = plan.steps[static_cast<size_t>(number)];
  if (maker.phase != Phase::kRun || maker.boundary >= 0 || !has_axis(maker, wanted)) {
    return false;
  }
  kernels::Group group = step_group(plan, static_cast<size_t>(number));
  group.in_whole.push_back(wanted);
  return kernels::find_template(maker.skeleton)->draft(group, maker.setting).has_value();
}

// A part of one element per slice has strides that tell it from others by nothing.
bool has_strides(const std::vector<int64_t>& shape, size_t axis) {
  return shape[axis] * elements_behind(shape, axis) > 1 &&
         std::none_of(shape.begin(), shape.end(), [](int64_t extent) { return extent == 0; });
}

// The launch, or some bytes: of a few the copy takes no time beside its launch.
bool saves_something(const ir::Graph& graph, const ir::Node& node, const std::vector<InWhole>& placed) {
  constexpr int64_t kMinBytes = int64_t{1} << 16;
  const int64_t bytes =
      std::accumulate(placed.begin(), placed.end(), int64_t{0},
                      [&](int64_t sum, const InWhole& each) { return sum + graph.type(each.part).bytes(); });
  return placed.size() == node.operands.size() || bytes >= kMinBytes;
}

}  // namespace

bool is_cat(const ChosenStep& chosen) {
  return chosen.boundary < 0 && chosen.group.root_node().op == ir::Op::kCat &&
         chosen.kernel->name() == std::string("cat");
}

int maker_of(const Plan& plan, ir::ValueId value) {
  for (size_t number = plan.steps.size(); number > 0; --number) {
    for (const int result : plan.steps[number - 1].results) {
      if (plan.buffers[static_cast<size_t>(result)].value == value) {
        return static_cast<int>(number - 1);
      }
    }
  }
  return -1;
}

std::vector<InWhole> parts_to_place(const ChosenStep& cat, const BesideCat& beside) {
  const kernels::Group& group = cat.group;
  const ir::Node& node = group.root_node();
  const ir::ValueId whole = node.outputs[0];
  std::vector<InWhole> found;
  if (group.results != std::vector<ir::ValueId>{whole} || cat.phase != Phase::kRun) {
    return found;
  }
  const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
  for (const ir::Operand& operand : node.operands) {
    const InWhole wanted{std::get<ir::ValueId>(operand), axis, whole};
    const auto readers = beside.readers.find(wanted.part);
    const bool is_ours = is_read_once(group, wanted.part) && beside.handed_back.count(wanted.part) == 0 &&
                         readers != beside.readers.end() && readers->second == 1;
    if (is_ours && has_strides(group.graph->type(wanted.part).shape, axis) && can_store(beside.plan, wanted)) {
      found.push_back(wanted);
    }
  }
  return beside.takes_few || saves_something(*group.graph, node, found) ? found : std::vector<InWhole>{};
}

}  // namespace stitch::plan
