// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/epilogues.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/reduce/rewrite.h"

namespace stitch::plan {
namespace {

bool is_reduction(const ir::Graph& graph, const Draft& draft) {
  const ir::OpDef* def = ir::find_op(graph.node(draft.root).op);
  return def != nullptr && def->family == ir::OpFamily::kReduction;
}

// Whether `reader` waits for nothing that waits for `number`.
bool can_follow_at_once(const Drafts& drafts, int reader, int number) {
  const std::set<int>& needed = drafts.dependencies(reader);
  return std::none_of(needed.begin(), needed.end(),
                      [&](int other) { return other != number && drafts.depends_on(other, number); });
}

bool try_absorb(Drafts& drafts, int number, int reader, const EpilogueLimits& limits) {
  const Draft& epilogue = drafts.at(reader);
  Draft wider = drafts.at(number);
  wider.nodes.insert(epilogue.nodes.begin(), epilogue.nodes.end());
  if (!limits.fences.allow(wider.root, epilogue.root) || !epilogue.kernel->is_pointwise() ||
      epilogue.phase != wider.phase || wider.nodes.size() > limits.max_nodes ||
      !can_follow_at_once(drafts, reader, number) || !wider.kernel->fits(drafts.group(wider)).ok ||
      kernels::rewrites_beside_totals(drafts.group(wider))) {  // by cost, see rewrites.h
    return false;
  }
  drafts.merge(number, reader, wider);
  return true;
}

// Nodes at the end of a draft that make nothing but what a reduction reads, of values that are stored anyway: the
// square behind a product of which the mean is taken. They cost that draft a write, and the reduction nothing.
class Terms {
 public:
  Terms(const Drafts& drafts, int number) : drafts_(drafts), graph_(drafts.graph()), number_(number) {}

  // Finds them; false where there are none.
  bool find() {
    const ir::Operand& reduced = graph_.node(drafts_.at(number_).root).operands[0];
    if (!ir::is_tensor(reduced) || !graph_.value(std::get<ir::ValueId>(reduced)).producer.is_valid()) {
      return false;
    }
    ir::ValueId at = std::get<ir::ValueId>(reduced);
    maker_ = drafts_.owner(graph_.value(at).producer);
    if (maker_ < 0 || maker_ == number_) {
      return false;
    }
    stored_ = drafts_.group(drafts_.at(maker_)).results;
    for (size_t length = 0; length < kMaxTerms; ++length) {
      const ir::NodeId node = graph_.value(at).producer;
      if (!node.is_valid() || !is_term(node)) {
        return false;
      }
      nodes_.insert(node);
      std::vector<ir::ValueId> missing;
      for (const ir::Operand& operand : graph_.node(node).operands) {
        if (ir::is_tensor(operand) && !is_stored(std::get<ir::ValueId>(operand))) {
          missing.push_back(std::get<ir::ValueId>(operand));
        }
      }
      if (missing.empty()) {
        return true;
      }
      if (std::set<ir::ValueId>(missing.begin(), missing.end()).size() > 1) {
        return false;
      }
      at = missing.front();
    }
    return false;
  }

  int maker() const { return maker_; }
  const std::set<ir::NodeId>& nodes() const { return nodes_; }

 private:
  static constexpr size_t kMaxTerms = 4;

  bool is_term(ir::NodeId id) const {
    const ir::Node& node = graph_.node(id);
    const ir::ValueId made = node.outputs[0];
    if (!kernels::is_elementwise(node) || kernels::is_look_up(node) || kernels::is_random(node) ||
        drafts_.owner(id) != maker_ || id == drafts_.at(maker_).root || drafts_.users().is_output(made)) {
      return false;
    }
    const std::vector<ir::NodeId>& readers = drafts_.users().direct(made);
    return std::all_of(readers.begin(), readers.end(), [&](ir::NodeId reader) {
      return drafts_.at(number_).nodes.count(reader) > 0 || nodes_.count(reader) > 0;
    });
  }

  bool is_stored(ir::ValueId value) const {
    const ir::NodeId producer = graph_.value(value).producer;
    if (!producer.is_valid() || kernels::is_generated(graph_.node(producer))) {
      return true;
    }
    const int owner = drafts_.owner(producer);
    if (owner < 0) {
      return kernels::is_view(graph_.node(producer)) && is_stored(ir::tensor_operand(graph_.node(producer), 0));
    }
    return owner != maker_ || std::find(stored_.begin(), stored_.end(), value) != stored_.end();
  }

  const Drafts& drafts_;
  const ir::Graph& graph_;
  int number_;
  int maker_ = -1;
  std::vector<ir::ValueId> stored_;
  std::set<ir::NodeId> nodes_;
};

void take_terms(Drafts& drafts, int number, const EpilogueLimits& limits) {
  Terms terms(drafts, number);
  if (!terms.find()) {
    return;
  }
  Draft rest = drafts.at(terms.maker());
  Draft wider = drafts.at(number);
  for (const ir::NodeId node : terms.nodes()) {
    rest.nodes.erase(node);
    wider.nodes.insert(node);
  }
  if (!limits.fences.allow(rest.root, wider.root) || rest.phase != wider.phase || limits.alone.count(rest.root) > 0 ||
      wider.nodes.size() > limits.max_nodes || !rest.kernel->fits(drafts.group(rest)).ok ||
      !wider.kernel->fits(drafts.group(wider)).ok) {
    return;
  }
  drafts.replace(terms.maker(), rest);
  drafts.replace(number, wider);
}

}  // namespace

void absorb_epilogues(Drafts& drafts, const EpilogueLimits& limits) {
  std::vector<int> numbers;
  for (const auto& [number, draft] : drafts.all()) {
    if (is_reduction(drafts.graph(), draft) && limits.alone.count(draft.root) == 0 &&
        !limits.fences.is_written(limits.fences.of(draft.root))) {
      numbers.push_back(number);
    }
  }
  for (const int number : numbers) {
    take_terms(drafts, number, limits);
    const std::set<int> readers = drafts.readers(number);
    for (const int reader : readers) {
      if (limits.alone.count(drafts.at(reader).root) == 0) {
        try_absorb(drafts, number, reader, limits);
      }
    }
  }
}

}  // namespace stitch::plan
