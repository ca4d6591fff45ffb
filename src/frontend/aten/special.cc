// SPDX-License-Identifier: Apache-2.0
// Tests of numbers (isnan, isclose...) and functions that are compositions of others.
#include <cmath>
#include <limits>

#include "frontend/aten/converters.h"
#include "frontend/exported/promotion.h"

namespace stitch::frontend {
namespace {

constexpr double kPositiveInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;

// The operand in floating point, where integers become PyTorch's default type.
Result<ValueId> real(Call& call, size_t position, const char* name) {
  STITCH_ASSIGN(const ValueId x, call.tensor(position, name));
  return is_floating_point(call.type(x).dtype) ? Result<ValueId>(x) : call.cast(x, DataType::kFloat32);
}

// A test that is the same for all integers and truth values.
Converted tested(Call& call, bool of_integers, Op op, bool of_magnitude, const Scalar& limit) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (!is_floating_point(call.type(x).dtype)) {
    return call.finish(Op::kFull, {},
                       {{"shape", call.shape(x)}, {"value", of_integers ? 1.0 : 0.0}, {"dtype", DataType::kBool}});
  }
  if (!of_magnitude) {
    return call.finish(op, {x, limit});
  }
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {x}));
  return call.finish(op, {magnitude, limit});
}

// The largest finite number of an element type.
double largest(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat64:
      return std::numeric_limits<double>::max();
    case DataType::kFloat16:
      return 65504.0;
    case DataType::kBfloat16:
      return 3.3895313892515355e38;
    default:
      return std::numeric_limits<float>::max();
  }
}

}  // namespace

Converted convert_isnan(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return is_floating_point(call.type(x).dtype) ? call.finish(Op::kNe, {x, x})
                                               : tested(call, false, Op::kNe, false, 0.0);
}
Converted convert_isinf(Call& call) { return tested(call, false, Op::kEq, true, kPositiveInfinity); }
Converted convert_isposinf(Call& call) { return tested(call, false, Op::kEq, false, kPositiveInfinity); }
Converted convert_isneginf(Call& call) { return tested(call, false, Op::kEq, false, -kPositiveInfinity); }
Converted convert_isfinite(Call& call) { return tested(call, true, Op::kLt, true, kPositiveInfinity); }

// isin(elements, test_elements, *, assume_unique, invert): either may be a number
Converted convert_isin(Call& call) {
  STITCH_ASSIGN(const Operand element, call.tensor_or_scalar(0, "elements"));
  STITCH_ASSIGN(const Operand wanted, call.tensor_or_scalar(1, "test_elements"));
  STITCH_ASSIGN(const bool invert, call.boolean(std::numeric_limits<size_t>::max(), "invert", false));
  if (!ir::is_tensor(element) || !ir::is_tensor(wanted)) {
    return call.finish_pointwise(invert ? Op::kNe : Op::kEq, {element, wanted});
  }
  const auto x = std::get<ValueId>(element);
  const auto y = std::get<ValueId>(wanted);
  STITCH_TRY(call.require(call.type(y).element_count() > 0, "there is nothing to look for"));
  std::vector<int64_t> shape = call.shape(x);
  shape.push_back(1);
  STITCH_ASSIGN(const ValueId column, call.reshape(x, shape));
  STITCH_ASSIGN(const ValueId row, call.reshape(y, {call.type(y).element_count()}));
  STITCH_ASSIGN(const ValueId equal, call.pointwise(Op::kEq, {column, row}));
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const Attributes over = {{"dim", std::vector<int64_t>{last}}, {"keepdim", false}};
  STITCH_ASSIGN(const ValueId found, call.emit(Op::kAmax, {equal}, over));
  return invert ? call.finish(Op::kLogicalNot, {found}) : Converted(std::vector<ValueId>{found});
}

// Of real numbers: pi for those below zero.
Converted convert_angle(Call& call) {
  STITCH_ASSIGN(const ValueId x, real(call, 0, "self"));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kLt, {x, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId is_nan, call.emit(Op::kNe, {x, x}));
  STITCH_ASSIGN(const ValueId forward, call.emit(Op::kWhere, {is_nan, x, Scalar(0.0)}));
  return call.finish(Op::kWhere, {negative, Scalar(kPi), forward});
}

// |a - b| <= atol + rtol |b|, or equal; a NaN is close to nothing, unless equal_nan says so.
Converted convert_isclose(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId b, call.tensor(1, "other"));
  STITCH_ASSIGN(const double rtol, call.number(2, "rtol", 1e-5));
  STITCH_ASSIGN(const double atol, call.number(3, "atol", 1e-8));
  STITCH_ASSIGN(const bool equal_nan, call.boolean(4, "equal_nan", false));
  STITCH_ASSIGN(const auto operands, call.promoted(Op::kSub, {a, b}));
  const bool in_float = is_floating_point(call.type(std::get<ValueId>(operands[0])).dtype);
  STITCH_ASSIGN(const ValueId left, in_float ? Result<ValueId>(std::get<ValueId>(operands[0]))
                                             : call.cast(std::get<ValueId>(operands[0]), DataType::kFloat32));
  STITCH_ASSIGN(const ValueId right, in_float ? Result<ValueId>(std::get<ValueId>(operands[1]))
                                              : call.cast(std::get<ValueId>(operands[1]), DataType::kFloat32));
  STITCH_ASSIGN(ValueId close, call.emit(Op::kEq, {operands[0], operands[1]}));
  if (equal_nan && in_float) {
    STITCH_ASSIGN(const ValueId left_nan, call.emit(Op::kNe, {left, left}));
    STITCH_ASSIGN(const ValueId right_nan, call.emit(Op::kNe, {right, right}));
    STITCH_ASSIGN(const ValueId both, call.emit(Op::kLogicalAnd, {left_nan, right_nan}));
    STITCH_ASSIGN(close, call.emit(Op::kLogicalOr, {close, both}));
  }
  STITCH_ASSIGN(const ValueId difference, call.emit(Op::kSub, {left, right}));
  STITCH_ASSIGN(const ValueId distance, call.emit(Op::kAbs, {difference}));
  STITCH_ASSIGN(const ValueId share, call.emit(Op::kMul, {right, Scalar(rtol)}));
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {share}));
  STITCH_ASSIGN(const ValueId allowed, call.emit(Op::kAdd, {magnitude, Scalar(atol)}));
  STITCH_ASSIGN(const ValueId within, call.emit(Op::kLe, {distance, allowed}));
  STITCH_ASSIGN(const ValueId finite, call.emit(Op::kLt, {distance, Scalar(kPositiveInfinity)}));
  STITCH_ASSIGN(const ValueId near, call.emit(Op::kLogicalAnd, {within, finite}));
  return call.finish(Op::kLogicalOr, {close, near});
}

Converted convert_nan_to_num(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const DataType dtype = call.type(x).dtype;
  if (!is_floating_point(dtype)) {
    return std::vector<ValueId>{x};
  }
  STITCH_ASSIGN(const double nan, call.number(1, "nan", 0.0));
  STITCH_ASSIGN(const double posinf, call.number(2, "posinf", largest(dtype)));
  STITCH_ASSIGN(const double neginf, call.number(3, "neginf", -largest(dtype)));
  return call.finish(Op::kNanToNum, {x}, {{"nan", nan}, {"posinf", posinf}, {"neginf", neginf}});
}

// x - trunc(x)
Converted convert_frac(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId whole, call.emit(Op::kTrunc, {x}));
  return call.finish(Op::kSub, {x, whole});
}

Converted convert_deg2rad(Call& call) {
  STITCH_ASSIGN(const ValueId x, real(call, 0, "self"));
  return call.finish(Op::kMul, {x, Scalar(kPi / 180.0)});
}
Converted convert_rad2deg(Call& call) {
  STITCH_ASSIGN(const ValueId x, real(call, 0, "self"));
  return call.finish(Op::kMul, {x, Scalar(180.0 / kPi)});
}

// x * 2^other
Converted convert_ldexp(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId other, call.tensor(1, "other"));
  STITCH_ASSIGN(const ValueId power, call.pointwise(Op::kPow, {Scalar(2.0), other}));
  const DataType dtype = call.graph().type(x).dtype;
  STITCH_ASSIGN(const ValueId product, call.pointwise(Op::kMul, {x, power}));
  // 2^other alone would not fit half precision, and does not decide the result's dtype.
  STITCH_ASSIGN(const ValueId rounded,
                call.cast(product, is_floating_point(dtype) ? dtype : call.graph().type(product).dtype));
  return std::vector<ValueId>{rounded};
}

// Always in double precision.
Converted convert_float_power(Call& call) {
  std::vector<Operand> operands;
  for (const size_t i : {0, 1}) {
    STITCH_ASSIGN(Operand operand, call.tensor_or_scalar(i, i == 0 ? "self" : "exponent"));
    if (const ValueId* id = std::get_if<ValueId>(&operand)) {
      STITCH_ASSIGN(operand, call.cast(*id, DataType::kFloat64));
    } else {
      operand = scalar_as(std::get<Scalar>(operand), DataType::kFloat64);
    }
    operands.push_back(operand);
  }
  return call.finish(Op::kPow, std::move(operands));
}

// Whether exactly one is true; of numbers, whether exactly one is zero.
Converted convert_logical_xor(Call& call) {
  STITCH_ASSIGN(const ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId b, call.tensor(1, "other"));
  STITCH_ASSIGN(const ValueId left, call.cast(a, DataType::kBool));
  STITCH_ASSIGN(const ValueId right, call.cast(b, DataType::kBool));
  return call.finish(Op::kNe, {left, right});
}

// log(x / (1 - x)), x held within [eps, 1 - eps] where eps is given
Converted convert_logit(Call& call) {
  STITCH_ASSIGN(ValueId x, real(call, 0, "self"));
  STITCH_ASSIGN(const double eps, call.number(1, "eps", -1.0));
  if (eps >= 0.0) {
    STITCH_ASSIGN(x, call.emit(Op::kClamp, {x}, {{"min", eps}, {"max", 1.0 - eps}}));
  }
  STITCH_ASSIGN(const ValueId rest, call.emit(Op::kSub, {Scalar(1.0), x}));
  STITCH_ASSIGN(const ValueId odds, call.emit(Op::kDiv, {x, rest}));
  return call.finish(Op::kLog, {odds});
}

// -x log(x), 0 at zero, minus infinity below
// -x * log(x), and 0 at 0, without the sign that the product's negative would give it
Converted convert_special_entr(Call& call) {
  STITCH_ASSIGN(const ValueId x, real(call, 0, "self"));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kNeg, {x}));
  STITCH_ASSIGN(const ValueId entropy, call.emit(Op::kXlogy, {negative, x}));
  STITCH_ASSIGN(const ValueId below, call.emit(Op::kLt, {x, Scalar(0.0)}));
  return call.finish(Op::kWhere, {below, Scalar(-kPositiveInfinity), entropy});
}

// erfc(-x / sqrt(2)) / 2: the normal distribution's share below x
Converted convert_special_ndtr(Call& call) {
  STITCH_ASSIGN(const ValueId x, real(call, 0, "self"));
  STITCH_ASSIGN(const ValueId scaled, call.emit(Op::kMul, {x, Scalar(-std::sqrt(0.5))}));
  STITCH_ASSIGN(const ValueId tail, call.emit(Op::kErfc, {scaled}));
  return call.finish(Op::kMul, {tail, Scalar(0.5)});
}

}  // namespace stitch::frontend
