// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/partition.h"

#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/builtin_templates.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/expression/expression.h"
#include "kernels/written/written.h"
#include "plan/partition/drafts.h"
#include "plan/partition/epilogues.h"
#include "plan/partition/stacks.h"

namespace stitch::plan {
namespace {

using kernels::KernelTemplate;

// Lane operations a prologue may repeat for each element that is loaded, and for each use of a broadcast value.
constexpr double kMaxPrologueCost = 64;
constexpr double kMaxBroadcastCost = 4;

class Partitioner {
 public:
  Partitioner(const ir::Graph& graph, const std::set<ir::NodeId>& alone, const Fences& fences, Stacks stacks)
      : graph_(graph), drafts_(graph), alone_(alone), fences_(fences), stacks_(stacks) {}

  Result<std::vector<PlacedGroup>> run() {
    for (const ir::NodeId node : fences_.order()) {
      if (fences_.is_written(fences_.of(node))) {
        place_written(node);
        continue;
      }
      const bool is_stored = is_output(node) || kernels::is_kept_sums(graph_, graph_.node(node));
      if (drafts_.owner(node) >= 0 || (is_repeated(node) && !is_stored)) {
        continue;
      }
      STITCH_TRY(place(node));
    }
    absorb_prologues();
    absorb_epilogues(drafts_, {alone_, fences_, kMaxNodes});
    absorb_prologues();  // of reductions that have been the only readers since
    gather_small();
    std::vector<PlacedGroup> result;
    std::vector<int> order = drafts_.order();
    std::stable_partition(order.begin(), order.end(),
                          [&](int number) { return alone_.count(drafts_.at(number).root) == 0; });
    for (const int number : order) {
      const Draft& draft = drafts_.at(number);
      const int fence = fences_.of(draft.root);
      result.push_back({drafts_.group(draft), draft.kernel, draft.phase, fences_.is_written(fence) ? fence : -1});
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

  // The whole boundary at its first node. Its root is the first node that computes, which names the step.
  void place_written(ir::NodeId node) {
    if (drafts_.owner(node) >= 0) {
      return;
    }
    const std::set<ir::NodeId>& nodes = fences_.nodes(fences_.of(node));
    const auto first = std::find_if(nodes.begin(), nodes.end(), [this](ir::NodeId one) { return !is_repeated(one); });
    const bool prepares = std::all_of(nodes.begin(), nodes.end(),
                                      [this](ir::NodeId one) { return drafts_.phase_of(one) == Phase::kPrepare; });
    drafts_.add({first == nodes.end() ? node : *first, nodes, kernels::find_template(kernels::kWrittenStep),
                 prepares ? Phase::kPrepare : Phase::kRun});
  }

  Result<void> place(ir::NodeId node) {
    const bool joins_stack = stacks_ == Stacks::kJoined;
    if (alone_.count(node) == 0 && (join_existing(node) || (joins_stack && join_stack(drafts_, node, fences_)))) {
      return {};
    }
    const KernelTemplate* kernel = kernels::template_for(graph_, graph_.node(node));
    if (kernel == nullptr) {
      return no_kernel(node, "no kernel computes it for these element types");
    }
    const Draft draft{node, {node}, kernel, drafts_.phase_of(node)};
    kernels::Fit fit = kernel->fits(drafts_.group(draft));
    for (size_t attempt = 0; !fit.ok && !fit.store_first.empty() && attempt < kMaxStored; ++attempt) {
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
    const int number = drafts_.add(draft);
    if (is_reduction(graph_.node(node))) {
      reductions_[first_operand(node)].push_back(number);
    }
    return {};
  }

  Result<void> no_kernel(ir::NodeId id, const std::string& reason) const {
    const ir::Node& node = graph_.node(id);
    return failure(ErrorCode::kUnsupportedOperator,
                   std::string("no kernel takes ") + to_string(node.op) + ": " + reason, node.location,
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
    if (const auto found = reductions_.find(first_operand(node)); found != reductions_.end()) {
      for (const int number : found->second) {
        if (is_sibling(graph_.node(drafts_.at(number).root), graph_.node(node))) {
          candidates.push_back(number);
        }
      }
    }
    // Skeletons before chains of pointwise work (a chain can still move into a skeleton later), the latest first.
    std::sort(candidates.begin(), candidates.end(),
              [&](int a, int b) { return is_pointwise(a) != is_pointwise(b) ? is_pointwise(b) : a > b; });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    return std::any_of(candidates.begin(), candidates.end(), [&](int number) { return try_join(number, node); });
  }

  bool is_pointwise(int number) const { return drafts_.at(number).kernel->is_pointwise(); }

  static bool is_reduction(const ir::Node& node) {
    const ir::OpDef* def = ir::find_op(node.op);
    return def != nullptr && def->family == ir::OpFamily::kReduction;
  }

  // What siblings have in common; no value where a node reads no tensor first.
  ir::ValueId first_operand(ir::NodeId id) const {
    const ir::Node& node = graph_.node(id);
    return !node.operands.empty() && ir::is_tensor(node.operands[0]) ? std::get<ir::ValueId>(node.operands[0])
                                                                     : ir::ValueId{};
  }

  // Two reductions of one operand over the same axes can share a pass over it.
  static bool is_sibling(const ir::Node& a, const ir::Node& b) {
    return is_reduction(a) && is_reduction(b) && a.operands == b.operands &&
           ir::ints_attribute(a, "dim") == ir::ints_attribute(b, "dim");
  }

  // Whether `node` makes more than the reduction it would follow. Such a chain may belong to what reads it; what is
  // left of them joins at the end.
  bool leads_back(const Draft& existing, ir::NodeId node) const {
    const ir::Node& root = graph_.node(existing.root);
    return is_reduction(root) &&
           graph_.type(graph_.node(node).outputs[0]).element_count() > graph_.type(root.outputs[0]).element_count();
  }

  bool try_join(int number, ir::NodeId node) {
    const Draft& existing = drafts_.at(number);
    if (!fences_.allow(existing.root, node) || existing.phase != drafts_.phase_of(node) ||
        existing.nodes.size() >= kMaxNodes || leads_back(existing, node) ||
        (keeps_sums(existing) && !kernels::is_kept_sums(graph_, graph_.node(node)))) {
      return false;
    }
    for (const ir::Operand& operand : graph_.node(node).operands) {
      const int read = ir::is_tensor(operand) ? drafts_.source(std::get<ir::ValueId>(operand)) : -1;
      if (read >= 0 && read != number && drafts_.depends_on(read, number)) {
        return false;  // it would wait for a step that waits for this one
      }
    }
    Draft wider = existing;
    wider.nodes.insert(node);
    if (!wider.kernel->fits(drafts_.group(wider)).ok) {
      return false;
    }
    drafts_.replace(number, wider);
    return true;
  }

  // What follows sums that lie with channels last is a step of its own, which reads 16 bytes a thread.
  bool keeps_sums(const Draft& draft) const {
    const ir::Node& root = graph_.node(draft.root);
    if (!kernels::is_convolution(root)) {
      return false;
    }
    const std::vector<ir::NodeId>& readers = drafts_.users().direct(root.outputs[0]);
    return readers.size() == 1 && kernels::is_kept_sums(graph_, graph_.node(readers[0]));
  }

  // Pointwise drafts read by one other draft alone move into it, where that one can compute while it loads; the lowest
  // number that can goes first. Whether one can follows from itself and its reader: after a move only those have to be
  // asked again that the wider draft reads, and it itself.
  void absorb_prologues() {
    std::set<int> open;
    for (const auto& [number, draft] : drafts_.all()) {
      open.insert(number);
    }
    while (!open.empty()) {
      const int number = *open.begin();
      open.erase(open.begin());
      const int reader = only_reader(number);
      if (reader >= 0 && try_absorb(reader, number)) {
        open.insert(reader);
        open.insert(drafts_.dependencies(reader).begin(), drafts_.dependencies(reader).end());
      }
    }
  }

  // Small pointwise drafts that read nothing of other drafts and are read by none share a launch, which is all they
  // cost: the counters of a network's batch norms.
  void gather_small() {
    std::map<std::vector<int64_t>, int> gathering;
    std::vector<int> numbers;
    for (const auto& [number, draft] : drafts_.all()) {
      numbers.push_back(number);
    }
    for (const int number : numbers) {
      if (!is_small_and_alone(number)) {
        continue;
      }
      const auto [found, is_first] = gathering.try_emplace(root_shape(number), number);
      if (!is_first && !try_gather(found->second, number)) {
        found->second = number;
      }
    }
  }

  const std::vector<int64_t>& root_shape(int number) const {
    return graph_.type(graph_.node(drafts_.at(number).root).outputs[0]).shape;
  }

  bool is_small_and_alone(int number) const {
    constexpr int64_t kMaxElements = 32;
    const Draft& draft = drafts_.at(number);
    const ir::ValueId made = graph_.node(draft.root).outputs[0];
    if (!is_pointwise(number) || draft.phase != Phase::kRun || alone_.count(draft.root) > 0 ||
        graph_.type(made).element_count() > kMaxElements || !drafts_.dependencies(number).empty() ||
        !drafts_.readers(number).empty()) {
      return false;
    }
    const std::vector<ir::ValueId> results = drafts_.group(draft).results;
    return std::all_of(results.begin(), results.end(),
                       [&](ir::ValueId result) { return graph_.type(result).shape == root_shape(number); });
  }

  bool try_gather(int number, int other) {
    constexpr size_t kMaxGathered = 64;  // nodes: each has its pointers in the launch's arguments
    Draft wider = drafts_.at(number);
    wider.nodes.insert(drafts_.at(other).nodes.begin(), drafts_.at(other).nodes.end());
    if (!fences_.allow(wider.root, drafts_.at(other).root) || wider.nodes.size() > kMaxGathered ||
        !wider.kernel->fits(drafts_.group(wider)).ok) {
      return false;
    }
    drafts_.merge(number, other, wider);
    return true;
  }

  int only_reader(int number) const {
    if (!is_pointwise(number) || drafts_.readers(number).size() != 1) {
      return -1;
    }
    for (const ir::ValueId result : drafts_.group(drafts_.at(number)).results) {
      if (drafts_.users().is_output(result)) {
        return -1;
      }
    }
    return *drafts_.readers(number).begin();
  }

  bool try_absorb(int reader, int number) {
    const Draft& prologue = drafts_.at(number);
    const Draft& existing = drafts_.at(reader);
    if (!fences_.allow(existing.root, prologue.root) || existing.nodes.size() + prologue.nodes.size() > kMaxNodes ||
        alone_.count(existing.root) > 0 || prologue.phase != existing.phase ||
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
    return visited > made ? kMaxBroadcastCost : kMaxPrologueCost;
  }

  static constexpr size_t kMaxStored = 16;  // attempts: each writes one more view to memory

  // Nodes of one group: each join asks for the code of the whole, and more live values than this have no registers.
  static constexpr size_t kMaxNodes = 256;

  const ir::Graph& graph_;
  Drafts drafts_;
  std::map<ir::ValueId, std::vector<int>> reductions_;  // drafts of such roots, by their first operand
  const std::set<ir::NodeId>& alone_;
  const Fences& fences_;
  Stacks stacks_;
};

}  // namespace

Result<std::vector<PlacedGroup>> partition(const ir::Graph& graph, const std::set<ir::NodeId>& alone,
                                           const Fences& fences, Stacks stacks) {
  return Partitioner(graph, alone, fences, stacks).run();
}

}  // namespace stitch::plan
