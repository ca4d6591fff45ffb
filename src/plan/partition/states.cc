// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/states.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "ir/build/builder.h"
#include "ir/graph/op.h"
#include "kernels/movement/cat_in_place.h"
#include "kernels/scatter/in_place.h"
#include "kernels/written/written.h"
#include "plan/partition/users.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

constexpr const char* kCopySuffix = "_copied";

// Within the step that writes the new value, each element of the old one must be read once, by the thread that then
// writes its place: pointwise nodes of the state's own shape, computed while storing.
bool reads_in_place(const PlacedGroup& placed, const StatePair& state, const Users& users) {
  const kernels::Group& group = placed.group;
  const ir::Graph& graph = *group.graph;
  const std::vector<int64_t>& shape = graph.type(state.before).shape;
  for (const ir::NodeId user : users.direct(state.before)) {
    if (!group.contains(user)) {
      continue;
    }
    const ir::Node& node = graph.node(user);
    const bool is_same_element =
        kernels::is_elementwise(node) && !kernels::is_look_up(node) && graph.type(node.outputs[0]).shape == shape;
    const bool is_stored_from = placed.kernel->is_pointwise() || group.root < user;
    if (!is_same_element || !is_stored_from) {
      return false;
    }
  }
  // Every result walks the state's shape too: nothing else is stored from these elements by another thread.
  return std::all_of(group.results.begin(), group.results.end(),
                     [&](ir::ValueId result) { return graph.type(result).shape == shape; });
}

// An assignment to some places of the state: each is read, if at all, by the thread that writes it, and the rest stays.
bool updates_in_place(const PlacedGroup& placed, const StatePair& state) {
  const auto is_state = [&](const kernels::InPlace& in_place) {
    return in_place.from == state.before && in_place.to == state.after;
  };
  const auto of_scatter = kernels::scatter_in_place(placed.group);
  const auto of_cat = kernels::cat_in_place(placed.group);
  return (of_scatter && is_state(*of_scatter) && kernels::reads_only_to_update(placed.group, *of_scatter)) ||
         (of_cat && is_state(*of_cat));
}

// The groups that read a value from memory or write it, in the order in which they run.
class Accesses {
 public:
  explicit Accesses(const std::vector<PlacedGroup>& groups) {
    for (const PlacedGroup& placed : groups) {
      for (const std::vector<ir::ValueId>* values : {&placed.group.operands, &placed.group.results}) {
        for (const ir::ValueId value : *values) {
          by_value_[value].insert(&placed);  // of one array: addresses are in its order
        }
      }
    }
  }

  std::set<const PlacedGroup*> of(const StatePair& state) const {
    std::set<const PlacedGroup*> both;
    for (const ir::ValueId value : {state.before, state.after}) {
      if (const auto found = by_value_.find(value); found != by_value_.end()) {
        both.insert(found->second.begin(), found->second.end());
      }
    }
    return both;
  }

 private:
  std::map<ir::ValueId, std::set<const PlacedGroup*>> by_value_;
};

// Whether each element of the old value is read before its place is written.
bool follows_places(const PlacedGroup& placed, const StatePair& state, const Users& users) {
  return !kernels::is_written(*placed.kernel) &&
         (updates_in_place(placed, state) || reads_in_place(placed, state, users));
}

bool is_overwritten_too_early(const Accesses& accesses, const StatePair& state, const Users& users) {
  bool is_written = false;
  for (const PlacedGroup* placed : accesses.of(state)) {
    const auto& results = placed->group.results;
    const bool writes = std::find(results.begin(), results.end(), state.after) != results.end();
    const bool reads = placed->group.reads(state.before);
    if (reads && (is_written || (writes && !follows_places(*placed, state, users)))) {
      return true;
    }
    is_written = is_written || writes;
  }
  return false;
}

}  // namespace

std::vector<StatePair> state_pairs(const ir::Graph& graph) {
  std::multimap<std::string_view, ir::ValueId> before;
  for (const ir::GraphInput& input : graph.inputs) {
    if (input.role == TensorRole::kState) {
      before.emplace(input.binding, input.value);
    }
  }
  std::vector<StatePair> pairs;
  for (const ir::GraphOutput& output : graph.outputs) {
    if (output.role == TensorRole::kState) {
      const auto [first, last] = before.equal_range(output.binding);
      std::for_each(first, last, [&](const auto& input) { pairs.push_back({input.second, output.value}); });
    }
  }
  return pairs;
}

Result<std::vector<PlacedGroup>> partition_with_states(ir::Graph& graph, const std::vector<Boundary>& boundaries,
                                                       Stacks stacks) {
  STITCH_ASSIGN(const Fences fences, Fences::find(graph, boundaries));
  STITCH_ASSIGN(std::vector<PlacedGroup> groups, partition(graph, {}, fences, stacks));
  std::set<ir::NodeId> alone;
  const Users users(graph);
  const Accesses accesses(groups);
  ir::Graph with_copies = graph;
  ir::Builder builder(with_copies);
  for (const StatePair& state : state_pairs(graph)) {
    if (!is_overwritten_too_early(accesses, state, users)) {
      continue;
    }
    const ir::Value& value = graph.value(state.after);
    ir::Node copy{ir::Op::kReshape, {state.after}, {{"shape", value.type.shape}}, {}, {}};
    STITCH_ASSIGN(const ir::ValueId copied, builder.add_one(copy, value.name + kCopySuffix));
    alone.insert(with_copies.value(copied).producer);
    for (ir::GraphOutput& output : with_copies.outputs) {
      if (output.role == TensorRole::kState && output.value == state.after) {
        output.value = copied;
      }
    }
  }
  if (alone.empty()) {
    return groups;
  }
  graph = std::move(with_copies);
  STITCH_ASSIGN(const Fences fences_with_copies, Fences::find(graph, boundaries));
  return partition(graph, alone, fences_with_copies, stacks);
}

Result<ir::Graph> without_state_copies(ir::Graph graph) {
  bool has_copies = false;
  for (ir::GraphOutput& output : graph.outputs) {
    const ir::NodeId producer = graph.value(output.value).producer;
    if (output.role != TensorRole::kState || !producer.is_valid() || graph.node(producer).op != ir::Op::kReshape) {
      continue;
    }
    const ir::ValueId original = ir::tensor_operand(graph.node(producer), 0);
    if (graph.value(output.value).name == graph.value(original).name + kCopySuffix) {
      output.value = original;
      has_copies = true;
    }
  }
  return has_copies ? remove_dead_code(graph) : Result<ir::Graph>(std::move(graph));
}

}  // namespace stitch::plan
