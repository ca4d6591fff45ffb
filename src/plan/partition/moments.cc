// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/moments.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "kernels/builtin_templates.h"
#include "kernels/conv/moments.h"
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
      if (like_ != nullptr ? !is_joined_in_like(join->both) : !is_faster(*join, rewritten)) {
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

  bool is_joined_in_like(const PlacedGroup& both) const {
    const std::string& name = graph_.value(both.group.root_node().outputs[0]).name;
    return std::any_of(like_->steps.begin(), like_->steps.end(), [&](const Step& step) {
      return step.skeleton == both.kernel->name() &&
             like_->graph.value(like_->graph.node(step.root).outputs[0]).name == name;
    });
  }

  // Beside the reduction, and those that would be joined to it instead.
  bool is_faster(const Join& join, const std::vector<PlacedGroup>& rewritten) const {
    const PlacedGroup& reduction = groups_[join.reduction];
    const auto other = std::find_if(rewritten.begin(), rewritten.end(), [&](const PlacedGroup& placed) {
      return placed.group.contains(reduction.group.root);
    });
    double together = expected_us(join.both, options_);
    for (const PlacedGroup& placed : groups_) {
      if (&placed != &reduction && other->group.contains(placed.group.root)) {
        together += expected_us(placed, options_);
      }
    }
    return together < expected_us(groups_[join.convolution], options_) + expected_us(*other, options_);
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
  const Plan* like = options.like != nullptr ? options.like : kept;
  if (like != nullptr || options.form.style != Style::kByLibraries) {
    MomentJoiner(graph, options, like, fences, groups).run(kept);
  }
}

}  // namespace stitch::plan
