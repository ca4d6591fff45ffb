// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/stacks.h"

#include "ir/graph/op.h"
#include "kernels/builtin_templates.h"
#include "kernels/rnn/recurrence.h"
#include "kernels/rnn/recurrent_stack.h"

namespace stitch::plan {
namespace {

// The draft that is the product of a layer's input and nothing else, read by the layer alone; -1 where there is none.
int product_of(const Drafts& drafts, ir::NodeId layer) {
  const ir::Graph& graph = drafts.graph();
  const int number = drafts.source(ir::tensor_operand(graph.node(layer), 0));
  if (number < 0 || drafts.at(number).nodes.size() != 1) {
    return -1;
  }
  const ir::NodeId root = drafts.at(number).root;
  if (graph.node(root).op != ir::Op::kLinear) {
    return -1;
  }
  bool is_output = false;
  const auto placed = [&](ir::NodeId user) { return drafts.owner(user) >= 0; };
  const auto users = drafts.users().through_views(graph.node(root).outputs[0], placed, &is_output);
  return !is_output && users == std::set<ir::NodeId>{layer} ? number : -1;
}

bool is_layer_draft(const Draft& draft, const ir::Graph& graph) {
  return kernels::is_recurrent_layer(graph.node(draft.root));
}

// Whether what `node` reads beside `product` can be had before `below` has run.
bool can_join(const Drafts& drafts, ir::NodeId node, int product, int below) {
  for (const ir::Operand& operand : drafts.graph().node(node).operands) {
    const int read = ir::is_tensor(operand) ? drafts.source(std::get<ir::ValueId>(operand)) : -1;
    if (read >= 0 && read != product && (read == below || drafts.depends_on(read, below))) {
      return false;
    }
  }
  for (const int read : drafts.dependencies(product)) {
    if (read != below && drafts.depends_on(read, below)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool join_stack(Drafts& drafts, ir::NodeId node, const Fences& fences) {
  const ir::Graph& graph = drafts.graph();
  const kernels::KernelTemplate* kernel = kernels::find_template(kernels::kRecurrentStack);
  if (!kernel->is_root(graph, graph.node(node)) || !kernels::stack_pays(graph, graph.node(node))) {
    return false;
  }
  const int product = product_of(drafts, node);
  const int below = product < 0 ? -1 : drafts.source(ir::tensor_operand(graph.node(drafts.at(product).root), 0));
  if (below < 0 || !is_layer_draft(drafts.at(below), graph) || !can_join(drafts, node, product, below)) {
    return false;
  }
  const auto is_within = [&](int number) { return fences.allow(drafts.at(number).root, node); };
  if (!is_within(product) || !is_within(below)) {
    return false;
  }
  Draft lower = drafts.at(below);
  const bool is_stack = lower.kernel == kernel;
  const int first_product = is_stack ? -1 : product_of(drafts, lower.root);
  if (lower.phase != drafts.phase_of(node) || drafts.at(product).phase != lower.phase ||
      (!is_stack && (lower.nodes.size() != 1 || first_product < 0 || !is_within(first_product) ||
                     drafts.at(first_product).phase != lower.phase))) {
    return false;
  }
  if (!is_stack) {
    lower.nodes.insert(drafts.at(first_product).root);
    lower.kernel = kernel;
  }
  Draft wider = lower;
  wider.root = node;
  wider.nodes.insert(drafts.at(product).root);
  wider.nodes.insert(node);
  if (!kernel->fits(drafts.group(wider)).ok) {
    return false;
  }
  if (!is_stack) {
    drafts.merge(below, first_product, lower);
  }
  drafts.merge(below, product, wider);
  return true;
}

}  // namespace stitch::plan
