// SPDX-License-Identifier: Apache-2.0
// Activations: ATen's defaults made explicit, and those written as compositions of others.
#include <limits>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// SELU's constants, as its paper and PyTorch give them.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

// A bound of clamp with a tensor in its place: maximum or minimum.
Converted clamp_by_tensors(Call& call, ValueId x) {
  STITCH_ASSIGN(const Operand low, call.optional_tensor(1, "min"));
  STITCH_ASSIGN(const Operand high, call.optional_tensor(2, "max"));
  if (ir::is_tensor(low)) {
    STITCH_ASSIGN(x, call.pointwise(Op::kMaximum, {x, low}));
  }
  if (ir::is_tensor(high)) {
    STITCH_ASSIGN(x, call.pointwise(Op::kMinimum, {x, high}));
  }
  return std::vector<ValueId>{x};
}

// Bounds that are floating point make integers so.
Converted clamp_between(Call& call, ValueId x, double low, double high, bool has_fraction) {
  STITCH_ASSIGN(const auto operands, call.promoted(Op::kClamp, {x, has_fraction ? Scalar(0.0) : Scalar(int64_t{0})}));
  return call.finish(Op::kClamp, {operands[0]}, {{"min", low}, {"max", high}});
}

bool is_real(const Argument* argument) {
  return argument != nullptr && std::holds_alternative<double>(argument->value);
}

}  // namespace

Converted convert_clamp(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (call.node().overload == "Tensor") {
    return clamp_by_tensors(call, x);
  }
  STITCH_ASSIGN(const double low, call.number(1, "min", -kInfinity));
  STITCH_ASSIGN(const double high, call.number(2, "max", kInfinity));
  return clamp_between(call, x, low, high, is_real(call.argument(1, "min")) || is_real(call.argument(2, "max")));
}

Converted convert_clamp_min(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (call.node().overload == "Tensor") {
    STITCH_ASSIGN(const ValueId low, call.tensor(1, "min"));
    return call.finish_pointwise(Op::kMaximum, {x, low});
  }
  STITCH_ASSIGN(const double low, call.number(1, "min"));
  return clamp_between(call, x, low, kInfinity, is_real(call.argument(1, "min")));
}

Converted convert_clamp_max(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  if (call.node().overload == "Tensor") {
    STITCH_ASSIGN(const ValueId high, call.tensor(1, "max"));
    return call.finish_pointwise(Op::kMinimum, {x, high});
  }
  STITCH_ASSIGN(const double high, call.number(1, "max"));
  return clamp_between(call, x, -kInfinity, high, is_real(call.argument(1, "max")));
}

Converted convert_hardtanh(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double low, call.number(1, "min_val", -1.0));
  STITCH_ASSIGN(const double high, call.number(2, "max_val", 1.0));
  return call.finish(Op::kHardtanh, {x}, {{"min", low}, {"max", high}});
}

Converted convert_relu6(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return call.finish(Op::kHardtanh, {x}, {{"min", 0.0}, {"max", 6.0}});
}

Converted convert_leaky_relu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double slope, call.number(1, "negative_slope", 0.01));
  return call.finish(Op::kLeakyRelu, {x}, {{"negative_slope", slope}});
}

Converted convert_elu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double alpha, call.number(1, "alpha", 1.0));
  STITCH_ASSIGN(const double scale, call.number(2, "scale", 1.0));
  STITCH_ASSIGN(const double input_scale, call.number(3, "input_scale", 1.0));
  return call.finish(Op::kElu, {x}, {{"alpha", alpha}, {"scale", scale}, {"input_scale", input_scale}});
}

Converted convert_selu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return call.finish(Op::kElu, {x}, {{"alpha", kSeluAlpha}, {"scale", kSeluScale}, {"input_scale", 1.0}});
}

Converted convert_celu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double alpha, call.number(1, "alpha", 1.0));
  return call.finish(Op::kElu, {x}, {{"alpha", alpha}, {"scale", 1.0}, {"input_scale", 1.0 / alpha}});
}

Converted convert_gelu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const std::string approximate, call.text(1, "approximate", "none"));
  return call.finish(Op::kGelu, {x}, {{"approximate", approximate}});
}

Converted convert_softplus(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double beta, call.number(1, "beta", 1.0));
  STITCH_ASSIGN(const double threshold, call.number(2, "threshold", 20.0));
  return call.finish(Op::kSoftplus, {x}, {{"beta", beta}, {"threshold", threshold}});
}

// x / (1 + |x|)
Converted convert_softsign(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {x}));
  STITCH_ASSIGN(const ValueId divisor, call.pointwise(Op::kAdd, {magnitude, Scalar(1.0)}));
  return call.finish_pointwise(Op::kDiv, {x, divisor});
}

// x * tanh(softplus(x))
Converted convert_mish(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId soft, call.emit(Op::kSoftplus, {x}, {{"beta", 1.0}, {"threshold", 20.0}}));
  STITCH_ASSIGN(const ValueId gate, call.emit(Op::kTanh, {soft}));
  return call.finish(Op::kMul, {x, gate});
}

// min(x, 0) - log1p(exp(-|x|)), which overflows nowhere
Converted convert_log_sigmoid(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId below, call.emit(Op::kMinimum, {x, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {x}));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kNeg, {magnitude}));
  STITCH_ASSIGN(const ValueId power, call.emit(Op::kExp, {negative}));
  STITCH_ASSIGN(const ValueId rest, call.emit(Op::kLog1p, {power}));
  STITCH_ASSIGN(const auto result, call.finish(Op::kSub, {below, rest}));
  return call.node().outputs.size() > 1 ? std::vector<ValueId>{result[0], kNotComputed} : result;
}

// x, times a learned slope per channel (axis 1) below zero
Converted convert_prelu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(ValueId slope, call.tensor(1, "weight"));
  const size_t rank = call.shape(x).size();
  if (call.shape(slope).size() == 1 && rank >= 2) {  // _prelu_kernel's weight has its shape already
    std::vector<int64_t> shape(rank, 1);
    shape[1] = call.shape(slope)[0];
    STITCH_ASSIGN(slope, call.reshape(slope, shape));
  }
  STITCH_ASSIGN(const ValueId positive, call.emit(Op::kGt, {x, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId below, call.emit(Op::kMul, {x, slope}));
  return call.finish(Op::kWhere, {positive, x, below});
}

// The first half of an axis times the sigmoid of the second
Converted convert_glu(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim", -1));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  const int64_t extent = call.shape(x)[static_cast<size_t>(axis)];
  const auto part = [&](int64_t start, int64_t end) {
    return call.emit(Op::kSlice, {x}, {{"dim", axis}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
  };
  STITCH_ASSIGN(const ValueId values, part(0, extent / 2));
  STITCH_ASSIGN(const ValueId gates, part(extent / 2, extent));
  STITCH_ASSIGN(const ValueId gate, call.emit(Op::kSigmoid, {gates}));
  return call.finish(Op::kMul, {values, gate});
}

Converted convert_threshold(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double threshold, call.number(1, "threshold"));
  STITCH_ASSIGN(const double value, call.number(2, "value"));
  return call.finish(Op::kThreshold, {x}, {{"threshold", threshold}, {"value", value}});
}

// hardshrink and softshrink
Converted convert_shrink(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double lambd, call.number(1, "lambd", 0.5));
  return call.finish(call.node().base == "hardshrink" ? Op::kHardshrink : Op::kSoftshrink, {x}, {{"lambd", lambd}});
}

// x - tanh(x)
Converted convert_tanhshrink(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId held, call.pointwise(Op::kTanh, {x}));
  return call.finish_pointwise(Op::kSub, {x, held});
}

// In evaluation the slope is the middle of its range; in training it is random.
Converted convert_rrelu(Call& call) {
  const bool has_noise = call.node().base != "rrelu";
  const size_t first = has_noise ? 2 : 1;
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double lower, call.number(first, "lower", 1.0 / 8));
  STITCH_ASSIGN(const double upper, call.number(first + 1, "upper", 1.0 / 3));
  STITCH_ASSIGN(const bool training, call.boolean(first + 2, "training", false));
  if (training) {
    return call.unsupported("rrelu draws random slopes in train mode; import the program with --eval");
  }
  STITCH_ASSIGN(const auto result, call.finish(Op::kLeakyRelu, {x}, {{"negative_slope", (lower + upper) / 2}}));
  return call.node().outputs.size() > 1 ? std::vector<ValueId>{result[0], kNotComputed} : result;
}

}  // namespace stitch::frontend
