// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/builtin_templates.h"
#include "kernels/conv/normed.h"
#include "kernels/conv/pooled.h"
#include "kernels/conv/windowed.h"
#include "kernels/norm/pooled.h"
#include "plan/partition/joins.h"
#include "plan/partition/prices.h"
#include "plan/partition/users.h"

namespace stitch::plan {
namespace {

// The skeletons that pool what `kernel` makes where it is made.
std::vector<const char*> pooling(const std::string& kernel) {
  if (kernel == "convolution") {
    return {kernels::kPooledConvolution, kernels::kWindowedConvolution};
  }
  return kernel == "layer_norm" ? std::vector<const char*>{kernels::kPooledLayerNorm} : std::vector<const char*>{};
}

bool is_pooled(const std::string& kernel) { return kernel == "pool" || kernel == "reduce" || kernel == "softmax"; }

bool is_normed(const PlacedGroup& made, const PlacedGroup& reader) {
  return made.kernel->name() == std::string("convolution") && reader.kernel->name() == std::string("layer_norm");
}

// Whether a step of `like` has the root of that name and all of `members`, and not `beyond`.
bool is_joined_in(const Plan& like, const std::string& skeleton, const std::string& root,
                  const std::vector<std::string>& members, const std::string& beyond) {
  return std::any_of(like.steps.begin(), like.steps.end(), [&](const Step& step) {
    std::set<std::string> names;
    for (const ir::NodeId id : step.nodes) {
      names.insert(like.graph.value(like.graph.node(id).outputs[0]).name);
    }
    return step.skeleton == skeleton && like.graph.value(like.graph.node(step.root).outputs[0]).name == root &&
           std::all_of(members.begin(), members.end(),
                       [&](const std::string& member) { return names.count(member) > 0; }) &&
           names.count(beyond) == 0;
  });
}

PlacedGroup joined(const PlacedGroup& made, const PlacedGroup& pool) {
  PlacedGroup both = made;
  const std::set<ir::ValueId> between(made.group.results.begin(), made.group.results.end());
  for (const ir::ValueId operand : pool.group.operands) {
    if (between.count(operand) == 0 && !both.group.reads(operand)) {
      both.group.operands.push_back(operand);
    }
  }
  std::set<ir::NodeId> nodes(made.group.nodes.begin(), made.group.nodes.end());
  nodes.insert(pool.group.nodes.begin(), pool.group.nodes.end());
  both.group.nodes.assign(nodes.begin(), nodes.end());
  both.group.results = pool.group.results;
  return both;
}

class PoolJoiner {
 public:
  PoolJoiner(const ir::Graph& graph, const PlanOptions& options, const Plan* like, const Fences& fences,
             std::vector<PlacedGroup>& groups)
      : graph_(graph), options_(options), like_(like), fences_(fences), groups_(groups), users_(graph) {
    for (size_t i = 0; i < groups.size(); ++i) {
      for (const ir::ValueId operand : groups[i].group.operands) {
        readers_[operand].push_back(i);
      }
    }
  }

  void run() {
    std::set<size_t> gone;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const std::optional<Joined> join = join_of(i);
      if (!join.has_value()) {
        continue;
      }
      gone.insert(i);
      gone.insert(join->readers.begin(), join->readers.end() - 1);
      groups_[join->readers.back()] = join->group;
    }
    size_t next = 0;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (gone.count(i) == 0) {
        groups_[next++] = groups_[i];
      }
    }
    groups_.resize(next);
  }

 private:
  // Groups behind each other, each of which alone reads the one before.
  struct Joined {
    std::vector<size_t> readers;
    PlacedGroup group;
    double saved_us = 0;
  };

  // The group that alone reads what group `i` makes, if it pools it.
  std::optional<size_t> pool_of(size_t i) const {
    const PlacedGroup& made = groups_[i];
    const auto found = made.group.results.size() == 1 ? readers_.find(made.group.results[0]) : readers_.end();
    if (found == readers_.end() || found->second.size() != 1 || users_.is_output(made.group.results[0])) {
      return std::nullopt;
    }
    const PlacedGroup& pool = groups_[found->second[0]];
    return (is_pooled(pool.kernel->name()) || is_normed(made, pool)) && pool.phase == Phase::kRun &&
                   fences_.allow(made.group.root, pool.group.root)
               ? std::optional(found->second[0])
               : std::nullopt;
  }

  // What convolution or normalisation `i` is best joined to: one group that pools it, or a few, a softmax among them.
  std::optional<Joined> join_of(size_t i) const {
    constexpr size_t kMostReaders = 3;
    const std::vector<const char*> skeletons = pooling(groups_[i].kernel->name());
    std::optional<Joined> best;
    if (skeletons.empty() || groups_[i].phase != Phase::kRun) {
      return best;
    }
    Joined next{{}, groups_[i]};
    double apart_us = 0;
    for (size_t last = i; next.readers.size() < kMostReaders; last = next.readers.back()) {
      const std::optional<size_t> reader = pool_of(last);
      if (!reader.has_value()) {
        break;
      }
      if (like_ == nullptr) {
        apart_us += next.readers.empty() ? expected_us(groups_[i], options_) : 0;
        apart_us += expected_us(groups_[*reader], options_);
      }
      next.readers.push_back(*reader);
      next.group = joined(next.group, groups_[*reader]);
      if (is_normed(groups_[last], groups_[*reader])) {
        take_better(next, kernels::kNormedConvolution, apart_us, best);
        break;
      }
      for (const char* skeleton : skeletons) {
        take_better(next, skeleton, apart_us, best);
      }
    }
    return best;
  }

  void take_better(Joined next, const char* skeleton, double apart_us, std::optional<Joined>& best) const {
    PlacedGroup& both = next.group;
    both.kernel = kernels::find_template(skeleton);
    const ChosenStep chosen{both.group, both.kernel, both.phase, {}};
    if (!both.kernel->fits(both.group).ok || offered_settings(chosen, options_).empty()) {
      return;
    }
    if (like_ != nullptr) {
      if (is_joined_like(next)) {
        best = next;
      }
      return;
    }
    next.saved_us = apart_us - expected_us(both, options_);
    if (next.saved_us > (best.has_value() ? best->saved_us : 0)) {
      best = next;
    }
  }

  bool is_joined_like(const Joined& join) const {
    const auto name_of_root = [&](const kernels::Group& group) {
      return graph_.value(group.root_node().outputs[0]).name;
    };
    std::vector<std::string> members;
    for (const size_t reader : join.readers) {
      members.push_back(name_of_root(groups_[reader].group));
    }
    const std::optional<size_t> beyond = pool_of(join.readers.back());
    return is_joined_in(*like_, join.group.kernel->name(), name_of_root(join.group.group), members,
                        beyond.has_value() ? name_of_root(groups_[*beyond].group) : std::string());
  }

  const ir::Graph& graph_;
  const PlanOptions& options_;
  const Plan* like_;  // null: by what is expected
  const Fences& fences_;
  std::vector<PlacedGroup>& groups_;
  Users users_;
  std::map<ir::ValueId, std::vector<size_t>> readers_;
};

}  // namespace

void join_pools(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                std::vector<PlacedGroup>& groups) {
  const JoinChoice choice(options, kept);
  if (choice.may_join) {
    PoolJoiner(graph, options, choice.like, fences, groups).run();
  }
}

}  // namespace stitch::plan
