// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/maps.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "ir/graph/op.h"
#include "kernels/builtin_templates.h"
#include "kernels/conv/mapped.h"
#include "plan/partition/joins.h"
#include "plan/partition/moves.h"
#include "plan/partition/prices.h"
#include "plan/partition/rewrites.h"
#include "plan/partition/users.h"

namespace stitch::plan {
namespace {

// A pointwise step and the convolution that reads it, as one step in the convolution's place.
struct MapJoin {
  size_t map;
  size_t convolution;
  PlacedGroup both;
};

class MapJoiner {
 public:
  MapJoiner(const ir::Graph& graph, const PlanOptions& options, const Plan* like, const Fences& fences,
            std::vector<PlacedGroup>& groups)
      : graph_(graph),
        options_(options),
        like_(like),
        fences_(fences),
        groups_(groups),
        states_(state_pairs(graph)),
        users_(graph) {}

  void run(const Plan* kept) {
    std::vector<PlacedGroup> rewritten;  // as it would be with none joined here; made where it is asked for
    size_t i = 0;
    while (i < groups_.size()) {
      const std::optional<MapJoin> join = join_of(i);
      if (join.has_value() && like_ == nullptr && rewritten.empty()) {
        rewritten = groups_;
        join_rewrites(graph_, options_, kept, fences_, rewritten);
      }
      if (!join.has_value() || !is_wanted(*join, rewritten)) {
        ++i;
        continue;
      }
      groups_[join->convolution] = join->both;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

 private:
  std::optional<MapJoin> join_of(size_t i) const {
    const PlacedGroup& map = groups_[i];
    if (!map.kernel->is_pointwise() || map.phase != Phase::kRun || map.boundary >= 0 || map.group.results.size() != 1 ||
        users_.is_output(map.group.results[0])) {
      return std::nullopt;
    }
    std::optional<size_t> reader;
    for (size_t other = i + 1; other < groups_.size(); ++other) {
      if (groups_[other].group.reads(map.group.results[0])) {
        if (reader.has_value()) {
          return std::nullopt;
        }
        reader = other;
      }
    }
    if (!reader.has_value() || !is_convolution_of(groups_[*reader], map.group.results[0]) ||
        !fences_.allow(map.group.root, groups_[*reader].group.root) || !can_move(groups_, states_, i, *reader)) {
      return std::nullopt;
    }
    const MapJoin join{i, *reader, joined(map, groups_[*reader])};
    const ChosenStep chosen{join.both.group, join.both.kernel, join.both.phase, {}};
    const bool is_possible = keeps_old_values(map, groups_[*reader]) && !offered_settings(chosen, options_).empty() &&
                             join.both.kernel->fits(join.both.group).ok;
    return is_possible ? std::optional(join) : std::nullopt;
  }

  bool is_wanted(const MapJoin& join, const std::vector<PlacedGroup>& rewritten) const {
    const PlacedGroup& map = groups_[join.map];
    return like_ != nullptr ? has_joined(*like_, graph_, join.both, map.group.root)
                            : is_faster_than(rewritten, join.both, map, groups_[join.convolution], groups_, options_);
  }

  // A convolution writes over a state while other threads still map the old one.
  bool keeps_old_values(const PlacedGroup& map, const PlacedGroup& convolution) const {
    return std::none_of(states_.begin(), states_.end(), [&](const StatePair& state) {
      return map.group.reads(state.before) && makes(convolution, state.after);
    });
  }

  bool is_convolution_of(const PlacedGroup& placed, ir::ValueId input) const {
    return placed.kernel->name() == std::string("convolution") && placed.phase == Phase::kRun &&
           ir::tensor_operand(placed.group.root_node(), 0) == input;
  }

  PlacedGroup joined(const PlacedGroup& map, const PlacedGroup& convolution) const {
    PlacedGroup both = convolution;
    both.kernel = kernels::find_template(kernels::kMappedConvolution);
    std::set<ir::NodeId> nodes(map.group.nodes.begin(), map.group.nodes.end());
    nodes.insert(convolution.group.nodes.begin(), convolution.group.nodes.end());
    both.group.nodes.assign(nodes.begin(), nodes.end());
    both.group.operands = map.group.operands;
    for (const ir::ValueId operand : convolution.group.operands) {
      if (!makes(map, operand) && !both.group.reads(operand)) {
        both.group.operands.push_back(operand);
      }
    }
    return both;
  }

  const ir::Graph& graph_;
  const PlanOptions& options_;
  const Plan* like_;  // null: by what is expected
  const Fences& fences_;
  std::vector<PlacedGroup>& groups_;
  const std::vector<StatePair> states_;
  Users users_;
};

}  // namespace

void join_maps(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
               std::vector<PlacedGroup>& groups) {
  const JoinChoice choice(options, kept);
  if (choice.may_join) {
    MapJoiner(graph, options, choice.like, fences, groups).run(kept);
  }
}

}  // namespace stitch::plan
