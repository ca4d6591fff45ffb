// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/join_chain.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/conv/patch_pool.h"
#include "kernels/group/joined_pool.h"

namespace stitch::kernels {
namespace {

using ir::Op;

constexpr int64_t kFirstSpatialAxis = 2;

// The nodes of the group, beside its root, that are neither pointwise nor views, in their order.
std::vector<const ir::Node*> joined_nodes(const Group& group) {
  std::vector<const ir::Node*> nodes;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (id != group.root && !is_view(node) && !is_generated(node) && !is_elementwise(node)) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

bool is_softmax_of_channels(const ir::Node& node) {
  return node.op == Op::kSoftmax && ir::int_attribute(node, "dim") == 1;
}

bool is_reduction_of_axes(const ir::Node& node) {
  if (node.op != Op::kAmax && node.op != Op::kAmin && node.op != Op::kSum && node.op != Op::kMean) {
    return false;
  }
  const std::vector<int64_t>& axes = ir::ints_attribute(node, "dim");
  return !axes.empty() && std::all_of(axes.begin(), axes.end(), [](int64_t axis) { return axis >= kFirstSpatialAxis; });
}

bool has_shape_of(const ir::Graph& graph, const ir::Node& node, const std::vector<int64_t>& shape) {
  return node.outputs.size() == 1 && !node.operands.empty() && ir::is_tensor(node.operands[0]) &&
         graph.type(ir::tensor_operand(node, 0)).shape == shape &&
         graph.type(ir::tensor_operand(node, 0)).dtype == DataType::kFloat32 &&
         graph.type(node.outputs[0]).dtype == DataType::kFloat32;
}

// Fills in the windows.
bool takes_windows(const ir::Graph& graph, const ConvolutionProblem& problem, JoinChain& chain) {
  const size_t axes = problem.window.axes();
  const size_t missing = chain.window.size() - axes;
  const bool is_reduction = is_reduction_of_axes(*chain.pool);
  if (!is_reduction && (!is_any_window_pool(*chain.pool) || !has_whole_windows(graph, *chain.pool) ||
                        ir::ints_attribute(*chain.pool, "kernel_size").size() != axes)) {
    return false;
  }
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t window = 1;
    bool is_kept = true;
    if (is_reduction) {
      const std::vector<int64_t>& reduced = ir::ints_attribute(*chain.pool, "dim");
      const auto number = static_cast<int64_t>(axis) + kFirstSpatialAxis;
      const bool is_reduced = std::find(reduced.begin(), reduced.end(), number) != reduced.end();
      window = is_reduced ? problem.out[axis] : 1;
      is_kept = !is_reduced || ir::bool_attribute(*chain.pool, "keepdim");
    } else {
      window = ir::ints_attribute(*chain.pool, "kernel_size")[axis];
    }
    if (window < 1) {
      return false;
    }
    chain.window[missing + axis] = window;
    chain.counts[missing + axis] = problem.out[axis] / window;
    chain.kept[missing + axis] = is_kept;
  }
  return true;
}

}  // namespace

ir::ValueId JoinChain::pooled() const { return ir::tensor_operand(*pool, 0); }
ir::ValueId JoinChain::left() const { return (behind != nullptr ? behind : pool)->outputs[0]; }
ir::ValueId JoinChain::first() const { return before != nullptr ? ir::tensor_operand(*before, 0) : pooled(); }

std::optional<JoinChain> join_chain(const Group& group, const ConvolutionProblem& problem) {
  constexpr size_t kMostJoined = 3;
  const ir::Graph& graph = *group.graph;
  const std::vector<const ir::Node*> nodes = joined_nodes(group);
  if (nodes.empty() || nodes.size() > kMostJoined) {
    return std::nullopt;
  }
  JoinChain chain;
  size_t next = 0;
  if (is_softmax_of_channels(*nodes[next])) {
    chain.before = nodes[next++];
  }
  if (next == nodes.size()) {
    return std::nullopt;
  }
  chain.pool = nodes[next++];
  if (next < nodes.size() && is_softmax_of_channels(*nodes[next])) {
    chain.behind = nodes[next++];
  }
  const std::vector<int64_t>& sums = graph.type(group.root_node().outputs[0]).shape;
  // The pixels' axes are the window's: no row that is a plane of height one.
  const bool is_whole = next == nodes.size() &&
                        sums.size() == problem.window.axes() + static_cast<size_t>(kFirstSpatialAxis) &&
                        (chain.before == nullptr || has_shape_of(graph, *chain.before, sums)) &&
                        has_shape_of(graph, *chain.pool, sums) && takes_windows(graph, problem, chain);
  if (!is_whole ||
      (chain.behind != nullptr && !has_shape_of(graph, *chain.behind, graph.type(chain.pool->outputs[0]).shape))) {
    return std::nullopt;
  }
  return chain;
}

const char* join_of_windows(const ir::Node& pool) {
  if (pool.op == Op::kAmin) {
    return "stitch::SmallestOfWindow";
  }
  return pool.op == Op::kAmax || is_max_pool(pool) ? "stitch::LargestOfWindow" : "stitch::MeanOfWindow";
}

int64_t divisor_of_windows(const JoinChain& chain) {
  if (is_any_window_pool(*chain.pool)) {
    return window_divisor(*chain.pool);
  }
  return chain.pool->op == Op::kMean ? chain.elements() : 1;
}

}  // namespace stitch::kernels
