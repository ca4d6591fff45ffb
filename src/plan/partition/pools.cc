// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernels/builtin_templates.h"
#include "kernels/conv/normed.h"
#include "kernels/conv/pooled.h"
#include "kernels/norm/pooled.h"
#include "plan/partition/prices.h"
#include "plan/partition/users.h"

namespace stitch::plan {
namespace {

// The skeleton that pools or normalises what `kernel` makes where it is made, as `reader` does; null where there is
// none.
const char* joining(const std::string& kernel, const std::string& reader) {
  const bool is_convolution = kernel == "convolution";
  if (reader == "pool" || reader == "reduce") {
    return is_convolution ? kernels::kPooledConvolution
                          : (kernel == "layer_norm" ? kernels::kPooledLayerNorm : nullptr);
  }
  return is_convolution && reader == "layer_norm" ? kernels::kNormedConvolution : nullptr;
}

bool is_joined_in(const Plan& like, const std::string& skeleton, const std::string& root) {
  return std::any_of(like.steps.begin(), like.steps.end(), [&](const Step& step) {
    return step.skeleton == skeleton && like.graph.value(like.graph.node(step.root).outputs[0]).name == root;
  });
}

PlacedGroup joined(const PlacedGroup& made, const PlacedGroup& pool) {
  PlacedGroup both = made;
  both.kernel = kernels::find_template(joining(made.kernel->name(), pool.kernel->name()));
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
      if (const std::optional<size_t> reader = pool_of(i); reader.has_value()) {
        groups_[*reader] = joined(groups_[i], groups_[*reader]);
        gone.insert(i);
      }
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
  // The group to which convolution or normalisation `i` is better joined.
  std::optional<size_t> pool_of(size_t i) const {
    const PlacedGroup& made = groups_[i];
    const auto found = made.group.results.size() == 1 ? readers_.find(made.group.results[0]) : readers_.end();
    if (made.phase != Phase::kRun || found == readers_.end() || found->second.size() != 1 ||
        users_.is_output(made.group.results[0])) {
      return std::nullopt;
    }
    const PlacedGroup& pool = groups_[found->second[0]];
    if (joining(made.kernel->name(), pool.kernel->name()) == nullptr || pool.phase != Phase::kRun ||
        !fences_.allow(made.group.root, pool.group.root)) {
      return std::nullopt;
    }
    const PlacedGroup both = joined(made, pool);
    const ChosenStep chosen{both.group, both.kernel, both.phase, {}};
    if (!both.kernel->fits(both.group).ok || offered_settings(chosen, options_).empty()) {
      return std::nullopt;
    }
    if (like_ != nullptr) {
      const std::string& name = graph_.value(both.group.root_node().outputs[0]).name;
      return is_joined_in(*like_, both.kernel->name(), name) ? std::optional(found->second[0]) : std::nullopt;
    }
    const double apart = expected_us(made, options_) + expected_us(pool, options_);
    return expected_us(both, options_) < apart ? std::optional(found->second[0]) : std::nullopt;
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
  const Plan* like = options.like != nullptr ? options.like : kept;
  if (like != nullptr || options.form.style != Style::kByLibraries) {
    PoolJoiner(graph, options, like, fences, groups).run();
  }
}

}  // namespace stitch::plan
