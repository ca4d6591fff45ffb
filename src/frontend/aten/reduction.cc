// SPDX-License-Identifier: Apache-2.0
// Reductions: axes counted from the front in increasing order, element types that PyTorch changes on the way.
#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// The axes of an optional list; none or an empty one means all of them.
Result<std::vector<int64_t>> axes_of(Call& call, ValueId x, size_t position, const char* name) {
  STITCH_ASSIGN(const auto dims, call.integers(position, name, std::vector<int64_t>{}));
  const size_t rank = call.shape(x).size();
  std::vector<int64_t> axes;
  if (rank == 0) {  // PyTorch takes 0 and -1 for an axis of a single number
    return axes;
  }
  for (const int64_t dim : dims) {
    STITCH_ASSIGN(const int64_t axis, call.axis(dim, rank));
    axes.push_back(axis);
  }
  for (size_t i = 0; i < rank && dims.empty(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

bool is_over_everything(const Call& call) { return call.node().overload == "default"; }

// (x, dim, keepdim, *, dtype), or (x, *, dtype) in the default overload of sum and mean
Converted summed(Call& call, Op op, ValueId x) {
  const bool everything = is_over_everything(call) && call.node().base != "nansum";
  STITCH_ASSIGN(const auto dtype, call.dtype(call.node().arguments.size(), "dtype"));
  const bool counts = !is_floating_point(call.type(x).dtype) && op == Op::kSum;
  STITCH_ASSIGN(x, call.cast(x, dtype.value_or(counts ? DataType::kInt64 : call.type(x).dtype)));
  STITCH_ASSIGN(const auto axes, axes_of(call, x, everything ? kNowhere : 1, "dim"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(everything ? kNowhere : 2, "keepdim", false));
  return call.finish(op, {x}, {{"dim", axes}, {"keepdim", keepdim}});
}

Converted summed(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return summed(call, op, x);
}

Converted extreme(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto axes, axes_of(call, x, 1, "dim"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(2, "keepdim", false));
  STITCH_ASSIGN(std::vector<ValueId> results, call.finish(op, {x}, {{"dim", axes}, {"keepdim", keepdim}}));
  results.resize(call.node().outputs.size(), kNotComputed);  // the indices of max.dim
  return results;
}

// max.dim: the extreme and where it stands first
Converted extreme_and_position(Call& call, Op op, Op position) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  std::vector<int64_t> axes;
  if (!call.shape(x).empty()) {
    STITCH_ASSIGN(axes, axes_of(call, x, 1, "dim"));
  }
  STITCH_ASSIGN(const bool keepdim, call.boolean(2, "keepdim", false));
  const Attributes over = {{"dim", axes}, {"keepdim", keepdim}};
  STITCH_ASSIGN(const ValueId place, call.emit(position, {x}, over));
  STITCH_ASSIGN(const ValueId value, call.emit(op, {x}, over));
  return std::vector<ValueId>{value, place};
}

// any and all, over everything or over the axes dim; of uint8 they are uint8.
Converted truth(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const bool everything = is_over_everything(call);
  std::vector<int64_t> axes;
  if (!call.shape(x).empty()) {
    STITCH_ASSIGN(axes, axes_of(call, x, everything ? kNowhere : 1, "dim"));
  }
  STITCH_ASSIGN(const bool keepdim, call.boolean(everything ? kNowhere : 2, "keepdim", false));
  const DataType own = call.type(x).dtype;
  STITCH_ASSIGN(const ValueId truths, call.cast(x, DataType::kBool));
  STITCH_ASSIGN(ValueId result, call.emit(op, {truths}, {{"dim", axes}, {"keepdim", keepdim}}));
  STITCH_ASSIGN(result, call.cast(result, own == DataType::kUint8 ? own : DataType::kBool));
  return std::vector<ValueId>{result};
}

struct Variance {
  ValueId x;
  std::vector<int64_t> axes;
  bool keepdim = false;
  ValueId value;
};

// .correction(x, dim, *, correction, keepdim), .dim(x, dim, unbiased, keepdim) or .default(x, unbiased)
Result<Variance> variance(Call& call) {
  Variance result;
  STITCH_ASSIGN(result.x, call.tensor(0, "self"));
  const std::string& overload = call.node().overload;
  STITCH_ASSIGN(result.axes, axes_of(call, result.x, overload == "default" ? kNowhere : 1, "dim"));
  double correction = 1.0;
  if (overload == "correction") {
    STITCH_ASSIGN(correction, call.number(kNowhere, "correction", 1.0));
    STITCH_ASSIGN(result.keepdim, call.boolean(kNowhere, "keepdim", false));
  } else {
    const size_t position = overload == "default" ? 1 : 2;
    STITCH_ASSIGN(const bool unbiased, call.boolean(position, "unbiased", true));
    correction = unbiased ? 1.0 : 0.0;
    STITCH_ASSIGN(result.keepdim, call.boolean(3, "keepdim", false));
  }
  if (correction != std::floor(correction)) {
    return call.unsupported("the correction is not a whole number");
  }
  STITCH_ASSIGN(
      result.value,
      call.emit(Op::kVar, {result.x},
                {{"dim", result.axes}, {"correction", static_cast<int64_t>(correction)}, {"keepdim", result.keepdim}}));
  return result;
}

// (sum of |x| ** order) ** (1 / order); order 0 counts what is not zero, infinite ones take the largest or smallest.
Converted norm_of(Call& call, ValueId x, double order, const Attributes& over) {
  STITCH_ASSIGN(const auto dtype, call.dtype(std::numeric_limits<size_t>::max(), "dtype"));
  STITCH_ASSIGN(x, call.cast(x, dtype.value_or(call.type(x).dtype)));
  if (order == 2.0) {
    STITCH_ASSIGN(const ValueId squares, call.emit(Op::kMul, {x, x}));
    STITCH_ASSIGN(const ValueId sum, call.emit(Op::kSum, {squares}, over));
    return call.finish(Op::kSqrt, {sum});
  }
  if (order == 0.0) {
    STITCH_ASSIGN(const ValueId differs, call.emit(Op::kNe, {x, Scalar(0.0)}));
    STITCH_ASSIGN(const ValueId counted, call.cast(differs, call.type(x).dtype));
    return call.finish(Op::kSum, {counted}, over);
  }
  STITCH_ASSIGN(const ValueId magnitudes, call.emit(Op::kAbs, {x}));
  if (order == 1.0 || std::isinf(order)) {
    return call.finish(order == 1.0 ? Op::kSum : (order > 0.0 ? Op::kAmax : Op::kAmin), {magnitudes}, over);
  }
  STITCH_ASSIGN(const ValueId powers, call.emit(Op::kPow, {magnitudes, Scalar(order)}));
  STITCH_ASSIGN(const ValueId sum, call.emit(Op::kSum, {powers}, over));
  return call.finish(Op::kPow, {sum, Scalar(1.0 / order)});
}

}  // namespace

Converted convert_sum(Call& call) { return summed(call, Op::kSum); }
Converted convert_mean(Call& call) { return summed(call, Op::kMean); }
Converted convert_amax(Call& call) { return extreme(call, Op::kAmax); }
Converted convert_amin(Call& call) { return extreme(call, Op::kAmin); }

// max.other is a pointwise operator by the same name.
Converted convert_max(Call& call) {
  if (call.node().overload == "dim") {
    return extreme_and_position(call, Op::kAmax, Op::kArgmax);
  }
  if (call.node().overload != "other") {
    return extreme(call, Op::kAmax);
  }
  STITCH_ASSIGN(const ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId b, call.tensor(1, "other"));
  return call.finish_pointwise(Op::kMaximum, {a, b});
}

Converted convert_min(Call& call) {
  if (call.node().overload == "dim") {
    return extreme_and_position(call, Op::kAmin, Op::kArgmin);
  }
  if (call.node().overload != "other") {
    return extreme(call, Op::kAmin);
  }
  STITCH_ASSIGN(const ValueId a, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId b, call.tensor(1, "other"));
  return call.finish_pointwise(Op::kMinimum, {a, b});
}

Converted convert_any(Call& call) { return truth(call, Op::kAmax); }
Converted convert_all(Call& call) { return truth(call, Op::kAmin); }

// prod(x, *, dtype) or prod.dim_int(x, dim, keepdim, *, dtype)
Converted convert_prod(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  const bool everything = is_over_everything(call);
  STITCH_ASSIGN(const auto dtype, call.dtype(kNowhere, "dtype"));
  const DataType own = call.type(x).dtype;
  STITCH_ASSIGN(x, call.cast(x, dtype.value_or(is_floating_point(own) ? own : DataType::kInt64)));
  std::vector<int64_t> axes;
  if (!call.shape(x).empty()) {
    STITCH_ASSIGN(axes, axes_of(call, x, everything ? kNowhere : 1, "dim"));
  }
  STITCH_ASSIGN(const bool keepdim, call.boolean(everything ? kNowhere : 2, "keepdim", false));
  return call.finish(Op::kProd, {x}, {{"dim", axes}, {"keepdim", keepdim}});
}

// aminmax(x, *, dim, keepdim)
Converted convert_aminmax(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  std::vector<int64_t> axes;
  if (!call.shape(x).empty()) {
    STITCH_ASSIGN(axes, axes_of(call, x, kNowhere, "dim"));
  }
  STITCH_ASSIGN(const bool keepdim, call.boolean(kNowhere, "keepdim", false));
  const Attributes over = {{"dim", axes}, {"keepdim", keepdim}};
  STITCH_ASSIGN(const ValueId least, call.emit(Op::kAmin, {x}, over));
  STITCH_ASSIGN(const ValueId largest, call.emit(Op::kAmax, {x}, over));
  return std::vector<ValueId>{least, largest};
}

// count_nonzero(x, dim): how many elements are not zero, NaN among them
Converted convert_count_nonzero(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  std::vector<int64_t> axes;
  if (!call.shape(x).empty()) {
    STITCH_ASSIGN(axes, axes_of(call, x, 1, "dim"));
  }
  STITCH_ASSIGN(const ValueId truths, call.cast(x, DataType::kBool));
  STITCH_ASSIGN(const ValueId ones, call.cast(truths, DataType::kInt64));
  return call.finish(Op::kSum, {ones}, {{"dim", axes}, {"keepdim", false}});
}

// nansum(x, dim, keepdim, *, dtype): a NaN counts as nothing
Converted convert_nansum(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  if (is_floating_point(call.type(x).dtype)) {
    STITCH_ASSIGN(const ValueId is_nan, call.emit(Op::kNe, {x, x}));
    STITCH_ASSIGN(x, call.emit(Op::kWhere, {is_nan, Scalar(0.0), x}));
  }
  return summed(call, Op::kSum, x);
}

// _cdist_forward(x, y, p, mode) and _euclidean_dist(x, y): the norm of the difference of each row of x from each row of
// y
Converted convert_cdist_forward(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "x1"));
  STITCH_ASSIGN(ValueId y, call.tensor(1, "x2"));
  STITCH_ASSIGN(const double order, call.number(2, "p", 2.0));
  std::vector<int64_t> shape = call.shape(x);
  shape.insert(shape.end() - 1, 1);
  STITCH_ASSIGN(x, call.reshape(x, shape));
  shape = call.shape(y);
  shape.insert(shape.end() - 2, 1);
  STITCH_ASSIGN(y, call.reshape(y, shape));
  STITCH_ASSIGN(const ValueId difference, call.emit(Op::kSub, {x, y}));
  const auto last = static_cast<int64_t>(call.shape(difference).size()) - 1;
  return norm_of(call, difference, order, {{"dim", std::vector<int64_t>{last}}, {"keepdim", false}});
}

Converted convert_var(Call& call) {
  STITCH_ASSIGN(const Variance result, variance(call));
  return std::vector<ValueId>{result.value};
}

Converted convert_std(Call& call) {
  STITCH_ASSIGN(const Variance result, variance(call));
  return call.finish(Op::kSqrt, {result.value});
}

Converted convert_var_mean(Call& call) {
  STITCH_ASSIGN(const Variance result, variance(call));
  STITCH_ASSIGN(const ValueId mean,
                call.emit(Op::kMean, {result.x}, {{"dim", result.axes}, {"keepdim", result.keepdim}}));
  return std::vector<ValueId>{result.value, mean};
}

// Of float64 log(sum(exp(x - largest))) + largest, where an infinite largest counts as 0 so that no inf - inf arises.
Converted convert_logsumexp(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto axes, axes_of(call, x, 1, "dim"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(2, "keepdim", false));
  if (const DataType dtype = call.type(x).dtype; is_floating_point(dtype) && dtype != DataType::kFloat64) {
    return call.finish(Op::kLogsumexp, {x}, {{"dim", axes}, {"keepdim", keepdim}});
  }
  STITCH_ASSIGN(const ValueId largest, call.emit(Op::kAmax, {x}, {{"dim", axes}, {"keepdim", true}}));
  STITCH_ASSIGN(const ValueId magnitude, call.emit(Op::kAbs, {largest}));
  STITCH_ASSIGN(const ValueId infinite,
                call.emit(Op::kEq, {magnitude, Scalar(std::numeric_limits<double>::infinity())}));
  STITCH_ASSIGN(const ValueId offset, call.emit(Op::kWhere, {infinite, Scalar(0.0), largest}));
  STITCH_ASSIGN(const ValueId shifted, call.emit(Op::kSub, {x, offset}));
  STITCH_ASSIGN(const ValueId exponentials, call.emit(Op::kExp, {shifted}));
  STITCH_ASSIGN(const ValueId sum, call.emit(Op::kSum, {exponentials}, {{"dim", axes}, {"keepdim", keepdim}}));
  STITCH_ASSIGN(const ValueId logarithm, call.emit(Op::kLog, {sum}));
  STITCH_ASSIGN(const ValueId same_axes, call.reshape(offset, call.shape(logarithm)));
  return call.finish(Op::kAdd, {logarithm, same_axes});
}

Converted convert_std_mean(Call& call) {
  STITCH_ASSIGN(const Variance result, variance(call));
  STITCH_ASSIGN(const ValueId deviation, call.emit(Op::kSqrt, {result.value}));
  STITCH_ASSIGN(const ValueId mean,
                call.emit(Op::kMean, {result.x}, {{"dim", result.axes}, {"keepdim", result.keepdim}}));
  return std::vector<ValueId>{deviation, mean};
}

// linalg_vector_norm(x, ord, dim, keepdim, *, dtype)
Converted convert_vector_norm(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double order, call.number(1, "ord", 2.0));
  STITCH_ASSIGN(const auto axes, axes_of(call, x, 2, "dim"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(3, "keepdim", false));
  return norm_of(call, x, order, {{"dim", axes}, {"keepdim", keepdim}});
}

// norm.Scalar(x, p), norm.ScalarOpt_dim(x, p, dim, keepdim) and both with a dtype; p None is 2.
Converted convert_norm(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const double order, call.number(1, "p", 2.0));
  const bool has_axes = call.node().overload.find("dim") != std::string::npos;
  STITCH_ASSIGN(const auto axes, axes_of(call, x, has_axes ? 2 : kNowhere, "dim"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(has_axes ? 3 : kNowhere, "keepdim", false));
  return norm_of(call, x, order, {{"dim", axes}, {"keepdim", keepdim}});
}

}  // namespace stitch::frontend
