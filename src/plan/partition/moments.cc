// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/moments.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "kernels/builtin_templates.h"
#include "kernels/conv/moments.h"
#include "plan/partition/joins.h"
#include "plan/partition/moves.h"
#include "plan/partition/prices.h"
#include "plan/partition/rewrites.h"

namespace stitch::plan {
namespace {

// A convolution and a reduction of its result, both as one step, and whether that runs where the reduction does.
struct Join {
  size_t convolution;
  size_t reduction;
  PlacedGroup both;
  bool is_late;
};

class MomentJoiner {
 public:
  MomentJoiner(const ir::Graph& graph, const PlanOptions& options, const Plan* like, const Fences& fences,
               std::vector<PlacedGroup>& groups)
      : graph_(graph), options_(options), like_(like), fences_(fences), groups_(groups), states_(state_pairs(graph)) {}

  void run(const Plan* kept) {
    std::vector<PlacedGroup> rewritten;  // as it would be with none joined here; made where it is asked for
    size_t i = 0;
    while (i < groups_.size()) {
      const std::optional<Join> join = join_of(i);
      if (!join.has_value()) {
        ++i;
        continue;
      }
      if (like_ == nullptr && rewritten.empty()) {
        rewritten = groups_;
        join_rewrites(graph_, options_, kept, fences_, rewritten);
      }
      if (!is_wanted(*join, rewritten)) {
        ++i;
        continue;
      }
      // Where the convolution is gone the next group is number `i`.
      groups_[join->is_late ? join->reduction : join->convolution] = join->both;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(join->is_late ? i : join->reduction));
      i += join->is_late ? 0 : 1;
    }
  }

 private:
  std::optional<Join> join_of(size_t i) const {
    const PlacedGroup& made = groups_[i];
    if (made.kernel->name() != std::string("convolution") || made.phase != Phase::kRun ||
        made.group.results.size() != 1) {
      return std::nullopt;
    }
    for (size_t reader = i + 1; reader < groups_.size(); ++reader) {
      const PlacedGroup& reduction = groups_[reader];
      if (reduction.kernel->name() != std::string("reduce") || reduction.phase != Phase::kRun ||
          !reads_from(reduction, made) || !fences_.allow(made.group.root, reduction.group.root)) {
        continue;
      }
      const bool is_late = can_move(groups_, states_, i, reader);
      const Join join{i, reader, joined(made, reduction), is_late};
      if ((is_late || can_move(groups_, states_, reader, i)) && is_possible(join)) {
        return join;
      }
    }
    return std::nullopt;
  }

  PlacedGroup joined(const PlacedGroup& made, const PlacedGroup& reduction) const {
    PlacedGroup both = made;
    both.kernel = kernels::find_template(kernels::kConvolutionMoments);
    for (const ir::ValueId operand : reduction.group.operands) {
      if (!makes(made, operand) && !both.group.reads(operand)) {
        both.group.operands.push_back(operand);
      }
    }
    std::set<ir::NodeId> nodes(made.group.nodes.begin(), made.group.nodes.end());
    nodes.insert(reduction.group.nodes.begin(), reduction.group.nodes.end());
    both.group.nodes.assign(nodes.begin(), nodes.end());
    both.group.results.insert(both.group.results.end(), reduction.group.results.begin(), reduction.group.results.end());
    return both;
  }

  bool is_wanted(const Join& join, const std::vector<PlacedGroup>& rewritten) const {
    const PlacedGroup& reduction = groups_[join.reduction];
    return like_ != nullptr
               ? has_joined(*like_, graph_, join.both, reduction.group.root)
               : is_faster_than(rewritten, join.both, reduction, groups_[join.convolution], groups_, options_);
  }

  // What is stored has to be read by somebody else.
  bool is_possible(const Join& join) const {
    const ir::ValueId stored = groups_[join.convolution].group.results[0];
    const auto reads_too = [&](const PlacedGroup& other) {
      return &other != &groups_[join.reduction] && other.group.reads(stored);
    };
    const ChosenStep chosen{join.both.group, join.both.kernel, join.both.phase, {}};
    return std::any_of(groups_.begin(), groups_.end(), reads_too) && keeps_states(join.both, states_) &&
           !offered_settings(chosen, options_).empty() && join.both.kernel->fits(join.both.group).ok;
  }

  const ir::Graph& graph_;
  const PlanOptions& options_;
  const Plan* like_;  // null: by what is expected
  const Fences& fences_;
  std::vector<PlacedGroup>& groups_;
  const std::vector<StatePair> states_;
};

}  // namespace

void join_moments(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                  std::vector<PlacedGroup>& groups) {
  const JoinChoice choice(options, kept);
  if (choice.may_join) {
    MomentJoiner(graph, options, choice.like, fences, groups).run(kept);
  }
}

}  // namespace stitch::plan
