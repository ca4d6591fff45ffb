// SPDX-License-Identifier: Apache-2.0
// A max pool of what another one makes for it alone is one over wider windows: the largest of the largest. Only where
// the outer one does not pad (its padding would lie where windows of the inner one might meet elements), where windows
// of the inner one leave no gaps, and where that is no more comparisons.
#include <functional>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::ValueId;
using Extents = std::vector<int64_t>;

bool is_max_pool(const ir::Node& node) { return node.op == Op::kMaxPool2d || node.op == Op::kMaxPool3d; }

bool has_all(const ir::Node& node, const std::string& name, int64_t wanted) {
  for (const int64_t number : ir::ints_attribute(node, name)) {
    if (number != wanted) {
      return false;
    }
  }
  return true;
}

double comparisons(const Extents& kernel, const TensorType& made) {
  return static_cast<double>(std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>())) *
         static_cast<double>(made.element_count());
}

struct PoolOfPools {
  const ir::Node* inner = nullptr;
  Extents kernel;
  Extents stride;
};

std::optional<PoolOfPools> find_inner(const ir::Graph& graph, const UseCounts& uses, const ir::Node& outer) {
  const ir::NodeId producer = is_max_pool(outer) ? graph.value(ir::tensor_operand(outer, 0)).producer : ir::NodeId{};
  if (!producer.is_valid() || graph.node(producer).op != outer.op || uses.of(ir::tensor_operand(outer, 0)) != 1) {
    return std::nullopt;
  }
  const ir::Node& inner = graph.node(producer);
  const bool are_plain = has_all(outer, "padding", 0) && has_all(outer, "dilation", 1) &&
                         has_all(inner, "dilation", 1) && !ir::bool_attribute(outer, "ceil_mode") &&
                         !ir::bool_attribute(inner, "ceil_mode");
  if (!are_plain) {
    return std::nullopt;
  }
  PoolOfPools found{&inner, ir::ints_attribute(inner, "kernel_size"), ir::ints_attribute(inner, "stride")};
  for (size_t i = 0; i < found.kernel.size(); ++i) {
    const int64_t wider = ir::ints_attribute(outer, "kernel_size")[i] - 1;
    if (found.stride[i] > found.kernel[i] && wider > 0) {
      return std::nullopt;
    }
    found.kernel[i] += wider * found.stride[i];
    found.stride[i] *= ir::ints_attribute(outer, "stride")[i];
  }
  const TensorType& made = graph.type(outer.outputs[0]);
  const double apart = comparisons(ir::ints_attribute(inner, "kernel_size"), graph.type(inner.outputs[0])) +
                       comparisons(ir::ints_attribute(outer, "kernel_size"), made);
  return comparisons(found.kernel, made) <= apart ? std::optional(found) : std::nullopt;
}

}  // namespace

Result<ir::Graph> compose_pools(const ir::Graph& graph) {
  const UseCounts uses(graph);
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const std::optional<PoolOfPools> found = find_inner(graph, uses, node);
    if (!found.has_value()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    NodeChain chain(copy, graph.value(node.outputs[0]).name, node.location);
    const ValueId image = copy.mapped(ir::tensor_operand(*found->inner, 0));
    copy.replace(node.outputs[0], chain.add(node.op, {image}, "",
                                            {{"kernel_size", found->kernel},
                                             {"stride", found->stride},
                                             {"padding", ir::ints_attribute(*found->inner, "padding")},
                                             {"dilation", ir::ints_attribute(node, "dilation")},
                                             {"ceil_mode", false}}));
    STITCH_TRY(chain.result());
  }
  return copy.finish();
}

}  // namespace stitch::plan
