// SPDX-License-Identifier: Apache-2.0
// An expression of emitted code as a small tree: of a functor's body, which is printed once for single elements and
// once for lanes, or of the host side that launches it. expr_text.h prints it.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/literal.h"

namespace stitch::kernels {

enum class UnaryOp { kNegate, kNot, kComplement };
enum class BinaryOp {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kBitAnd,
  kBitXor,
  kBitOr,
  kAnd,
  kOr
};

struct Expr {
  enum class Kind {
    kNothing,
    kLiteral,
    kName,      // a local or member of the functor, or a constant of the step: `name`
    kBound,     // handed in by the skeleton: `name`, where lanes are taken `lane_name`
    kLoad,      // what access `number` of the functor reads
    kPosition,  // position `number` of the functor
    kTensor,    // on the host, the memory of tensor `name`
    kExtent,    // on the host, extent `name`
    kUnary,
    kBinary,
    kSelect,         // operands: condition, then, otherwise
    kCall,           // name(operands)
    kMath,           // a function of <cmath> in the precision of `type`: expf() for float, exp() for double
    kMethod,         // operands[0].name(the others)
    kAggregate,      // name{operands}
    kCast,           // static_cast<name>(operand)
    kParentheses,    // for the reader; those that C++ demands are added by the printer
  };

  Kind kind = Kind::kNothing;
  UnaryOp unary = UnaryOp::kNegate;
  BinaryOp binary = BinaryOp::kAdd;
  ScalarType type = ScalarType::kFloat;
  size_t number = 0;
  Literal literal;
  std::string name;
  std::string lane_name;
  std::vector<Expr> operands;

  bool operator==(const Expr&) const = default;
  bool is_nothing() const { return kind == Kind::kNothing; }
};

Expr literal_expr(const Literal& literal);
Expr named(std::string name);
Expr bound(std::string scalar_name, std::string lane_name);
// A value that the skeleton hands in under one name, for single elements and lanes alike.
Expr bound(const std::string& name);
Expr tensor_named(std::string name);
Expr extent_named(std::string name);
Expr load_of(size_t access);
Expr position_of(size_t number);
Expr unary(UnaryOp op, Expr operand);
Expr binary(BinaryOp op, Expr left, Expr right);
Expr select(Expr condition, Expr then, Expr otherwise);
Expr call(std::string function, std::vector<Expr> operands);
Expr math_call(std::string function, ScalarType type, std::vector<Expr> operands);
Expr method_call(Expr object, std::string method, std::vector<Expr> operands);
Expr aggregate(std::string type, std::vector<Expr> members);
Expr cast(std::string type, Expr operand);
Expr in_parentheses(Expr operand);

// Adds from left to right: a + b + c. No term is dropped, zeros included.
Expr sum(Expr left, Expr right);
Expr product(Expr left, Expr right);
// `so_far && next`, or `next` alone when there is nothing yet.
Expr both(Expr so_far, Expr next);

// Whether load `access` is part of `expression`.
bool uses_load(const Expr& expression, size_t access);

}  // namespace stitch::kernels
