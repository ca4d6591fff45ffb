// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/scaled_chain.h"

#include <algorithm>

#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

bool is_added(ir::Op op) { return op == ir::Op::kAdd || op == ir::Op::kSub; }

}  // namespace

bool is_alike_along(const ir::Graph& graph, const ir::Operand& operand, const TensorType& type,
                    const std::vector<int64_t>& axes) {
  if (!ir::is_tensor(operand)) {
    return std::holds_alternative<ir::Scalar>(operand);
  }
  const TensorType& own = graph.type(std::get<ir::ValueId>(operand));
  return own.dtype == type.dtype && std::all_of(axes.begin(), axes.end(), [&](int64_t axis) {
           const int64_t at = axis - static_cast<int64_t>(type.shape.size()) + static_cast<int64_t>(own.shape.size());
           return at < 0 || own.shape[static_cast<size_t>(at)] == 1;
         });
}

ir::Operand elements_along(NodeChain& into, const std::vector<int64_t>& shape, const std::vector<int64_t>& axes,
                           const std::string& suffix) {
  double count = 1;
  bool may_follow_batch = false;
  for (const int64_t axis : axes) {
    count *= static_cast<double>(shape[static_cast<size_t>(axis)]);
    may_follow_batch = may_follow_batch || axis == 0;
  }
  if (!may_follow_batch) {
    return ir::Scalar{count};
  }
  const ir::ValueId extent =
      into.add(ir::Op::kFull, {}, suffix + "_extent",
               {{"shape", std::vector<int64_t>{}}, {"value", count}, {"dtype", DataType::kInt64}});
  return into.add(ir::Op::kTo, {extent}, suffix, {{"dtype", DataType::kFloat32}});
}

ir::Operand sum_of_term(NodeChain& into, const ir::Operand& term, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& axes, const std::string& suffix) {
  const ir::Operand count = elements_along(into, shape, axes, suffix + "_count");
  if (!ir::is_tensor(term) && !ir::is_tensor(count)) {
    const auto number = [](const ir::Operand& operand) {
      return std::visit([](auto each) { return static_cast<double>(each); }, std::get<ir::Scalar>(operand));
    };
    return ir::Scalar{number(term) * number(count)};
  }
  return into.add(ir::Op::kMul, {term, count}, suffix);
}

std::optional<size_t> scaled_operand(const Factors& factors, const ir::Node* node, const std::vector<int64_t>& axes) {
  if (node == nullptr || (node->op != ir::Op::kMul && node->op != ir::Op::kDiv && !is_added(node->op))) {
    return std::nullopt;
  }
  const ir::Graph& graph = factors.graph();
  const TensorType& type = graph.type(node->outputs[0]);
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const bool may_be_followed = ir::is_tensor(node->operands[side]) && type.dtype == DataType::kFloat32 &&
                                 graph.type(std::get<ir::ValueId>(node->operands[side])) == type;
    if (may_be_followed && factors.may_leave_sum(*node, side) &&
        is_alike_along(graph, node->operands[1 - side], type, axes)) {
      return side;
    }
  }
  return std::nullopt;
}

ir::ValueId repeated_on_reduced(const Factors& factors, const GraphCopy& copy, NodeChain& into,
                                const std::vector<const ir::Node*>& chain, ir::ValueId reduced,
                                const std::vector<int64_t>& axes, bool is_mean) {
  const ir::Graph& from = factors.graph();
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    const size_t side = *scaled_operand(factors, *node, axes);
    const std::string name = "_" + from.value((*node)->outputs[0]).name;
    ir::Operand other = copy.mapped(**node).operands[1 - side];
    if (is_added((*node)->op) && !is_mean) {
      other = sum_of_term(into, other, from.type((*node)->outputs[0]).shape, axes, name + "_terms");
    }
    std::vector<ir::Operand> operands(2);
    operands[side] = reduced;
    operands[1 - side] = other;
    reduced = into.add((*node)->op, operands, name);
  }
  return reduced;
}

}  // namespace stitch::plan
