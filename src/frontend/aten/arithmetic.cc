// SPDX-License-Identifier: Apache-2.0
// Arithmetic that PyTorch folds into one operator: factors, rounding modes, masks.
#include <cmath>
#include <cstdlib>

#include "frontend/aten/converters.h"
#include "frontend/exported/promotion.h"

namespace stitch::frontend {
namespace {

double as_double(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

// Whole numbers stay whole: they take part in type promotion as such.
Scalar multiplied(const Scalar& a, const Scalar& b) {
  if (const int64_t* x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b); x != nullptr && y != nullptr) {
    return Scalar(static_cast<int64_t>(static_cast<uint64_t>(*x) * static_cast<uint64_t>(*y)));
  }
  return Scalar(as_double(a) * as_double(b));
}

// The operand times a factor, or itself when that is 1.
Result<Operand> scaled(Call& call, Operand operand, size_t position, const char* name) {
  if (!call.has(position, name)) {
    return operand;
  }
  STITCH_ASSIGN(const Operand factor, call.tensor_or_scalar(position, name));
  if (factor == Operand(Scalar(int64_t{1})) || factor == Operand(Scalar(1.0))) {
    return operand;
  }
  if (!ir::is_tensor(operand)) {
    if (ir::is_tensor(factor)) {
      return call.unsupported("a scalar is multiplied by a tensor factor");
    }
    return Operand(multiplied(std::get<Scalar>(operand), std::get<Scalar>(factor)));
  }
  STITCH_ASSIGN(const ValueId product, call.pointwise(Op::kMul, {operand, factor}));
  return Operand(product);
}

Converted linear_combination(Call& call, Op op) {
  STITCH_ASSIGN(const Operand a, call.tensor_or_scalar(0, "self"));
  STITCH_ASSIGN(const Operand b, call.tensor_or_scalar(1, "other"));
  STITCH_ASSIGN(const Operand scaled_b, scaled(call, b, 2, "alpha"));
  return call.finish_pointwise(op, {a, scaled_b});
}

// `op` on integers, `logical` on truth values.
Converted on_bits(Call& call, Op op, Op logical, size_t count) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < count; ++i) {
    STITCH_ASSIGN(const Operand operand, call.tensor_or_scalar(i, i == 0 ? "self" : "other"));
    operands.push_back(operand);
  }
  const DataType dtype = result_type(call.graph(), operands);
  STITCH_TRY(call.require(!is_floating_point(dtype), "bits of floating-point numbers are not defined"));
  return call.finish_pointwise(dtype == DataType::kBool ? logical : op, std::move(operands));
}

// Of floor, ceil, trunc and round, by ATen's names.
Op rounding_named(const std::string& base) {
  if (base == "trunc" || base == "fix") {
    return Op::kTrunc;
  }
  return base == "floor" ? Op::kFloor : base == "ceil" ? Op::kCeil : Op::kRound;
}

// A number as a tensor without axes, of the type that PyTorch says the result has.
Result<Operand> number_as_tensor(Call& call, size_t position, const char* name) {
  STITCH_ASSIGN(const double value, call.number(position, name));
  STITCH_TRY(call.require(!call.node().outputs.empty() && call.node().outputs[0].type.has_value(),
                          "its result has no element type"));
  const DataType dtype = call.node().outputs[0].type->dtype;
  STITCH_ASSIGN(const ValueId number,
                call.emit(Op::kFull, {}, {{"shape", std::vector<int64_t>{}}, {"value", value}, {"dtype", dtype}}));
  return Operand(number);
}

}  // namespace

Converted convert_add(Call& call) { return linear_combination(call, Op::kAdd); }
Converted convert_sub(Call& call) { return linear_combination(call, Op::kSub); }

Converted convert_rsub(Call& call) {
  STITCH_ASSIGN(const Operand a, call.tensor_or_scalar(0, "self"));
  STITCH_ASSIGN(const Operand b, call.tensor_or_scalar(1, "other"));
  STITCH_ASSIGN(const Operand scaled_a, scaled(call, a, 2, "alpha"));
  return call.finish_pointwise(Op::kSub, {b, scaled_a});
}

Converted convert_div(Call& call) {
  STITCH_ASSIGN(const Operand a, call.tensor_or_scalar(0, "self"));
  STITCH_ASSIGN(const Operand b, call.tensor_or_scalar(1, "other"));
  STITCH_ASSIGN(const std::string rounding, call.text(2, "rounding_mode", "none"));
  if (rounding == "none") {
    return call.finish_pointwise(Op::kDiv, {a, b});
  }
  if (rounding != "floor" && rounding != "trunc") {
    return call.unsupported("rounding_mode " + rounding + " is not known");
  }
  return call.finish_pointwise(rounding == "floor" ? Op::kFloorDivide : Op::kDivTrunc, {a, b});
}

Converted convert_square(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return call.finish_pointwise(Op::kMul, {x, x});
}

Converted convert_pow(Call& call) {
  STITCH_ASSIGN(const Operand base, call.tensor_or_scalar(0, "self"));
  STITCH_ASSIGN(const Operand exponent, call.tensor_or_scalar(1, "exponent"));
  return call.finish_pointwise(Op::kPow, {base, exponent});
}

// self + value * (tensor1 op tensor2)
Converted add_scaled(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId a, call.tensor(1, "tensor1"));
  STITCH_ASSIGN(const ValueId b, call.tensor(2, "tensor2"));
  STITCH_ASSIGN(const ValueId joined, call.pointwise(op, {a, b}));
  STITCH_ASSIGN(const Operand term, scaled(call, joined, 3, "value"));
  return call.finish_pointwise(Op::kAdd, {x, term});
}

Converted convert_addcmul(Call& call) { return add_scaled(call, Op::kMul); }
Converted convert_addcdiv(Call& call) { return add_scaled(call, Op::kDiv); }

Converted convert_where(Call& call) {
  STITCH_ASSIGN(const ValueId condition, call.tensor(0, "condition"));
  STITCH_ASSIGN(Operand a, call.tensor_or_scalar(1, "self"));
  STITCH_ASSIGN(const Operand b, call.tensor_or_scalar(2, "other"));
  if (!ir::is_tensor(a) && !ir::is_tensor(b)) {
    STITCH_ASSIGN(a, number_as_tensor(call, 1, "self"));
  }
  STITCH_ASSIGN(std::vector<Operand> operands, call.promoted(Op::kWhere, {a, b}));
  operands.insert(operands.begin(), condition);
  return call.finish(Op::kWhere, std::move(operands));
}

// The result keeps self's type: the value is converted, never self.
Converted convert_masked_fill(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId mask, call.tensor(1, "mask"));
  STITCH_ASSIGN(const Operand value, call.tensor_or_scalar(2, "value"));
  if (const ValueId* id = std::get_if<ValueId>(&value)) {
    STITCH_ASSIGN(const ValueId cast, call.cast(*id, call.type(x).dtype));
    return call.finish(Op::kWhere, {mask, cast, x});
  }
  STITCH_ASSIGN(const auto operands, call.promoted(Op::kWhere, {value, x}));
  return call.finish(Op::kWhere, {mask, operands[0], x});
}

// Integers are round already. `decimals` moves the point and back, as PyTorch does.
Converted convert_rounding(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t decimals, call.integer(1, "decimals", 0));
  const DataType dtype = call.type(x).dtype;
  if (!is_floating_point(dtype) && dtype != DataType::kBool) {
    return std::vector<ValueId>{x};
  }
  if (decimals == 0) {
    return call.finish(rounding_named(call.node().base), {x});
  }
  const Scalar power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  const Op there = decimals > 0 ? Op::kMul : Op::kDiv;
  const Op back = decimals > 0 ? Op::kDiv : Op::kMul;
  STITCH_ASSIGN(const ValueId moved, call.emit(there, {x, power}));
  STITCH_ASSIGN(const ValueId rounded, call.emit(Op::kRound, {moved}));
  return call.finish(back, {rounded, power});
}

Converted convert_bitwise_and(Call& call) { return on_bits(call, Op::kBitwiseAnd, Op::kLogicalAnd, 2); }
Converted convert_bitwise_or(Call& call) { return on_bits(call, Op::kBitwiseOr, Op::kLogicalOr, 2); }
Converted convert_bitwise_xor(Call& call) { return on_bits(call, Op::kBitwiseXor, Op::kNe, 2); }
Converted convert_bitwise_not(Call& call) { return on_bits(call, Op::kBitwiseNot, Op::kLogicalNot, 1); }

}  // namespace stitch::frontend
