// SPDX-License-Identifier: Apache-2.0
// The half of Call that writes nodes.
#include "frontend/exported/call.h"
#include "frontend/exported/promotion.h"
#include "ir/ops.h"

namespace stitch::frontend {
namespace {

// Of truth values the product is "both", the sum "either", and the larger of two is true where either is.
Op operator_for(Op op, DataType dtype) {
  if (dtype != DataType::kBool) {
    return op;
  }
  if (op == Op::kMul || op == Op::kMinimum || op == Op::kFmin) {
    return Op::kLogicalAnd;
  }
  return op == Op::kAdd || op == Op::kMaximum || op == Op::kFmax ? Op::kLogicalOr : op;
}

}  // namespace

ir::Node Call::make_node(Op op, std::vector<Operand> operands, Attributes attributes) const {
  ir::Node node;
  node.op = op;
  node.operands = std::move(operands);
  node.attributes = std::move(attributes);
  node.location = node_.location;
  return node;
}

Result<ValueId> Call::emit(Op op, std::vector<Operand> operands, Attributes attributes) {
  const std::string owner = node_.outputs.empty() ? node_.base : node_.outputs[0].name;
  return builder_.add_one(make_node(op, std::move(operands), std::move(attributes)), owner + "_" + to_string(op));
}

Result<std::vector<ValueId>> Call::emit_all(Op op, std::vector<Operand> operands, Attributes attributes) {
  return builder_.add(make_node(op, std::move(operands), std::move(attributes)));
}

Converted Call::finish(Op op, std::vector<Operand> operands, Attributes attributes) {
  STITCH_ASSIGN(const ValueId result, builder_.add_one(make_node(op, std::move(operands), std::move(attributes)),
                                                       node_.outputs.empty() ? "" : node_.outputs[0].name));
  return std::vector<ValueId>{result};
}

Converted Call::finish_all(Op op, std::vector<Operand> operands, Attributes attributes) {
  std::vector<std::string> names;
  for (const ExportedOutput& output : node_.outputs) {
    names.push_back(output.name);
  }
  return builder_.add(make_node(op, std::move(operands), std::move(attributes)), names);
}

Result<ValueId> Call::reshape(ValueId x, std::vector<int64_t> new_shape) {
  if (shape(x) == new_shape) {
    return x;
  }
  return emit(Op::kReshape, {x}, {{"shape", std::move(new_shape)}});
}

Result<ValueId> Call::expand(ValueId x, std::vector<int64_t> new_shape) {
  if (shape(x) == new_shape) {
    return x;
  }
  return emit(Op::kExpand, {x}, {{"shape", std::move(new_shape)}});
}

Result<ValueId> Call::cast(ValueId x, DataType dtype) {
  if (type(x).dtype == dtype) {
    return x;
  }
  return emit(Op::kTo, {x}, {{"dtype", dtype}});
}

Result<std::vector<Operand>> Call::promoted(Op op, std::vector<Operand> operands) {
  const ir::OpDef* def = ir::find_op(op);
  STITCH_CHECK(def != nullptr) << "no rule for " << to_string(op);
  DataType dtype = result_type(graph(), operands);
  if (def->elements == ir::ElementRule::kLogical) {
    dtype = DataType::kBool;
  } else if (def->elements == ir::ElementRule::kFloatingPoint && !is_floating_point(dtype)) {
    dtype = DataType::kFloat32;  // PyTorch's default type
  }
  for (Operand& operand : operands) {
    if (const ValueId* id = std::get_if<ValueId>(&operand)) {
      STITCH_ASSIGN(operand, cast(*id, dtype));
    } else if (const Scalar* scalar = std::get_if<Scalar>(&operand)) {
      operand = scalar_as(*scalar, dtype);
    }
  }
  return operands;
}

Result<ValueId> Call::pointwise(Op op, std::vector<Operand> operands, Attributes attributes) {
  const Op meant = operator_for(op, result_type(graph(), operands));
  STITCH_ASSIGN(operands, promoted(meant, std::move(operands)));
  return emit(meant, std::move(operands), std::move(attributes));
}

Converted Call::finish_pointwise(Op op, std::vector<Operand> operands, Attributes attributes) {
  const Op meant = operator_for(op, result_type(graph(), operands));
  STITCH_ASSIGN(operands, promoted(meant, std::move(operands)));
  return finish(meant, std::move(operands), std::move(attributes));
}

}  // namespace stitch::frontend
