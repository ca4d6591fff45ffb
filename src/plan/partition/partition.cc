// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/partition.h"

#include <algorithm>

#include "ir/ops.h"
#include "kernels/builtin_templates.h"
#include "kernels/expression/expression.h"
#include "plan/partition/drafts.h"

namespace stitch::plan {
namespace {

using kernels::KernelTemplate;

// Lane operations a prologue may repeat for each element that is loaded, and for each use of a broadcast value.
constexpr double kDearestPrologue = 64;
constexpr double kDearestBroadcast = 4;

class Partitioner {
 public:
  Partitioner(const ir::Graph& graph, const std::set<ir::NodeId>& alone)
      : graph_(graph), drafts_(graph), alone_(alone) {}

  Result<std::vector<PlacedGroup>> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::NodeId node{static_cast<int32_t>(i)};
      if (drafts_.owner(node) >= 0 || (is_repeated(node) && !is_output(node))) {
        continue;
      }
      STITCH_TRY(place(node));
    }
    absorb_prologues();
    std::vector<PlacedGroup> result;
    std::vector<int> order = drafts_.order();
    std::stable_partition(order.begin(), order.end(),
                          [&](int number) { return alone_.count(drafts_.at(number).root) == 0; });
    for (const int number : order) {
      const Draft& draft = drafts_.at(number);
      result.push_back({drafts_.group(draft), draft.kernel, draft.phase});
    }
    return result;
  }

 private:
  bool is_repeated(ir::NodeId node) const {
    return kernels::is_view(graph_.node(node)) || kernels::is_generated(graph_.node(node));
  }
  bool is_output(ir::NodeId node) const {
    const auto& outputs = graph_.node(node).outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](ir::ValueId output) { return drafts_.users().is_output(output); });
  }

  Result<void> place(ir::NodeId node) {
    if (alone_.count(node) == 0 && join_existing(node)) {
      return {};
    }
    const KernelTemplate* kernel = kernels::template_for(graph_, graph_.node(node));
    if (kernel == nullptr) {
      return no_kernel(node, "no kernel computes it for these element types");
    }
    const Draft draft{node, {node}, kernel, drafts_.phase_of(node)};
    kernels::Fit fit = kernel->fits(drafts_.group(draft));
    for (size_t attempt = 0; !fit.ok && !fit.store_first.empty() && attempt < kMostStored; ++attempt) {
      bool is_nearer = false;  // an operand may be named twice, as query and key
      for (const ir::ValueId value : fit.store_first) {
        const ir::NodeId view = graph_.value(value).producer;
        if (view.is_valid() && drafts_.owner(view) < 0) {
          STITCH_TRY(place(view));
          is_nearer = true;
        }
      }
      if (!is_nearer) {
        return no_kernel(node, fit.reason);
      }
      fit = kernel->fits(drafts_.group(draft));
    }
    if (!fit.ok) {
      return no_kernel(node, fit.reason);
    }
    drafts_.add(draft);
    return {};
  }

  Result<void> no_kernel(ir::NodeId id, const std::string& reason) const {
    const ir::Node& node = graph_.node(id);
    return failure(ErrorCode::kUnsupportedOperator, "no kernel takes " + node.op + ": " + reason, node.place,
                   "write this part with operators that `stitchcuda plan` can place");
  }

  // Adds `node` to the latest draft that makes one of its operands, or that reduces the same operand, if it fits there.
  bool join_existing(ir::NodeId node) {
    std::vector<int> candidates;
    for (const ir::Operand& operand : graph_.node(node).operands) {
      if (ir::is_tensor(operand)) {
        if (const int source = drafts_.source(std::get<ir::ValueId>(operand)); source >= 0) {
          candidates.push_back(source);
        }
      }
    }
    for (const auto& [number, draft] : drafts_.all()) {
      if (is_sibling(graph_.node(draft.root), graph_.node(node))) {
        candidates.push_back(number);
      }
    }
    // Skeletons before chains of pointwise work (a chain can still move into a skeleton later), the latest first.
    std::sort(candidates.begin(), candidates.end(),
              [&](int a, int b) { return is_pointwise(a) != is_pointwise(b) ? is_pointwise(b) : a > b; });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return std::any_of(candidates.begin(), candidates.end(), [&](int number) { return try_join(number, node); });
  }

  bool is_pointwise(int number) const { return std::string(drafts_.at(number).kernel->name()) == "pointwise"; }

  // Two reductions of one operand over the same axes can share a pass over it.
  bool is_sibling(const ir::Node& a, const ir::Node& b) const {
    const auto is_reduction = [](const ir::Node& node) {
      const ir::OpDef* def = ir::find_op(node.op);
      return def != nullptr && def->family == ir::OpFamily::kReduction;
    };
    return is_reduction(a) && is_reduction(b) && a.operands == b.operands &&
           ir::ints_attribute(a, "dim") == ir::ints_attribute(b, "dim");
  }

  bool try_join(int number, ir::NodeId node) {
    const Draft& existing = drafts_.at(number);
    if (existing.phase != drafts_.phase_of(node)) {
      return false;
    }
    Draft wider = existing;
    wider.nodes.insert(node);
    for (const int dependency : drafts_.dependencies(wider)) {
      if (dependency != number && drafts_.depends_on(dependency, number)) {
        return false;  // it would wait for a step that waits for this one
      }
    }
    if (!wider.kernel->fits(drafts_.group(wider)).ok) {
      return false;
    }
    drafts_.replace(number, wider);
    return true;
  }

  // Pointwise drafts read by one other draft alone move into it, where that one can compute while it loads.
  void absorb_prologues() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const auto& [number, draft] : drafts_.all()) {
        const int reader = only_reader(number);
        if (reader >= 0 && try_absorb(reader, number)) {
          changed = true;
          break;
        }
      }
    }
  }

  int only_reader(int number) const {
    if (!is_pointwise(number)) {
      return -1;
    }
    int reader = -1;
    for (const ir::ValueId result : drafts_.group(drafts_.at(number)).results) {
      if (drafts_.users().is_output(result)) {
        return -1;
      }
    }
    for (const auto& [other, other_draft] : drafts_.all()) {
      if (other != number && drafts_.dependencies(other_draft).count(number) > 0) {
        if (reader >= 0) {
          return -1;
        }
        reader = other;
      }
    }
    return reader;
  }

  bool try_absorb(int reader, int number) {
    const Draft& prologue = drafts_.at(number);
    const Draft& existing = drafts_.at(reader);
    if (alone_.count(existing.root) > 0 || prologue.phase != existing.phase ||
        prologue_cost(prologue) > allowed_cost(existing, prologue)) {
      return false;
    }
    Draft wider = existing;
    wider.nodes.insert(prologue.nodes.begin(), prologue.nodes.end());
    if (!wider.kernel->fits(drafts_.group(wider)).ok) {
      return false;
    }
    drafts_.merge(reader, number, wider);
    return true;
  }

  double prologue_cost(const Draft& draft) const {
    double cost = 0;
    for (const ir::NodeId node : draft.nodes) {
      cost += kernels::lane_operations(graph_.node(node));
    }
    return cost;
  }

  double allowed_cost(const Draft& reader, const Draft& prologue) const {
    const int64_t made = graph_.type(graph_.node(prologue.root).outputs[0]).element_count();
    const int64_t visited = graph_.type(graph_.node(reader.root).outputs[0]).element_count();
    return visited > made ? kDearestBroadcast : kDearestPrologue;
  }

  static constexpr size_t kMostStored = 16;  // attempts: each writes one more view to memory

  const ir::Graph& graph_;
  Drafts drafts_;
  const std::set<ir::NodeId>& alone_;
};

}  // namespace

Result<std::vector<PlacedGroup>> partition(const ir::Graph& graph, const std::set<ir::NodeId>& alone) {
  return Partitioner(graph, alone).run();
}

}  // namespace stitch::plan
