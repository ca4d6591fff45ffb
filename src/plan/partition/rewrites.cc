// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/rewrites.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/graph/op.h"
#include "kernels/reduce/rewrite.h"
#include "plan/partition/joins.h"
#include "plan/partition/moves.h"
#include "plan/partition/prices.h"
#include "plan/partition/users.h"

namespace stitch::plan {
namespace {

constexpr size_t kMaxNodes = 256;  // of a group, as in partition()

class RewriteJoiner {
 public:
  RewriteJoiner(const ir::Graph& graph, const PlanOptions& options, const Plan* like, const Fences& fences,
                std::vector<PlacedGroup>& groups)
      : graph_(graph),
        options_(options),
        like_(like),
        fences_(fences),
        groups_(groups),
        states_(state_pairs(graph)),
        users_(graph) {}

  void run() {
    for (size_t i = 0; i < groups_.size(); ++i) {
      while (groups_[i].kernel->name() == std::string("reduce") && join_reader(i)) {
      }
    }
  }

 private:
  // Whether a later step was joined to reduction `i`, at the place of the later one where nothing between needs them
  // apart. Another step may be number `i` then.
  bool join_reader(size_t i) {
    for (size_t reader = i + 1; reader < groups_.size(); ++reader) {
      const bool is_candidate = groups_[reader].kernel->is_pointwise() && reads_from(groups_[reader], groups_[i]) &&
                                fences_.allow(groups_[i].group.root, groups_[reader].group.root);
      if (!is_candidate || groups_[i].phase != Phase::kRun || groups_[reader].phase != Phase::kRun) {
        continue;
      }
      const bool can_be_late = can_move(groups_, states_, i, reader);
      if (!can_be_late && !can_move(groups_, states_, reader, i)) {
        continue;
      }
      const PlacedGroup both = joined(i, reader);
      if (!is_wanted(groups_[i], groups_[reader], both)) {
        continue;
      }
      groups_[can_be_late ? reader : i] = both;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(can_be_late ? i : reader));
      return true;
    }
    return false;
  }

  PlacedGroup joined(size_t made, size_t reader) const {
    PlacedGroup both = groups_[made];
    for (const ir::ValueId operand : groups_[reader].group.operands) {
      if (!makes(groups_[made], operand) && !both.group.reads(operand)) {
        both.group.operands.push_back(operand);
      }
    }
    std::set<ir::NodeId> nodes(both.group.nodes.begin(), both.group.nodes.end());
    nodes.insert(groups_[reader].group.nodes.begin(), groups_[reader].group.nodes.end());
    both.group.nodes.assign(nodes.begin(), nodes.end());
    both.group.results.clear();
    for (const ir::NodeId node : both.group.nodes) {
      for (const ir::ValueId output : graph_.node(node).outputs) {
        if (makes(groups_[reader], output) || (makes(groups_[made], output) && is_read_beside(output, reader))) {
          both.group.results.push_back(output);
        }
      }
    }
    return both;
  }

  bool is_read_beside(ir::ValueId value, size_t reader) const {
    if (users_.is_output(value)) {
      return true;
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (i != reader && groups_[i].group.reads(value)) {
        return true;
      }
    }
    return false;
  }

  bool is_wanted(const PlacedGroup& made, const PlacedGroup& reader, const PlacedGroup& both) const {
    const ChosenStep chosen{both.group, both.kernel, both.phase, {}};
    if (both.group.nodes.size() > kMaxNodes || !kernels::rewrites_beside_totals(both.group) ||
        !keeps_states(both, states_) || offered_settings(chosen, options_).empty() ||
        !both.kernel->fits(both.group).ok) {
      return false;
    }
    if (like_ != nullptr) {
      return has_joined(*like_, graph_, both, reader.group.root);
    }
    return expected_us(both, options_) < expected_us(made, options_) + expected_us(reader, options_);
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

void join_rewrites(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                   std::vector<PlacedGroup>& groups) {
  const JoinChoice choice(options, kept);
  if (choice.may_join) {
    RewriteJoiner(graph, options, choice.like, fences, groups).run();
  }
}

}  // namespace stitch::plan
