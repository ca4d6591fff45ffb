// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/made_forms.h"

#include <fmt/format.h>

#include <cmath>

namespace stitch::kernels {
namespace {

double number_of(const ir::Scalar& scalar) {
  return std::visit([](auto number) { return static_cast<double>(number); }, scalar);
}

Expr zero(const PointwiseTerms& terms) { return terms.number(0.0); }

}  // namespace

Expr larger(const PointwiseTerms& terms) {
  const auto& x = terms.operands;
  return select(binary(BinaryOp::kGreater, x[0], x[1]), x[0], x[1]);
}

Expr smaller(const PointwiseTerms& terms) {
  const auto& x = terms.operands;
  return select(binary(BinaryOp::kLess, x[0], x[1]), x[0], x[1]);
}

Expr choice(const PointwiseTerms& terms) {
  return select(terms.operands[0], terms.operands[1], terms.operands[2]);
}

Expr no(const PointwiseTerms&) { return literal_expr({false, ScalarType::kBool}); }

Expr truncated_quotient(const PointwiseTerms& terms) {
  return math_call("trunc", compute_type(terms.dtype),
                   {binary(BinaryOp::kDivide, terms.operands[0], terms.operands[1])});
}

Expr sign_of_one(const PointwiseTerms& terms) {
  return binary(BinaryOp::kLess,
                math_call("copysign", compute_type(terms.dtype), {terms.number(1.0), terms.operands[0]}), zero(terms));
}

Expr below_zero(const PointwiseTerms& terms) { return binary(BinaryOp::kLess, terms.operands[0], zero(terms)); }

Expr above_threshold(const PointwiseTerms& terms) {
  const Expr threshold = terms.attribute("threshold");
  return select(binary(BinaryOp::kLessEqual, terms.operands[0], threshold), terms.attribute("value"),
                terms.operands[0]);
}

Expr whole_magnitude(const PointwiseTerms& terms) {
  return select(below_zero(terms), call("stitch::wrapping_negate", terms.operands), terms.operands[0]);
}

Expr whole_sign(const PointwiseTerms& terms) {
  return binary(BinaryOp::kSubtract, binary(BinaryOp::kGreater, terms.operands[0], zero(terms)), below_zero(terms));
}

Expr whole_relu(const PointwiseTerms& terms) { return select(below_zero(terms), zero(terms), terms.operands[0]); }

Expr whole_hardtanh(const PointwiseTerms& terms) {
  const Expr& x = terms.operands[0];
  const Expr low = terms.attribute("min");
  const Expr high = terms.attribute("max");
  return select(binary(BinaryOp::kLess, x, low), low,
                in_parentheses(select(binary(BinaryOp::kGreater, x, high), high, x)));
}

Expr whole_heaviside(const PointwiseTerms& terms) {
  const Expr& x = terms.operands[0];
  const Expr step = select(binary(BinaryOp::kGreater, x, zero(terms)), terms.number(1.0), zero(terms));
  return select(binary(BinaryOp::kEqual, x, zero(terms)), terms.operands[1], in_parentheses(step));
}

Expr conversion(const PointwiseTerms& terms) {
  return converted(terms.operands[0], terms.dtype, ir::dtype_attribute(terms.node, "dtype"));
}

Expr gelu(const PointwiseTerms& terms) {
  const bool by_tanh = ir::string_attribute(terms.node, "approximate") == "tanh";
  return call(by_tanh ? "stitch::gelu_tanh" : "stitch::gelu", terms.operands);
}

Expr elu(const PointwiseTerms& terms) {
  const Expr& x = terms.operands[0];
  const Expr alpha = terms.attribute("alpha");
  if (ir::double_attribute(terms.node, "scale") == 1.0 && ir::double_attribute(terms.node, "input_scale") == 1.0) {
    return call("stitch::elu", {x, alpha});
  }
  const Expr scale = terms.attribute("scale");
  const Expr below = math_call("expm1", compute_type(terms.dtype), {product(x, terms.attribute("input_scale"))});
  return product(scale, select(binary(BinaryOp::kGreater, x, zero(terms)), x, product(alpha, below)));
}

Expr clamp(const PointwiseTerms& terms) {
  const Expr low = terms.attribute("min");
  return call("stitch::clamp", {terms.operands[0], low, terms.attribute("max")});
}

// An integer type has no infinities: a bound that is one does not hold anything.
Expr whole_clamp(const PointwiseTerms& terms) {
  const Expr& x = terms.operands[0];
  const bool has_low = std::isfinite(ir::double_attribute(terms.node, "min"));
  const Expr low = has_low ? terms.attribute("min") : Expr{};
  Expr result = x;
  if (std::isfinite(ir::double_attribute(terms.node, "max"))) {
    const Expr high = terms.attribute("max");
    result = select(binary(BinaryOp::kGreater, x, high), high, x);
  }
  return has_low ? select(binary(BinaryOp::kLess, x, low), low, std::move(result)) : result;
}

Expr power(const PointwiseTerms& terms) {
  if (const ir::Scalar* exponent = std::get_if<ir::Scalar>(&terms.node.operands[1])) {
    if (number_of(*exponent) == 2.0) {
      return call("stitch::square", {terms.operands[0]});
    }
    if (is_square_root(*exponent)) {
      return math_call("sqrt", compute_type(terms.dtype), {terms.operands[0]});
    }
  }
  return math_call("pow", compute_type(terms.dtype), terms.operands);
}

Expr whole_power(const PointwiseTerms& terms) { return call("stitch::integer_power", terms.operands); }

Expr converted(Expr operand, DataType from, DataType to) {
  if (to == DataType::kFloat64) {
    return from == to ? operand : cast("double", std::move(operand));
  }
  if (is_floating_point(to)) {
    const bool is_float = is_floating_point(from) && from != DataType::kFloat64;
    return is_float ? operand : call("stitch::to_float", {std::move(operand)});
  }
  if (to == DataType::kBool) {
    return from == DataType::kBool
               ? operand
               : binary(BinaryOp::kNotEqual, std::move(operand), literal_expr(literal(int64_t{0}, from)));
  }
  const Expr whole = cast("int64_t", std::move(operand));
  return to == DataType::kInt64 ? whole : call(fmt::format("stitch::wrapped<{}>", cuda_type_name(to)), {whole});
}

bool is_square_root(const ir::Scalar& exponent) { return number_of(exponent) == 0.5; }

}  // namespace stitch::kernels
