// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/expr_text.h"

#include "base/error/check.h"

namespace stitch::kernels {
namespace {

// The larger, the tighter.
constexpr int kSelectPrecedence = 1;
constexpr int kUnaryPrecedence = 11;
constexpr int kPrimaryPrecedence = 12;

struct Spelling {
  const char* text;
  int precedence;
};

Spelling spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return {" || ", 2};
    case BinaryOp::kAnd:
      return {" && ", 3};
    case BinaryOp::kBitOr:
      return {" | ", 4};
    case BinaryOp::kBitXor:
      return {" ^ ", 5};
    case BinaryOp::kBitAnd:
      return {" & ", 6};
    case BinaryOp::kEqual:
      return {" == ", 7};
    case BinaryOp::kNotEqual:
      return {" != ", 7};
    case BinaryOp::kLess:
      return {" < ", 8};
    case BinaryOp::kLessEqual:
      return {" <= ", 8};
    case BinaryOp::kGreater:
      return {" > ", 8};
    case BinaryOp::kGreaterEqual:
      return {" >= ", 8};
    case BinaryOp::kAdd:
      return {" + ", 9};
    case BinaryOp::kSubtract:
      return {" - ", 9};
    case BinaryOp::kMultiply:
      return {" * ", 10};
    case BinaryOp::kDivide:
      return {" / ", 10};
    case BinaryOp::kRemainder:
      return {" % ", 10};
  }
  return {"", 0};
}

const char* spelling(UnaryOp op) { return op == UnaryOp::kNegate ? "-" : op == UnaryOp::kNot ? "!" : "~"; }

class Printer {
 public:
  explicit Printer(const BodyNames& names) : names_(names) {}

  std::string print(const Expr& expression) const {
    switch (expression.kind) {
      case Expr::Kind::kNothing:
        return "";
      case Expr::Kind::kLiteral:
        return to_text(expression.literal);
      case Expr::Kind::kName:
        return expression.name;
      case Expr::Kind::kBound:
        return names_.lanes ? expression.lane_name : expression.name;
      case Expr::Kind::kLoad:
        return names_.loads[expression.number];
      case Expr::Kind::kPosition:
        return names_.positions[expression.number];
      case Expr::Kind::kTensor:
        return "args->tensors[" + expression.name + "]";
      case Expr::Kind::kExtent:
        return "extents." + expression.name;
      case Expr::Kind::kUnary:
        return spelling(expression.unary) + print_unary_operand(expression);
      case Expr::Kind::kBinary:
        return print_binary(expression);
      case Expr::Kind::kSelect:
        return tighter_than(kSelectPrecedence, expression.operands[0]) + " ? " + print(expression.operands[1]) + " : " +
               print(expression.operands[2]);
      default:
        return print_call(expression);
    }
  }

 private:
  static int precedence(const Expr& expression) {
    switch (expression.kind) {
      case Expr::Kind::kSelect:
        return kSelectPrecedence;
      case Expr::Kind::kBinary:
        return spelling(expression.binary).precedence;
      case Expr::Kind::kUnary:
        return kUnaryPrecedence;
      case Expr::Kind::kLiteral:
        return is_negative(expression.literal) ? kUnaryPrecedence : kPrimaryPrecedence;
      default:
        return kPrimaryPrecedence;
    }
  }

  std::string tighter_than(int limit, const Expr& expression) const {
    return precedence(expression) > limit ? print(expression) : "(" + print(expression) + ")";
  }

  // Two signs in a row would be another operator.
  std::string print_unary_operand(const Expr& expression) const {
    const bool negates = expression.unary == UnaryOp::kNegate;
    return tighter_than(negates ? kUnaryPrecedence : kUnaryPrecedence - 1, expression.operands[0]);
  }

  std::string print_binary(const Expr& expression) const {
    const Spelling op = spelling(expression.binary);
    return tighter_than(op.precedence - 1, expression.operands[0]) + op.text +
           tighter_than(op.precedence, expression.operands[1]);
  }

  std::string print_list(const Expr& expression, size_t first) const {
    std::string text;
    for (size_t i = first; i < expression.operands.size(); ++i) {
      text += (i == first ? "" : ", ") + print(expression.operands[i]);
    }
    return text;
  }

  std::string print_call(const Expr& expression) const {
    switch (expression.kind) {
      case Expr::Kind::kCall:
        return expression.name + "(" + print_list(expression, 0) + ")";
      case Expr::Kind::kMath:  // "::", since a value of the model may be called exp
        return (expression.type == ScalarType::kDouble ? "::" + expression.name : expression.name + "f") + "(" +
               print_list(expression, 0) + ")";
      case Expr::Kind::kMethod:
        return tighter_than(kUnaryPrecedence, expression.operands[0]) + "." + expression.name + "(" +
               print_list(expression, 1) + ")";
      case Expr::Kind::kAggregate:
        return expression.name + "{" + print_list(expression, 0) + "}";
      case Expr::Kind::kCast:
        return "static_cast<" + expression.name + ">(" + print_list(expression, 0) + ")";
      case Expr::Kind::kParentheses:
        return "(" + print_list(expression, 0) + ")";
      default:
        STITCH_CHECK(false) << "an expression of a kind that has no spelling";
        return "";
    }
  }

  const BodyNames& names_;
};

}  // namespace

std::string to_text(const Expr& expression, const BodyNames& names) { return Printer(names).print(expression); }

}  // namespace stitch::kernels
