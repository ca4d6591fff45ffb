// SPDX-License-Identifier: Apache-2.0
// Elements in order: positions of extremes, sorts, the k-th element, places in a sorted row.
#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"

namespace stitch::frontend {
namespace {

// argmax(x, dim, keepdim); without dim over everything
Converted position(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const bool keepdim, call.boolean(2, "keepdim", false));
  const size_t rank = call.shape(x).size();
  std::vector<int64_t> axes;
  if (call.has(1, "dim") && rank > 0) {
    STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
    STITCH_ASSIGN(const int64_t axis, call.axis(dim, rank));
    axes.push_back(axis);
  }
  for (size_t axis = 0; axis < rank && !call.has(1, "dim"); ++axis) {
    axes.push_back(static_cast<int64_t>(axis));
  }
  return call.finish(op, {x}, {{"dim", axes}, {"keepdim", keepdim}});
}

struct Line {
  ValueId x;
  int64_t axis = 0;
  int64_t extent = 1;
};

Result<Line> line_of(Call& call, size_t dim_position, ValueId x) {
  Line line;
  STITCH_ASSIGN(line.x, with_an_axis(call, x));
  STITCH_ASSIGN(const int64_t dim, call.integer(dim_position, "dim", -1));
  STITCH_ASSIGN(line.axis, call.axis(dim, call.shape(line.x).size()));
  line.extent = call.shape(line.x)[static_cast<size_t>(line.axis)];
  return line;
}

// Values and positions in the exported shapes.
Converted pair_as_exported(Call& call, std::vector<ValueId> results) {
  for (size_t i = 0; i < results.size() && i < call.node().outputs.size(); ++i) {
    if (call.node().outputs[i].type.has_value()) {
      STITCH_ASSIGN(results[i], call.reshape(results[i], call.node().outputs[i].type->shape));
    }
  }
  return results;
}

// sort and argsort, .default(x, dim, descending) or .stable(x, *, stable, dim, descending): ours is always stable.
Converted sorted(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const bool by_keyword = call.node().overload == "stable";
  STITCH_ASSIGN(const Line line, line_of(call, by_keyword ? kNowhere : 1, x));
  STITCH_ASSIGN(const bool descending, call.boolean(by_keyword ? kNowhere : 2, "descending", false));
  return call.emit_all(Op::kSort, {line.x}, {{"dim", line.axis}, {"descending", descending}});
}

struct Kth {
  ValueId value;
  ValueId position;
};

// The k-th smallest along a line, counted from one, its axis kept.
Result<Kth> kth_smallest(Call& call, const Line& line, int64_t k) {
  STITCH_ASSIGN(const auto smallest,
                call.emit_all(Op::kTopk, {line.x}, {{"k", k}, {"dim", line.axis}, {"largest", false}}));
  const Attributes last = {{"dim", line.axis}, {"start", k - 1}, {"end", k}, {"step", int64_t{1}}};
  Kth kth;
  STITCH_ASSIGN(kth.value, call.emit(Op::kSlice, {smallest[0]}, last));
  STITCH_ASSIGN(kth.position, call.emit(Op::kSlice, {smallest[1]}, last));
  return kth;
}

// Where there is a NaN it is the median, and the first of them.
Result<Kth> median_of(Call& call, const Line& line) {
  STITCH_ASSIGN(Kth median, kth_smallest(call, line, (line.extent - 1) / 2 + 1));
  if (!is_floating_point(call.type(line.x).dtype)) {
    return median;
  }
  const Attributes over = {{"dim", std::vector<int64_t>{line.axis}}, {"keepdim", true}};
  STITCH_ASSIGN(const ValueId first_nan, call.emit(Op::kArgmax, {line.x}, over));
  STITCH_ASSIGN(const ValueId largest, call.emit(Op::kAmax, {line.x}, over));
  STITCH_ASSIGN(const ValueId has_nan, call.emit(Op::kNe, {largest, largest}));
  STITCH_ASSIGN(median.value, call.emit(Op::kWhere, {has_nan, largest, median.value}));
  STITCH_ASSIGN(median.position, call.emit(Op::kWhere, {has_nan, first_nan, median.position}));
  return median;
}

// How many elements of a sorted row come before each value: those below it, or with `right` those not above it. A NaN
// comes after all of them.
Converted places_in(Call& call, ValueId row, Operand value) {
  STITCH_ASSIGN(const bool right_flag, call.boolean(kNowhere, "right", false));
  STITCH_ASSIGN(const std::string side, call.text(kNowhere, "side", right_flag ? "right" : "left"));
  STITCH_ASSIGN(const bool narrow, call.boolean(kNowhere, "out_int32", false));
  STITCH_TRY(call.require(!call.has(kNowhere, "sorter"), "sorter is not supported"));
  std::vector<int64_t> row_shape = call.shape(row);
  if (const ValueId* values = std::get_if<ValueId>(&value)) {
    std::vector<int64_t> shape = call.shape(*values);
    shape.push_back(1);
    STITCH_ASSIGN(value, call.reshape(*values, shape));
    if (row_shape.size() > 1) {
      row_shape.insert(row_shape.end() - 1, 1);
      STITCH_ASSIGN(row, call.reshape(row, row_shape));
    }
  }
  STITCH_ASSIGN(const ValueId is_after,
                call.pointwise(side == "right" || right_flag ? Op::kGt : Op::kGe, {row, value}));
  STITCH_ASSIGN(const ValueId is_before, call.emit(Op::kLogicalNot, {is_after}));
  STITCH_ASSIGN(const ValueId ones, call.emit(Op::kTo, {is_before}, {{"dtype", DataType::kInt64}}));
  const auto last = static_cast<int64_t>(call.shape(ones).size()) - 1;
  STITCH_ASSIGN(const ValueId count,
                call.emit(Op::kSum, {ones}, {{"dim", std::vector<int64_t>{last}}, {"keepdim", false}}));
  STITCH_ASSIGN(const ValueId result, call.cast(count, narrow ? DataType::kInt32 : DataType::kInt64));
  return finish_as_exported(call, result);
}

}  // namespace

Converted convert_argmax(Call& call) { return position(call, Op::kArgmax); }
Converted convert_argmin(Call& call) { return position(call, Op::kArgmin); }

Converted convert_sort(Call& call) {
  STITCH_ASSIGN(const auto results, sorted(call));
  return pair_as_exported(call, results);
}

Converted convert_argsort(Call& call) {
  STITCH_ASSIGN(const auto results, sorted(call));
  return finish_as_exported(call, results[1]);
}

Converted convert_msort(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(const auto results, call.emit_all(Op::kSort, {x}, {{"dim", int64_t{0}}, {"descending", false}}));
  return finish_as_exported(call, results[0]);
}

// topk(x, k, dim, largest, sorted): in order, asked for or not
Converted convert_topk(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t k, call.integer(1, "k"));
  STITCH_ASSIGN(const Line line, line_of(call, 2, x));
  STITCH_ASSIGN(const bool largest, call.boolean(3, "largest", true));
  STITCH_ASSIGN(const auto results,
                call.emit_all(Op::kTopk, {line.x}, {{"k", k}, {"dim", line.axis}, {"largest", largest}}));
  return pair_as_exported(call, results);
}

// kthvalue(x, k, dim, keepdim)
Converted convert_kthvalue(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t k, call.integer(1, "k"));
  STITCH_ASSIGN(const Line line, line_of(call, 2, x));
  STITCH_ASSIGN(const Kth kth, kth_smallest(call, line, k));
  return pair_as_exported(call, {kth.value, kth.position});
}

// median(x) or median(x, dim, keepdim)
Converted convert_median(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  if (call.node().overload == "default") {
    STITCH_ASSIGN(x, call.reshape(x, {call.type(x).element_count()}));
    STITCH_ASSIGN(const Kth median, median_of(call, {x, 0, call.shape(x)[0]}));
    return finish_as_exported(call, median.value);
  }
  STITCH_ASSIGN(const Line line, line_of(call, 1, x));
  STITCH_ASSIGN(const Kth median, median_of(call, line));
  return pair_as_exported(call, {median.value, median.position});
}

// searchsorted(row, values) and bucketize(values, row)
Converted convert_searchsorted(Call& call) {
  STITCH_ASSIGN(const ValueId row, call.tensor(0, "sorted_sequence"));
  STITCH_ASSIGN(const Operand value, call.tensor_or_scalar(1, "self"));
  return places_in(call, row, value);
}

Converted convert_bucketize(Call& call) {
  STITCH_ASSIGN(const Operand value, call.tensor_or_scalar(0, "self"));
  STITCH_ASSIGN(const ValueId row, call.tensor(1, "boundaries"));
  return places_in(call, row, value);
}

}  // namespace stitch::frontend
