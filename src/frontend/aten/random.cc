// SPDX-License-Identifier: Apache-2.0
// Operators that draw. The importer gives each call an input of its own, the keyword `random`: the numbers that a
// caller may hand in, uniform in [0, 1) or standard normal, from which the operator's result follows.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// The call's numbers: `op` is uniform or normal.
Result<ValueId> numbers(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId given, call.tensor(kNowhere, "random"));
  STITCH_ASSIGN(const int64_t stream, call.integer(kNowhere, "random_stream"));
  return call.emit(op, {given}, {{"stream", stream}});
}

// Numbers as a result: those in 16 bits would round up to 1, and double precision has more bits than are drawn.
Result<ValueId> numbers_as_result(Call& call, Op op) {
  const auto& outputs = call.node().outputs;
  STITCH_TRY(
      call.require(!outputs.empty() && outputs[0].type.has_value() && outputs[0].type->dtype == DataType::kFloat32,
                   "random numbers are drawn in float32"));
  return numbers(call, op);
}

// values * scale + offset, each left out where it changes nothing
Result<ValueId> scaled_and_moved(Call& call, ValueId values, const Operand& scale, const Operand& offset) {
  if (scale != Operand(Scalar(1.0))) {
    STITCH_ASSIGN(values, call.pointwise(Op::kMul, {values, scale}));
  }
  if (offset != Operand(Scalar(0.0))) {
    STITCH_ASSIGN(values, call.pointwise(Op::kAdd, {values, offset}));
  }
  return values;
}

// 1 with this probability, else 0, as booleans
Result<ValueId> kept(Call& call, const Operand& probability) {
  STITCH_ASSIGN(const ValueId drawn, numbers(call, Op::kUniform));
  return call.emit(Op::kLt, {drawn, probability});
}

// What probabilities are compared as.
double rounded_to_float(double value) { return static_cast<double>(static_cast<float>(value)); }

}  // namespace

// (x, p, train) -> x * mask / (1 - p), and the mask. A product, as PyTorch has it: what is infinite is not dropped.
Converted convert_dropout(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const double probability, call.number(1, "p"));
  STITCH_ASSIGN(const bool training, call.boolean(2, "train", true));
  const bool has_mask = call.node().outputs.size() > 1;
  if (!training || probability == 0.0) {
    return has_mask ? std::vector<ValueId>{x, kNotComputed} : std::vector<ValueId>{x};
  }
  if (probability == 1.0) {  // nothing is drawn
    STITCH_ASSIGN(const ValueId nothing, call.emit(Op::kMul, {x, Scalar(0.0)}));
    return has_mask ? std::vector<ValueId>{nothing, kNotComputed} : std::vector<ValueId>{nothing};
  }
  STITCH_ASSIGN(const ValueId mask, kept(call, Scalar(rounded_to_float(1.0 - probability))));
  STITCH_ASSIGN(const ValueId ones, call.cast(mask, call.type(x).dtype));
  STITCH_ASSIGN(const ValueId factor, call.emit(Op::kMul, {ones, Scalar(1.0 / (1.0 - probability))}));
  STITCH_ASSIGN(const ValueId dropped, call.emit(Op::kMul, {x, factor}));
  return has_mask ? std::vector<ValueId>{dropped, mask} : std::vector<ValueId>{dropped};
}

// bernoulli.p(x, p) has one probability; bernoulli(x) and bernoulli.Tensor(x, p) one for each element.
Converted convert_bernoulli(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  Operand probability = x;
  if (call.has(1, "p")) {
    STITCH_ASSIGN(probability, call.tensor_or_scalar(1, "p"));
  }
  if (const ValueId* each = std::get_if<ValueId>(&probability)) {
    STITCH_ASSIGN(probability, call.cast(*each, DataType::kFloat32));
  } else {
    STITCH_ASSIGN(const double one, call.number(1, "p"));
    probability = Scalar(rounded_to_float(one));
  }
  STITCH_ASSIGN(const ValueId mask, kept(call, probability));
  STITCH_ASSIGN(const ValueId result, call.cast(mask, call.type(x).dtype));
  return std::vector<ValueId>{result};
}

Converted convert_random_uniform(Call& call) {
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kUniform));
  return std::vector<ValueId>{drawn};
}

Converted convert_random_normal(Call& call) {
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kNormal));
  return std::vector<ValueId>{drawn};
}

// uniform(x, from, to)
Converted convert_uniform_between(Call& call) {
  STITCH_ASSIGN(const double from, call.number(1, "from", 0.0));
  STITCH_ASSIGN(const double to, call.number(2, "to", 1.0));
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kUniform));
  STITCH_ASSIGN(const ValueId result, scaled_and_moved(call, drawn, Scalar(to - from), Scalar(from)));
  return std::vector<ValueId>{result};
}

// normal_functional(x, mean, std): one of each for all elements
Converted convert_normal_like(Call& call) {
  STITCH_ASSIGN(const double mean, call.number(1, "mean", 0.0));
  STITCH_ASSIGN(const double deviation, call.number(2, "std", 1.0));
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kNormal));
  STITCH_ASSIGN(const ValueId result, scaled_and_moved(call, drawn, Scalar(deviation), Scalar(mean)));
  return std::vector<ValueId>{result};
}

// normal(mean, std), either of them a tensor; normal.float_float has a size besides
Converted convert_normal(Call& call) {
  STITCH_ASSIGN(const Operand mean, call.has(0, "mean") ? call.tensor_or_scalar(0, "mean") : Operand(Scalar(0.0)));
  STITCH_ASSIGN(const Operand deviation, call.has(1, "std") ? call.tensor_or_scalar(1, "std") : Operand(Scalar(1.0)));
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kNormal));
  STITCH_ASSIGN(const ValueId result, scaled_and_moved(call, drawn, deviation, mean));
  return std::vector<ValueId>{result};
}

// exponential(x, lambd) = -log(1 - uniform) / lambd
Converted convert_exponential(Call& call) {
  STITCH_ASSIGN(const double rate, call.number(1, "lambd", 1.0));
  STITCH_ASSIGN(const ValueId drawn, numbers_as_result(call, Op::kUniform));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kNeg, {drawn}));
  STITCH_ASSIGN(const ValueId logarithm, call.emit(Op::kLog1p, {negative}));
  STITCH_ASSIGN(const ValueId result, call.emit(Op::kMul, {logarithm, Scalar(-1.0 / rate)}));
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
