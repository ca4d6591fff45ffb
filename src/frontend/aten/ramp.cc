// SPDX-License-Identifier: Apache-2.0
// Tensors made of positions alone: evenly spaced numbers, the identity.
#include <cmath>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

Result<TensorType> exported_type(const Call& call) {
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  return *call.node().outputs[0].type;
}

Result<ValueId> positions(Call& call, int64_t count, DataType dtype) {
  return call.emit(Op::kArange, {},
                   {{"start", 0.0}, {"end", static_cast<double>(count)}, {"step", 1.0}, {"dtype", dtype}});
}

// The exact endpoints: the first half is counted from the start, the second from the end, as PyTorch does.
Result<ValueId> evenly_spaced(Call& call, double start, double end, const TensorType& type) {
  const DataType dtype = type.dtype == DataType::kFloat64 ? DataType::kFloat64 : DataType::kFloat32;
  const int64_t count = type.shape.empty() ? 1 : type.shape[0];
  const double step = count > 1 ? (end - start) / static_cast<double>(count - 1) : 0.0;
  STITCH_ASSIGN(const ValueId position, positions(call, count, dtype));
  STITCH_ASSIGN(const ValueId distance, call.emit(Op::kMul, {position, Scalar(step)}));
  STITCH_ASSIGN(const ValueId from_start, call.emit(Op::kAdd, {distance, Scalar(start)}));
  if (count < 2) {
    return from_start;
  }
  STITCH_ASSIGN(const ValueId beyond, call.emit(Op::kSub, {position, Scalar(static_cast<double>(count - 1))}));
  STITCH_ASSIGN(const ValueId back, call.emit(Op::kMul, {beyond, Scalar(step)}));
  STITCH_ASSIGN(const ValueId from_end, call.emit(Op::kAdd, {back, Scalar(end)}));
  STITCH_ASSIGN(const ValueId is_first_half, call.emit(Op::kLt, {position, Scalar(static_cast<double>(count / 2))}));
  return call.emit(Op::kWhere, {is_first_half, from_start, from_end});
}

struct Span {
  double start = 0.0;
  double end = 0.0;
  TensorType type;
};

Result<Span> span_of(Call& call) {
  Span span;
  STITCH_ASSIGN(span.start, call.number(0, "start"));
  STITCH_ASSIGN(span.end, call.number(1, "end"));
  STITCH_ASSIGN(span.type, exported_type(call));
  STITCH_TRY(call.require(is_floating_point(span.type.dtype), "evenly spaced integers are not supported"));
  return span;
}

}  // namespace

// linspace(start, end, steps)
Converted convert_linspace(Call& call) {
  STITCH_ASSIGN(const Span span, span_of(call));
  STITCH_ASSIGN(const ValueId spaced, evenly_spaced(call, span.start, span.end, span.type));
  STITCH_ASSIGN(const ValueId result, call.cast(spaced, span.type.dtype));
  return std::vector<ValueId>{result};
}

// logspace(start, end, steps, base)
Converted convert_logspace(Call& call) {
  STITCH_ASSIGN(const Span span, span_of(call));
  STITCH_ASSIGN(const double base, call.number(3, "base", 10.0));
  STITCH_ASSIGN(const ValueId spaced, evenly_spaced(call, span.start, span.end, span.type));
  STITCH_ASSIGN(const ValueId powers, call.emit(Op::kPow, {Scalar(base), spaced}));
  STITCH_ASSIGN(const ValueId result, call.cast(powers, span.type.dtype));
  return std::vector<ValueId>{result};
}

// eye(n) and eye.m(n, m)
Converted convert_eye(Call& call) {
  STITCH_ASSIGN(const TensorType type, exported_type(call));
  STITCH_ASSIGN(const ValueId row, positions(call, type.shape[0], DataType::kInt64));
  STITCH_ASSIGN(const ValueId column, positions(call, type.shape[1], DataType::kInt64));
  STITCH_ASSIGN(const ValueId upright, call.reshape(row, {type.shape[0], 1}));
  STITCH_ASSIGN(const ValueId is_diagonal, call.emit(Op::kEq, {upright, column}));
  STITCH_ASSIGN(const ValueId result, call.cast(is_diagonal, type.dtype));
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
