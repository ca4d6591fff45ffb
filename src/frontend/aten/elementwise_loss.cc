// SPDX-License-Identifier: Apache-2.0
// Losses of one element each: a pointwise expression, then none, the mean or the sum. The expressions are PyTorch's
// own, so that they are exact and infinite in the same places.
#include "frontend/aten/converters.h"
#include "frontend/aten/reduction_argument.h"

namespace stitch::frontend {
namespace {

struct Pair {
  ValueId x, target;
};

Result<Pair> pair_arguments(Call& call) {
  Pair pair;
  STITCH_ASSIGN(pair.x, call.tensor(0, "self"));
  STITCH_ASSIGN(pair.target, call.tensor(1, "target"));
  return pair;
}

Result<ValueId> distance(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const ValueId difference, call.pointwise(Op::kSub, {pair.x, pair.target}));
  return call.emit(Op::kAbs, {difference});
}

// Below `limit` (or at it) half the square of the distance, above it a line that continues there. `scale` divides the
// square, `slope` multiplies the line.
Converted half_square_then_line(Call& call, Op comparison, double limit, double scale, double slope) {
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 2));
  STITCH_ASSIGN(const ValueId z, distance(call));
  STITCH_ASSIGN(const ValueId half, call.emit(Op::kMul, {z, Scalar(0.5)}));
  STITCH_ASSIGN(ValueId square, call.emit(Op::kMul, {half, z}));
  if (scale != 1.0) {
    STITCH_ASSIGN(square, call.emit(Op::kDiv, {square, Scalar(scale)}));
  }
  STITCH_ASSIGN(ValueId line, call.emit(Op::kSub, {z, Scalar(0.5 * limit)}));
  if (slope != 1.0) {
    STITCH_ASSIGN(line, call.emit(Op::kMul, {line, Scalar(slope)}));
  }
  STITCH_ASSIGN(const ValueId is_near, call.emit(comparison, {z, Scalar(limit)}));
  STITCH_ASSIGN(const ValueId losses, call.emit(Op::kWhere, {is_near, square, line}));
  return reduced(call, losses, how);
}

Result<ValueId> weighted(Call& call, ValueId losses, size_t position) {
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(position, "weight"));
  return ir::is_tensor(weight) ? call.pointwise(Op::kMul, {losses, weight}) : losses;
}

// log(sigmoid(x)) = min(x, 0) - log1p(exp(-|x|))
Result<ValueId> log_of_sigmoid(Call& call, ValueId x) {
  STITCH_ASSIGN(const ValueId low, call.emit(Op::kMinimum, {x, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {x}));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kNeg, {magnitude}));
  STITCH_ASSIGN(const ValueId power, call.emit(Op::kExp, {negative}));
  STITCH_ASSIGN(const ValueId logarithm, call.emit(Op::kLog1p, {power}));
  return call.emit(Op::kSub, {low, logarithm});
}

// log(x), no less than -100, so that a loss stays finite
Result<ValueId> held_logarithm(Call& call, Op op, ValueId x) {
  STITCH_ASSIGN(const ValueId logarithm, call.emit(op, {x}));
  constexpr double kMinLogarithm = -100.0;
  return call.emit(Op::kMaximum, {logarithm, Scalar(kMinLogarithm)});
}

}  // namespace

Converted convert_mse_loss(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 2));
  STITCH_ASSIGN(const ValueId difference, call.pointwise(Op::kSub, {pair.x, pair.target}));
  STITCH_ASSIGN(const ValueId squares, call.emit(Op::kMul, {difference, difference}));
  return reduced(call, squares, how);
}

Converted convert_l1_loss(Call& call) {
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 2));
  STITCH_ASSIGN(const ValueId distances, distance(call));
  return reduced(call, distances, how);
}

Converted convert_smooth_l1_loss(Call& call) {
  STITCH_ASSIGN(const double beta, call.number(3, "beta", 1.0));
  return beta == 0.0 ? convert_l1_loss(call) : half_square_then_line(call, Op::kLt, beta, beta, 1.0);
}

Converted convert_huber_loss(Call& call) {
  STITCH_ASSIGN(const double delta, call.number(3, "delta", 1.0));
  return half_square_then_line(call, Op::kLe, delta, 1.0, delta);
}

// target * (log(target) - x), which is 0 where the target is 0; or exp(target) * (target - x)
Converted convert_kl_div(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 2));
  STITCH_ASSIGN(const bool is_logarithm, call.boolean(3, "log_target", false));
  if (is_logarithm) {
    STITCH_ASSIGN(const ValueId probability, call.emit(Op::kExp, {pair.target}));
    STITCH_ASSIGN(const ValueId difference, call.pointwise(Op::kSub, {pair.target, pair.x}));
    STITCH_ASSIGN(const ValueId losses, call.pointwise(Op::kMul, {probability, difference}));
    return reduced(call, losses, how);
  }
  STITCH_ASSIGN(const ValueId is_zero, call.emit(Op::kEq, {pair.target, Scalar(0.0)}));
  STITCH_ASSIGN(const ValueId safe, call.emit(Op::kWhere, {is_zero, Scalar(1.0), pair.target}));
  STITCH_ASSIGN(const ValueId logarithm, call.emit(Op::kLog, {safe}));
  STITCH_ASSIGN(const ValueId entropy, call.emit(Op::kMul, {pair.target, logarithm}));
  STITCH_ASSIGN(const ValueId product, call.pointwise(Op::kMul, {pair.target, pair.x}));
  STITCH_ASSIGN(const ValueId losses, call.pointwise(Op::kSub, {entropy, product}));
  return reduced(call, losses, how);
}

// (x, target, weight, reduction): (target - 1) * log(1 - x) - target * log(x)
Converted convert_binary_cross_entropy(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 3));
  STITCH_ASSIGN(const ValueId opposite, call.emit(Op::kNeg, {pair.x}));
  STITCH_ASSIGN(const ValueId log_absent, held_logarithm(call, Op::kLog1p, opposite));
  STITCH_ASSIGN(const ValueId log_present, held_logarithm(call, Op::kLog, pair.x));
  STITCH_ASSIGN(const ValueId absent, call.emit(Op::kSub, {pair.target, Scalar(1.0)}));
  STITCH_ASSIGN(const ValueId first, call.pointwise(Op::kMul, {absent, log_absent}));
  STITCH_ASSIGN(const ValueId second, call.pointwise(Op::kMul, {pair.target, log_present}));
  STITCH_ASSIGN(const ValueId losses, call.pointwise(Op::kSub, {first, second}));
  STITCH_ASSIGN(const ValueId counted, weighted(call, losses, 2));
  return reduced(call, counted, how);
}

// (x, target, weight, pos_weight, reduction): (1 - target) * x - ((pos_weight - 1) * target + 1) * log(sigmoid(x))
Converted convert_binary_cross_entropy_with_logits(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const Operand positive, call.optional_tensor(3, "pos_weight"));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 4));
  STITCH_ASSIGN(ValueId logarithm, log_of_sigmoid(call, pair.x));
  if (ir::is_tensor(positive)) {
    STITCH_ASSIGN(const ValueId more, call.emit(Op::kSub, {positive, Scalar(1.0)}));
    STITCH_ASSIGN(const ValueId share, call.pointwise(Op::kMul, {more, pair.target}));
    STITCH_ASSIGN(const ValueId factor, call.emit(Op::kAdd, {share, Scalar(1.0)}));
    STITCH_ASSIGN(logarithm, call.pointwise(Op::kMul, {factor, logarithm}));
  }
  STITCH_ASSIGN(const ValueId absent, call.emit(Op::kSub, {Scalar(1.0), pair.target}));
  STITCH_ASSIGN(const ValueId linear, call.pointwise(Op::kMul, {absent, pair.x}));
  STITCH_ASSIGN(const ValueId losses, call.pointwise(Op::kSub, {linear, logarithm}));
  STITCH_ASSIGN(const ValueId counted, weighted(call, losses, 2));
  return reduced(call, counted, how);
}

// log(1 + exp(-target * x))
Converted convert_soft_margin_loss(Call& call) {
  STITCH_ASSIGN(const Pair pair, pair_arguments(call));
  STITCH_ASSIGN(const std::string how, reduction_argument(call, 2));
  STITCH_ASSIGN(const ValueId product, call.pointwise(Op::kMul, {pair.target, pair.x}));
  STITCH_ASSIGN(const ValueId negative, call.emit(Op::kNeg, {product}));
  STITCH_ASSIGN(const ValueId power, call.emit(Op::kExp, {negative}));
  STITCH_ASSIGN(const ValueId losses, call.emit(Op::kLog1p, {power}));
  return reduced(call, losses, how);
}

}  // namespace stitch::frontend
