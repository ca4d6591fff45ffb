// SPDX-License-Identifier: Apache-2.0
// The table of pointwise operators: how each is computed from its operands, by kind of element.
#pragma once

#include <array>
#include <string_view>
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

struct PointwiseTraits {
  bool may_leave_range = false;  // of a narrow integer type
  std::array<const char*, 3> scalar_names = {"threshold", "threshold", "threshold"};
};

struct PointwiseRow {
  const char* op;
  Form floating_point;
  Form integer;
  Form boolean;
  double cost;  // instructions of an element
  PointwiseTraits traits = {};

  const Form& form(DataType dtype) const;
};

// Null for what is no pointwise operator.
const PointwiseRow* find_pointwise(std::string_view op);

// The form, filled in. It must not be absent.
Expr fill(const Form& form, const PointwiseTerms& terms);

}  // namespace stitch::kernels
