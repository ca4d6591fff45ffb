// SPDX-License-Identifier: Apache-2.0
// Running sums, products and extremes along one axis.
#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"

namespace stitch::frontend {
namespace {

struct ScanLine {
  ValueId x;
  int64_t axis = 0;
};

Result<ScanLine> scan_line(Call& call) {
  ScanLine line;
  STITCH_ASSIGN(line.x, call.tensor(0, "self"));
  STITCH_ASSIGN(line.x, with_an_axis(call, line.x));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(line.axis, call.axis(dim, call.shape(line.x).size()));
  return line;
}

// Integers and truth values are added up as int64, unless another type is asked for.
Converted counted_up(Call& call, Op op) {
  STITCH_ASSIGN(ScanLine line, scan_line(call));
  STITCH_ASSIGN(const auto dtype, call.dtype(kNowhere, "dtype"));
  const DataType own = call.type(line.x).dtype;
  STITCH_ASSIGN(line.x, call.cast(line.x, dtype.value_or(is_floating_point(own) ? own : DataType::kInt64)));
  STITCH_ASSIGN(const ValueId result, call.emit(op, {line.x}, {{"dim", line.axis}}));
  return finish_as_exported(call, result);
}

Converted extremes(Call& call, Op op) {
  STITCH_ASSIGN(const ScanLine line, scan_line(call));
  STITCH_ASSIGN(std::vector<ValueId> results, call.emit_all(op, {line.x}, {{"dim", line.axis}}));
  for (size_t i = 0; i < results.size() && i < call.node().outputs.size(); ++i) {
    if (call.node().outputs[i].type.has_value()) {
      STITCH_ASSIGN(results[i], call.reshape(results[i], call.node().outputs[i].type->shape));
    }
  }
  return results;
}

}  // namespace

Converted convert_cumsum(Call& call) { return counted_up(call, Op::kCumsum); }
Converted convert_cumprod(Call& call) { return counted_up(call, Op::kCumprod); }
Converted convert_cummax(Call& call) { return extremes(call, Op::kCummax); }
Converted convert_cummin(Call& call) { return extremes(call, Op::kCummin); }

Converted convert_logcumsumexp(Call& call) {
  STITCH_ASSIGN(const ScanLine line, scan_line(call));
  STITCH_ASSIGN(const ValueId result, call.emit(Op::kLogcumsumexp, {line.x}, {{"dim", line.axis}}));
  return finish_as_exported(call, result);
}

}  // namespace stitch::frontend
