// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/moves.h"

#include <algorithm>
#include <set>

namespace stitch::plan {
namespace {

// Whether some result of another shape than `value` is computed from it within the group.
bool leads_beyond(const kernels::Group& group, ir::ValueId value) {
  const ir::Graph& graph = *group.graph;
  std::set<ir::ValueId> follows = {value};
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    const bool does_follow = std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && follows.count(std::get<ir::ValueId>(operand)) > 0;
    });
    if (does_follow) {
      follows.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  return std::any_of(group.results.begin(), group.results.end(), [&](ir::ValueId result) {
    return follows.count(result) > 0 && graph.type(result).shape != graph.type(value).shape;
  });
}

}  // namespace

bool makes(const PlacedGroup& placed, ir::ValueId value) {
  const std::vector<ir::ValueId>& results = placed.group.results;
  return std::find(results.begin(), results.end(), value) != results.end();
}

bool reads_from(const PlacedGroup& reader, const PlacedGroup& maker) {
  return std::any_of(reader.group.operands.begin(), reader.group.operands.end(),
                     [&](ir::ValueId operand) { return makes(maker, operand); });
}

bool can_move(const std::vector<PlacedGroup>& groups, const std::vector<StatePair>& states, size_t from, size_t to) {
  const PlacedGroup& moved = groups[from];
  for (size_t i = std::min(from, to) + 1; i < std::max(from, to); ++i) {
    const PlacedGroup& other = groups[i];
    if (reads_from(other, moved) || reads_from(moved, other) || other.boundary >= 0) {
      return false;
    }
    for (const StatePair& state : states) {
      if ((moved.group.reads(state.before) && makes(other, state.after)) ||
          (other.group.reads(state.before) && makes(moved, state.after))) {
        return false;
      }
    }
  }
  return true;
}

bool keeps_states(const PlacedGroup& placed, const std::vector<StatePair>& states) {
  return std::all_of(states.begin(), states.end(), [&](const StatePair& state) {
    return !makes(placed, state.after) || !placed.group.reads(state.before) ||
           !leads_beyond(placed.group, state.before);
  });
}

}  // namespace stitch::plan
