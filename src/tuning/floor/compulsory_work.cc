// SPDX-License-Identifier: Apache-2.0
#include "tuning/floor/compulsory_work.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "ir/graph/op.h"
#include "ir/ops.h"

namespace stitch::tuning {
namespace {

using ir::Graph;
using ir::Node;
using ir::Op;
using ir::ValueId;

bool is_one_of(Op op, std::initializer_list<Op> ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

// A truth value, or numbers made of some: what it is multiplied with need not be read everywhere.
bool is_mask(const Graph& graph, ValueId id) {
  if (graph.type(id).dtype == DataType::kBool) {
    return true;
  }
  const ir::NodeId producer = graph.value(id).producer;
  return producer.is_valid() && graph.node(producer).op == Op::kTo &&
         is_mask(graph, ir::tensor_operand(graph.node(producer), 0));
}

bool has_twice(const Node& node, const ir::Operand& operand) {
  return std::count(node.operands.begin(), node.operands.end(), operand) > 1;
}

// Values that decide the result by themselves (a false one of a conjunction, a zero of a product) let a program skip
// the rest; one that meets itself (x - x) may cancel.
bool pointwise_needs(const Graph& graph, const Node& node, size_t index) {
  if (is_one_of(node.op, {Op::kWhere, Op::kLogicalAnd, Op::kLogicalOr, Op::kBitwiseAnd, Op::kBitwiseOr, Op::kXlogy,
                          Op::kSpecialXlog1py, Op::kHeaviside, Op::kCopysign, Op::kGcd}) ||
      has_twice(node, node.operands[index])) {
    return false;
  }
  for (size_t other = 0; node.op == Op::kMul && other < node.operands.size(); ++other) {
    if (other != index && ir::is_tensor(node.operands[other]) && is_mask(graph, ir::tensor_operand(node, other))) {
      return false;
    }
  }
  return true;
}

bool all_ones(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t value) { return value == 1; });
}

// Whether each element of operand `index` counts once each element of the node's results does. Whoever is not named
// here may leave something unread.
bool needs_whole(const Graph& graph, const Node& node, size_t index) {
  const ir::OpDef* def = ir::find_op(node.op);
  if (def == nullptr) {
    return false;
  }
  switch (def->family) {
    case ir::OpFamily::kPointwise:
      return pointwise_needs(graph, node, index);
    case ir::OpFamily::kView:
      return is_one_of(node.op, {Op::kReshape, Op::kPermute, Op::kExpand});
    case ir::OpFamily::kReduction:  // any() and all() are maxima and minima of truth values
      return node.op != Op::kProd && !is_mask(graph, ir::tensor_operand(node, index));
    case ir::OpFamily::kSoftmax:
      return true;
    case ir::OpFamily::kNormalization:
    case ir::OpFamily::kRecurrent:
    case ir::OpFamily::kSort:
      return index == 0;
    case ir::OpFamily::kScan:
      return node.op == Op::kCumsum;
    case ir::OpFamily::kContraction:
      return index < 2;
    case ir::OpFamily::kConvolution:
      return index == 0 && is_one_of(node.op, {Op::kConv2d, Op::kConv3d}) &&
             all_ones(ir::ints_attribute(node, "stride"));
    default:
      return node.op == Op::kCat;
  }
}

// Values of which each element counts for some output.
std::set<ValueId> needed_values(const Graph& graph) {
  std::set<ValueId> needed;
  for (const ir::GraphOutput& output : graph.outputs) {
    needed.insert(output.value);
  }
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!needed.contains(node->outputs.front())) {  // indices and statistics beside a result do not count
      continue;
    }
    for (size_t i = 0; i < node->operands.size(); ++i) {
      if (ir::is_tensor(node->operands[i]) && needs_whole(graph, *node, i)) {
        needed.insert(ir::tensor_operand(*node, i));
      }
    }
  }
  return needed;
}

// Values that reach an output through nothing that could be drawn into a product before them: only each element by
// itself, moved about, or normalised.
std::set<ValueId> shown_values(const Graph& graph) {
  std::set<ValueId> shown;
  for (const ir::GraphOutput& output : graph.outputs) {
    shown.insert(output.value);
  }
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const ir::OpDef* def = ir::find_op(node->op);
    const bool passes =
        def != nullptr &&
        (def->family == ir::OpFamily::kPointwise || def->family == ir::OpFamily::kSoftmax ||
         def->family == ir::OpFamily::kNormalization || is_one_of(node->op, {Op::kReshape, Op::kPermute}));
    if (passes && shown.contains(node->outputs.front()) && ir::is_tensor(node->operands[0]) &&
        needs_whole(graph, *node, 0)) {
      shown.insert(ir::tensor_operand(*node, 0));
    }
  }
  return shown;
}

// An input or a parameter, perhaps in another order: no structure that a product could make use of.
bool is_plain(const Graph& graph, const Node& node, size_t index) {
  ValueId id = ir::tensor_operand(node, index);
  while (graph.value(id).producer.is_valid()) {
    const Node& producer = graph.node(graph.value(id).producer);
    if (!is_one_of(producer.op, {Op::kReshape, Op::kPermute})) {
      return false;
    }
    id = ir::tensor_operand(producer, 0);
  }
  return true;
}

double elements(const TensorType& type) { return static_cast<double>(type.element_count()); }

// Products of which each result is shown.
void add_flops(const Graph& graph, const Node& node, evaluate::CompulsoryWork& work) {
  const bool is_matmul = is_one_of(node.op, {Op::kLinear, Op::kMatmul});
  const bool is_convolution = is_one_of(node.op, {Op::kConv2d, Op::kConv3d});
  if ((!is_matmul && !is_convolution) || has_twice(node, node.operands[0]) || !is_plain(graph, node, 0) ||
      !is_plain(graph, node, 1)) {
    return;
  }
  const double outputs = elements(graph.type(node.outputs.front()));
  const TensorType& left = graph.type(ir::tensor_operand(node, 0));
  const TensorType& right = graph.type(ir::tensor_operand(node, 1));
  if (is_matmul && !left.shape.empty()) {
    work.matmul_flops += 2 * outputs * static_cast<double>(left.shape.back());
  } else if (is_convolution && right.shape.front() > 0) {
    work.convolution_flops += 2 * outputs * elements(right) / static_cast<double>(right.shape.front());
  }
}

}  // namespace

evaluate::CompulsoryWork compulsory_work(const Graph& graph) {
  evaluate::CompulsoryWork work;
  const std::set<ValueId> needed = needed_values(graph);
  for (const ir::GraphInput& input : graph.inputs) {
    const bool is_given = input.role == TensorRole::kInput || input.role == TensorRole::kState;
    if (is_given && needed.contains(input.value)) {
      work.read_bytes += static_cast<double>(graph.type(input.value).bytes());
    }
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    // A state that stays what it was may lie where it is.
    if (output.role == TensorRole::kOutput || graph.value(output.value).producer.is_valid()) {
      work.write_bytes += static_cast<double>(graph.type(output.value).bytes());
    }
  }
  const std::set<ValueId> shown = shown_values(graph);
  for (const Node& node : graph.nodes) {
    if (shown.contains(node.outputs.front())) {
      add_flops(graph, node, work);
    }
  }
  return work;
}

}  // namespace stitch::tuning
