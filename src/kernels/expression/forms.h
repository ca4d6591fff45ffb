// SPDX-License-Identifier: Apache-2.0
// How each pointwise operator is computed from its operands, by kind of element.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/code/expr.h"

namespace stitch::kernels {

// What a form is filled with.
struct PointwiseTerms {
  const ir::Graph& graph;
  const ir::Node& node;
  const std::vector<Expr>& operands;
  DataType dtype;  // the element type that the operator works in
  StepBuilder& step;

  // Attribute `name` as a number, or as a named constant of the step.
  Expr attribute(const char* name) const;
  Expr number(double value) const;  // in the type that the operator works in
};

struct Form {
  enum class Kind { kAbsent, kOperand, kInfix, kPrefix, kCall, kCallWithBits, kMath, kMade };
  Kind kind = Kind::kAbsent;
  BinaryOp binary = BinaryOp::kAdd;
  UnaryOp unary = UnaryOp::kNegate;
  const char* function = "";
  std::array<const char*, 3> attributes = {};  // further arguments
  Expr (*make)(const PointwiseTerms& terms) = nullptr;
};

enum class Range : uint8_t { kStaysInRange, kMayLeaveRange };

// What the operator's row in ir/ops/pointwise/ says of kernels; absent forms for what is no pointwise operator.
struct PointwiseForms {
  Form floating_point;
  Form integer;
  Form boolean;
  double cost = 1;  // instructions of an element
  Range range = Range::kStaysInRange;

  const Form& of(DataType dtype) const;
};

const PointwiseForms& pointwise_forms(ir::Op op);

// The form, filled in. It must not be absent.
Expr fill(const Form& form, const PointwiseTerms& terms);

}  // namespace stitch::kernels
