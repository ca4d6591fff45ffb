// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/forms.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/expression/made_forms.h"

namespace stitch::kernels {
namespace {

constexpr Form absent() { return {}; }
constexpr Form operand() { return {.kind = Form::Kind::kOperand}; }
constexpr Form infix(BinaryOp op) { return {.kind = Form::Kind::kInfix, .binary = op}; }
constexpr Form prefix(UnaryOp op) { return {.kind = Form::Kind::kPrefix, .unary = op}; }
constexpr Form math(const char* function) { return {.kind = Form::Kind::kMath, .function = function}; }
constexpr Form made(Expr (*make)(const PointwiseTerms&)) { return {.kind = Form::Kind::kMade, .make = make}; }
// A function of the operands and of these attributes.
constexpr Form call_of(const char* function, const char* first = nullptr, const char* second = nullptr,
                       const char* third = nullptr) {
  return {.kind = Form::Kind::kCall, .function = function, .attributes = {first, second, third}};
}
// The same with the bits of the element type as its template argument.
constexpr Form call_with_bits(const char* function) {
  return {.kind = Form::Kind::kCallWithBits, .function = function};
}

constexpr std::array<PointwiseForms, ir::kOpCount> make_table() {
  using enum BinaryOp;
  using enum UnaryOp;
  using enum Range;
  std::array<PointwiseForms, ir::kOpCount> table{};
#define STITCH_POINTWISE(name, meaning, definition, floating_point, integer, boolean, cost, range) \
  table[index_of(ir::op_named(#name))] = {floating_point, integer, boolean, cost, range};
#include "ir/ops/pointwise/pointwise.def"
#undef STITCH_POINTWISE
  return table;
}

constexpr std::array<PointwiseForms, ir::kOpCount> kTable = make_table();

}  // namespace

Expr PointwiseTerms::attribute(const char* name) const {
  const ir::Scalar scalar = ir::double_attribute(node, name);
  const Literal value = literal(scalar, dtype);
  if (speaks_for_itself(scalar)) {
    return literal_expr(value);
  }
  return step.constant(graph.value(node.outputs[0]).name + "_" + name, value);
}

Expr PointwiseTerms::number(double value) const { return literal_expr(literal(value, dtype)); }

const Form& PointwiseForms::of(DataType dtype) const {
  if (is_floating_point(dtype)) {
    return floating_point;
  }
  return dtype == DataType::kBool ? boolean : integer;
}

const PointwiseForms& pointwise_forms(ir::Op op) { return kTable[index_of(op)]; }

Expr fill(const Form& form, const PointwiseTerms& terms) {
  const std::vector<Expr>& operands = terms.operands;
  switch (form.kind) {
    case Form::Kind::kAbsent:
    case Form::Kind::kOperand:
      return operands[0];
    case Form::Kind::kInfix:
      return binary(form.binary, operands[0], operands[1]);
    case Form::Kind::kPrefix:
      return unary(form.unary, operands[0]);
    case Form::Kind::kMath:
      return math_call(form.function, compute_type(terms.dtype), operands);
    case Form::Kind::kCallWithBits:
      return call(fmt::format("{}<{}>", form.function, 8 * element_bytes(terms.dtype)), operands);
    case Form::Kind::kMade:
      return form.make(terms);
    case Form::Kind::kCall:
      break;
  }
  std::vector<Expr> arguments = operands;
  for (const char* attribute : form.attributes) {
    if (attribute != nullptr) {
      arguments.push_back(terms.attribute(attribute));
    }
  }
  return call(form.function, std::move(arguments));
}

}  // namespace stitch::kernels
