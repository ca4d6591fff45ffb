// SPDX-License-Identifier: Apache-2.0
// A tensor is stored in the order of the node that makes it. Pointwise work on permuted operands, as einsum leaves it
// before a product, would read across memory what it writes along it. A product reads by strides: the work is done in
// the order in which its operands lie, and the product sees it through the permutation that they were seen through.
#include <algorithm>
#include <map>
#include <optional>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "plan/rewrite/copied_operands.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/permuted_work.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::NodeId;
using ir::ValueId;

// The permutation of the operand in whose order `made` would read and write along memory; null where there is none.
const ir::Node* better_order(const ir::Graph& graph, const ir::Node& made) {
  const std::vector<int64_t>& shape = graph.type(made.outputs[0]).shape;
  const std::vector<const ir::Node*> permutes = permutes_of_operands(graph, made);
  const auto whole = std::find_if(permutes.begin(), permutes.end(), [&](const ir::Node* permute) {
    return graph.type(permute->outputs[0]).shape == shape;
  });
  const int64_t own = innermost_axis(shape);
  if (whole == permutes.end() || own < 0) {
    return nullptr;
  }
  const std::vector<int64_t>& dims = ir::ints_attribute(**whole, "dims");
  const int64_t stored = innermost_axis(graph.type(ir::tensor_operand(**whole, 0)).shape);
  const int64_t read = std::distance(dims.begin(), std::find(dims.begin(), dims.end(), stored));
  const bool all_agree = std::all_of(permutes.begin(), permutes.end(), [&](const ir::Node* permute) {
    return !runs_along(graph, *permute, own) && runs_along(graph, *permute, read);
  });
  return all_agree ? *whole : nullptr;
}

// Whether `reader` hands `value` on, element by element, and reads nothing else that is large.
bool hands_on(const ir::Graph& graph, const ir::Node& reader, ValueId value) {
  if (is_permute(&reader) || reader.op == ir::Op::kReshape) {
    return true;
  }
  return is_pointwise(reader) && graph.type(reader.outputs[0]).shape == graph.type(value).shape &&
         std::all_of(reader.operands.begin(), reader.operands.end(), [&](const ir::Operand& operand) {
           return operand == ir::Operand{value} || !is_large_operand(graph, reader, operand);
         });
}

// The products that `value` ends in; none where something else reads it.
std::optional<std::vector<NodeId>> products_of(const ir::Graph& graph, ValueId value) {
  const auto is_returned = [&](const ir::GraphOutput& output) { return output.value == value; };
  if (std::any_of(graph.outputs.begin(), graph.outputs.end(), is_returned)) {
    return std::nullopt;
  }
  std::vector<NodeId> products;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& reader = graph.nodes[i];
    if (std::find(reader.operands.begin(), reader.operands.end(), ir::Operand{value}) == reader.operands.end()) {
      continue;
    }
    if (reader.op == ir::Op::kMatmul) {
      products.push_back(NodeId{static_cast<int32_t>(i)});
      continue;
    }
    const auto further = hands_on(graph, reader, value) ? products_of(graph, reader.outputs[0]) : std::nullopt;
    if (!further.has_value()) {
      return std::nullopt;
    }
    products.insert(products.end(), further->begin(), further->end());
  }
  return products;
}

struct Move {
  std::vector<int64_t> dims;     // the result's order, of what is computed now
  std::vector<NodeId> products;  // that read it
};
using Moves = std::map<ValueId, Move>;

Moves wanted_moves(const ir::Graph& graph) {
  Moves moves;
  for (const ir::Node& node : graph.nodes) {
    const ir::Node* permute = is_pointwise(node) ? better_order(graph, node) : nullptr;
    if (permute == nullptr) {
      continue;
    }
    if (auto products = products_of(graph, node.outputs[0]); products.has_value() && !products->empty()) {
      moves[node.outputs[0]] = {ir::ints_attribute(*permute, "dims"), std::move(*products)};
    }
  }
  return moves;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& dims) {
  std::vector<int64_t> result(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    result[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  }
  return result;
}

// `made`, if not null, takes the new graph's node of each old one that was kept.
Result<ir::Graph> with_moves(const ir::Graph& graph, const Moves& moves, std::map<NodeId, NodeId>* made) {
  GraphCopy copy(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    const auto move = node.outputs.size() == 1 ? moves.find(node.outputs[0]) : moves.end();
    if (move == moves.end()) {
      STITCH_TRY(copy.keep(node));
      if (made != nullptr) {
        (*made)[NodeId{static_cast<int32_t>(i)}] = NodeId{static_cast<int32_t>(copy.graph().nodes.size()) - 1};
      }
      continue;
    }
    const std::string& name = graph.value(node.outputs[0]).name;
    STITCH_ASSIGN(const ValueId stored, permuted(copy, graph, node, inverse(move->second.dims), name + "_stored"));
    NodeChain chain(copy, name, node.location);
    copy.replace(node.outputs[0], chain.add(ir::Op::kPermute, {stored}, "", {{"dims", move->second.dims}}));
    STITCH_TRY(chain.result());
  }
  return copy.finish();
}

// Those of `moves` after which no product has more of its operands copied.
Result<Moves> moves_that_products_follow(const ir::Graph& graph, Moves moves) {
  std::map<NodeId, NodeId> made;
  STITCH_ASSIGN(const ir::Graph tried, with_moves(graph, moves, &made));
  for (auto move = moves.begin(); move != moves.end();) {
    const bool all_follow =
        std::all_of(move->second.products.begin(), move->second.products.end(), [&](NodeId product) {
          return copied_operands(tried, made.at(product)).size() <= copied_operands(graph, product).size();
        });
    move = all_follow ? std::next(move) : moves.erase(move);
  }
  return moves;
}

}  // namespace

Result<ir::Graph> follow_operands(const ir::Graph& graph) {
  // Work on what was moved sees it through a permutation only then. Longer chains than any that was seen are left.
  constexpr int kRounds = 16;
  ir::Graph result = graph;
  for (int round = 0; round < kRounds; ++round) {
    STITCH_ASSIGN(const Moves moves, moves_that_products_follow(result, wanted_moves(result)));
    if (moves.empty()) {
      break;
    }
    STITCH_ASSIGN(result, with_moves(result, moves, nullptr));
    STITCH_ASSIGN(result, simplify_identities(result));
    STITCH_ASSIGN(result, remove_dead_code(result));
  }
  return result;
}

}  // namespace stitch::plan
