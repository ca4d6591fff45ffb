// SPDX-License-Identifier: Apache-2.0
// einsum and bmm know one batch axis: what has several is turned and merged first, which moves every element where
// batches do not lie one behind the other. A product that reads them as they lie needs no such copy.
#include <algorithm>
#include <set>

#include "ir/graph/op.h"
#include "plan/rewrite/copied_operands.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::ValueId;
using Shape = std::vector<int64_t>;

ValueId before_reshapes(const ir::Graph& graph, ValueId value) {
  while (graph.value(value).producer.is_valid() && graph.node(graph.value(value).producer).op == ir::Op::kReshape) {
    value = ir::tensor_operand(graph.node(graph.value(value).producer), 0);
  }
  return value;
}

// The axes that were merged to the batch of `value`; fewer than two where there are none.
Shape merged_axes(const ir::Graph& graph, ValueId value) {
  const int64_t batch = graph.type(value).shape[0];
  Shape axes;
  int64_t covered = 1;
  for (const int64_t extent : graph.type(before_reshapes(graph, value)).shape) {
    if (covered == batch) {
      break;
    }
    covered *= extent;
    if (extent != 1) {
      axes.push_back(extent);
    }
  }
  return covered == batch ? axes : Shape{};
}

// The batch axes of each product that could be read better with them; empty for the others.
std::vector<Shape> merged_batches(const ir::Graph& graph) {
  std::vector<Shape> batches(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    const bool has_one_batch = node.op == ir::Op::kMatmul &&
                               graph.type(ir::tensor_operand(node, 0)).shape.size() == 3 &&
                               graph.type(ir::tensor_operand(node, 1)).shape.size() == 3;
    if (!has_one_batch ||
        graph.type(ir::tensor_operand(node, 0)).shape[0] != graph.type(ir::tensor_operand(node, 1)).shape[0]) {
      continue;
    }
    for (const ValueId operand : copied_operands(graph, ir::NodeId{static_cast<int32_t>(i)})) {
      const Shape axes = merged_axes(graph, operand);
      if (axes.size() > 1 && batches[i].empty()) {
        batches[i] = axes;
      }
    }
  }
  return batches;
}

// The product with the batch axes of `batch`, as an operand of the new graph with one again.
Result<ValueId> unmerged(GraphCopy& copy, const ir::Graph& from, const ir::Node& old, const Shape& batch) {
  NodeChain chain(copy, from.value(old.outputs[0]).name, old.location);
  const auto with_batch = [&](ValueId value) {
    Shape shape = batch;
    const Shape& own = from.type(value).shape;
    shape.insert(shape.end(), own.end() - 2, own.end());
    return shape;
  };
  std::vector<ir::Operand> operands;
  for (size_t side = 0; side < 2; ++side) {
    const ValueId operand = ir::tensor_operand(old, side);
    operands.emplace_back(chain.add(ir::Op::kReshape, {copy.mapped(before_reshapes(from, operand))},
                                    side == 0 ? "_lhs" : "_rhs", {{"shape", with_batch(operand)}}));
  }
  const ValueId product = chain.add(ir::Op::kMatmul, std::move(operands), "_unmerged");
  const ValueId merged = chain.add(ir::Op::kReshape, {product}, "", {{"shape", from.type(old.outputs[0]).shape}});
  STITCH_TRY(chain.result());
  return merged;
}

// `products`, if not null, takes the new graph's node of each old product that was rewritten.
Result<ir::Graph> with_batches(const ir::Graph& graph, const std::vector<Shape>& batches,
                               std::vector<ir::NodeId>* products) {
  GraphCopy copy(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& old = graph.nodes[i];
    if (batches[i].empty()) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    STITCH_ASSIGN(const ValueId made, unmerged(copy, graph, old, batches[i]));
    if (products != nullptr) {
      const ir::Node& reshape = copy.graph().node(copy.graph().value(made).producer);
      (*products)[i] = copy.graph().value(ir::tensor_operand(reshape, 0)).producer;
    }
    copy.replace(old.outputs[0], made);
  }
  return copy.finish();
}

}  // namespace

Result<ir::Graph> unmerge_batches(const ir::Graph& graph) {
  std::vector<Shape> batches = merged_batches(graph);
  if (std::all_of(batches.begin(), batches.end(), [](const Shape& batch) { return batch.empty(); })) {
    return graph;
  }
  std::vector<ir::NodeId> products(graph.nodes.size());
  STITCH_ASSIGN(const ir::Graph tried, with_batches(graph, batches, &products));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const bool is_better =
        !batches[i].empty() &&
        copied_operands(tried, products[i]).size() < copied_operands(graph, ir::NodeId{static_cast<int32_t>(i)}).size();
    if (!is_better) {
      batches[i].clear();
    }
  }
  return with_batches(graph, batches, nullptr);
}

}  // namespace stitch::plan
