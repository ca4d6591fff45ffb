// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/expr.h"

#include <algorithm>
#include <utility>

namespace stitch::kernels {
namespace {

Expr of_kind(Expr::Kind kind, std::string name, std::vector<Expr> operands) {
  Expr made;
  made.kind = kind;
  made.name = std::move(name);
  made.operands = std::move(operands);
  return made;
}

std::vector<Expr> list(Expr first) {
  std::vector<Expr> made;
  made.push_back(std::move(first));
  return made;
}

std::vector<Expr> list(Expr first, Expr second) {
  std::vector<Expr> made = list(std::move(first));
  made.push_back(std::move(second));
  return made;
}

}  // namespace

Expr literal_expr(const Literal& literal) {
  Expr made;
  made.kind = Expr::Kind::kLiteral;
  made.literal = literal;
  return made;
}

Expr named(std::string name) { return of_kind(Expr::Kind::kName, std::move(name), {}); }

Expr bound(std::string scalar_name, std::string lane_name) {
  Expr made = of_kind(Expr::Kind::kBound, std::move(scalar_name), {});
  made.lane_name = std::move(lane_name);
  return made;
}

Expr bound(const std::string& name) { return bound(name, name); }

Expr tensor_named(std::string name) { return of_kind(Expr::Kind::kTensor, std::move(name), {}); }

Expr extent_named(std::string name) { return of_kind(Expr::Kind::kExtent, std::move(name), {}); }

Expr load_of(size_t access) {
  Expr made;
  made.kind = Expr::Kind::kLoad;
  made.number = access;
  return made;
}

Expr position_of(size_t number) {
  Expr made;
  made.kind = Expr::Kind::kPosition;
  made.number = number;
  return made;
}

Expr unary(UnaryOp op, Expr operand) {
  Expr made = of_kind(Expr::Kind::kUnary, {}, list(std::move(operand)));
  made.unary = op;
  return made;
}

Expr binary(BinaryOp op, Expr left, Expr right) {
  Expr made = of_kind(Expr::Kind::kBinary, {}, list(std::move(left), std::move(right)));
  made.binary = op;
  return made;
}

Expr select(Expr condition, Expr then, Expr otherwise) {
  std::vector<Expr> operands = list(std::move(condition), std::move(then));
  operands.push_back(std::move(otherwise));
  return of_kind(Expr::Kind::kSelect, {}, std::move(operands));
}

Expr call(std::string function, std::vector<Expr> operands) {
  return of_kind(Expr::Kind::kCall, std::move(function), std::move(operands));
}

Expr math_call(std::string function, ScalarType type, std::vector<Expr> operands) {
  Expr made = of_kind(Expr::Kind::kMath, std::move(function), std::move(operands));
  made.type = type;
  return made;
}

Expr method_call(Expr object, std::string method, std::vector<Expr> operands) {
  operands.insert(operands.begin(), std::move(object));
  return of_kind(Expr::Kind::kMethod, std::move(method), std::move(operands));
}

Expr aggregate(std::string type, std::vector<Expr> members) {
  return of_kind(Expr::Kind::kAggregate, std::move(type), std::move(members));
}

Expr cast(std::string type, Expr operand) {
  return of_kind(Expr::Kind::kCast, std::move(type), list(std::move(operand)));
}

Expr in_parentheses(Expr operand) { return of_kind(Expr::Kind::kParentheses, {}, list(std::move(operand))); }

Expr sum(Expr left, Expr right) { return binary(BinaryOp::kAdd, std::move(left), std::move(right)); }

Expr product(Expr left, Expr right) { return binary(BinaryOp::kMultiply, std::move(left), std::move(right)); }

Expr both(Expr so_far, Expr next) {
  return so_far.is_nothing() ? next : binary(BinaryOp::kAnd, std::move(so_far), std::move(next));
}

bool uses_load(const Expr& expression, size_t access) {
  if (expression.kind == Expr::Kind::kLoad) {
    return expression.number == access;
  }
  return std::any_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expr& operand) { return uses_load(operand, access); });
}

}  // namespace stitch::kernels
