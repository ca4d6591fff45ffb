// SPDX-License-Identifier: Apache-2.0
// A product is stored row by row. One that its only reader sees transposed would be written across what is read along
// memory later: (A B)^T is B^T A^T, whose rows are those that are wanted, and either operand may be read by columns.
// Products of one matrix are left alone: kernels that keep a weight in another form look for it on the right.
#include <algorithm>
#include <map>
#include <numeric>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

std::vector<int64_t> transposing(size_t rank) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), int64_t{0});
  std::swap(dims[rank - 1], dims[rank - 2]);
  return dims;
}

bool is_transpose(const ir::Node& node) {
  if (node.op != ir::Op::kPermute) {
    return false;
  }
  const std::vector<int64_t>& dims = ir::ints_attribute(node, "dims");
  return dims.size() >= 2 && dims == transposing(dims.size());
}

// Both matrices of each batch, in batches of the same axes.
bool has_like_operands(const ir::Graph& graph, const ir::Node& node) {
  const size_t rank = graph.type(node.outputs[0]).shape.size();
  return node.op == ir::Op::kMatmul && rank > 2 && graph.type(ir::tensor_operand(node, 0)).shape.size() == rank &&
         graph.type(ir::tensor_operand(node, 1)).shape.size() == rank;
}

// Whether pointwise work reads `value`: it goes along memory. A product would read it either way.
bool is_read_along(const ir::Graph& graph, ValueId value) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return ir::find_op(node.op)->family == ir::OpFamily::kPointwise &&
           std::find(node.operands.begin(), node.operands.end(), ir::Operand{value}) != node.operands.end();
  });
}

// The products that are seen transposed, by what shows them so.
std::map<ValueId, const ir::Node*> turned_products(const ir::Graph& graph) {
  const UseCounts uses(graph);
  std::map<ValueId, const ir::Node*> turned;
  for (const ir::Node& node : graph.nodes) {
    const ir::NodeId producer = is_transpose(node) ? graph.value(ir::tensor_operand(node, 0)).producer : ir::NodeId{};
    if (!producer.is_valid()) {
      continue;
    }
    const ir::Node& product = graph.node(producer);
    if (has_like_operands(graph, product) && uses.of(product.outputs[0]) == 1 &&
        is_read_along(graph, node.outputs[0])) {
      turned[node.outputs[0]] = &product;
    }
  }
  return turned;
}

}  // namespace

Result<ir::Graph> turn_products(const ir::Graph& graph) {
  const std::map<ValueId, const ir::Node*> turned = turned_products(graph);
  if (turned.empty()) {
    return graph;
  }
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const auto found = node.outputs.empty() ? turned.end() : turned.find(node.outputs[0]);
    if (found == turned.end()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    const ir::Node& product = *found->second;
    NodeChain chain(copy, graph.value(node.outputs[0]).name, product.location);
    const ir::Attribute dims = transposing(graph.type(node.outputs[0]).shape.size());
    const auto transposed = [&](size_t operand, const char* suffix) {
      return chain.add(ir::Op::kPermute, {copy.mapped(ir::tensor_operand(product, operand))}, suffix, {{"dims", dims}});
    };
    const ValueId left = transposed(1, "_left");
    const ValueId right = transposed(0, "_right");
    copy.replace(node.outputs[0], chain.add(ir::Op::kMatmul, {left, right}, "", product.attributes));
    STITCH_TRY(chain.result());
  }
  STITCH_ASSIGN(const ir::Graph result, remove_dead_code(copy.finish()));
  return simplify_identities(result);
}

}  // namespace stitch::plan
