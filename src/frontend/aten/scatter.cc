// SPDX-License-Identifier: Apache-2.0
// Values sent to the places that index tensors name: by element (scatter) or by slice (index_add and its like).
#include <algorithm>

#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"
#include "frontend/aten/scatter_into.h"

namespace stitch::frontend {

Result<ValueId> scatter_into(Call& call, const Scattered& what) {
  return call.emit(Op::kScatter, {what.x, what.index, what.source},
                   {{"dim", what.axis}, {"reduce", what.reduce}, {"include_self", what.include_self}});
}

Result<ValueId> index_along(Call& call, ValueId index, int64_t axis, size_t rank) {
  std::vector<int64_t> shape(rank, 1);
  shape[static_cast<size_t>(axis)] = call.type(index).element_count();
  return call.reshape(index, shape);
}

namespace {

Result<ValueId> first_elements(Call& call, ValueId x, size_t axis, int64_t start, int64_t end) {
  if (start == 0 && end == call.shape(x)[axis]) {
    return x;
  }
  return call.emit(Op::kSlice, {x},
                   {{"dim", static_cast<int64_t>(axis)}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
}

// Indices that were expanded along all other axes: without that, all columns share them.
ValueId before_expansion(const Call& call, ValueId index, size_t axis) {
  const ir::NodeId producer = call.graph().value(index).producer;
  if (!producer.is_valid() || call.graph().node(producer).op != Op::kExpand) {
    return index;
  }
  const ValueId narrow = ir::tensor_operand(call.graph().node(producer), 0);
  const bool same_axes =
      call.shape(narrow).size() == call.shape(index).size() && call.shape(narrow)[axis] == call.shape(index)[axis];
  return same_axes ? narrow : index;
}

// What lies beyond the indices on an axis other than `axis` stays as it is.
Result<ValueId> scatter_within(Call& call, Scattered what, const std::vector<int64_t>& reached, size_t from_axis) {
  for (size_t i = from_axis; i < reached.size(); ++i) {
    const int64_t extent = call.shape(what.x)[i];
    if (static_cast<int64_t>(i) == what.axis || reached[i] == extent) {
      continue;
    }
    const ValueId whole = what.x;
    STITCH_ASSIGN(what.x, first_elements(call, whole, i, 0, reached[i]));
    STITCH_ASSIGN(const ValueId changed, scatter_within(call, what, reached, i + 1));
    STITCH_ASSIGN(const ValueId rest, first_elements(call, whole, i, reached[i], extent));
    return call.emit(Op::kCat, {changed, rest}, {{"dim", static_cast<int64_t>(i)}});
  }
  return scatter_into(call, what);
}

// scatter in all its forms: x, dim, index are arguments 0..2, the values are `source` or one number.
Converted scattered(Call& call, Operand source, const std::string& reduce, bool include_self) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(ValueId index, call.tensor(2, "index"));
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(index, with_an_axis(call, index));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  const std::vector<int64_t> reached = call.shape(index);
  STITCH_TRY(call.require(reached.size() == call.shape(x).size(), "indices have another number of axes"));
  if (call.type(index).element_count() == 0) {
    return finish_as_exported(call, x);
  }
  Scattered what{x, axis, before_expansion(call, index, static_cast<size_t>(axis)), {}, reduce, include_self};
  if (const ValueId* values = std::get_if<ValueId>(&source)) {
    STITCH_ASSIGN(what.source, with_an_axis(call, *values));
    for (size_t i = 0; i < reached.size(); ++i) {
      STITCH_ASSIGN(what.source, first_elements(call, what.source, i, 0, reached[i]));
    }
  } else {
    const double number = std::visit([](auto value) { return static_cast<double>(value); }, std::get<Scalar>(source));
    STITCH_ASSIGN(what.source,
                  call.emit(Op::kFull, {}, {{"shape", reached}, {"value", number}, {"dtype", call.type(x).dtype}}));
  }
  STITCH_ASSIGN(const ValueId result, scatter_within(call, what, reached, 0));
  return finish_as_exported(call, result);
}

// index_add, index_copy, index_reduce: x, dim, index are arguments 0..2.
Converted sent_slices(Call& call, ValueId source, const std::string& reduce, bool include_self) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(const ValueId index, call.tensor(2, "index"));
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  std::vector<int64_t> shape = call.shape(x);
  shape[static_cast<size_t>(axis)] = call.type(index).element_count();
  STITCH_TRY(call.require(call.type(source).element_count() == TensorType{DataType::kFloat32, shape}.element_count(),
                          "the values do not match the indices"));
  STITCH_ASSIGN(source, call.reshape(source, shape));
  STITCH_ASSIGN(const ValueId along, index_along(call, index, axis, shape.size()));
  STITCH_ASSIGN(const ValueId result, scatter_into(call, {x, axis, along, source, reduce, include_self}));
  return finish_as_exported(call, result);
}

}  // namespace

Converted convert_scatter(Call& call) {
  STITCH_ASSIGN(const Operand source, call.tensor_or_scalar(3, call.node().overload == "src" ? "src" : "value"));
  STITCH_ASSIGN(const std::string reduce, call.text(kNowhere, "reduce", "none"));
  return scattered(call, source, reduce == "add" ? "sum" : reduce == "multiply" ? "prod" : reduce, true);
}

Converted convert_scatter_add(Call& call) {
  STITCH_ASSIGN(const ValueId source, call.tensor(3, "src"));
  return scattered(call, source, "sum", true);
}

Converted convert_scatter_reduce(Call& call) {
  STITCH_ASSIGN(const ValueId source, call.tensor(3, "src"));
  STITCH_ASSIGN(const std::string reduce, call.text(4, "reduce"));
  STITCH_ASSIGN(const bool include_self, call.boolean(kNowhere, "include_self", true));
  return scattered(call, source, reduce, include_self);
}

Converted convert_index_add(Call& call) {
  STITCH_ASSIGN(ValueId source, call.tensor(3, "source"));
  STITCH_ASSIGN(const double alpha, call.number(kNowhere, "alpha", 1.0));
  if (alpha != 1.0) {
    const bool is_whole = !is_floating_point(call.type(source).dtype);
    const Scalar factor = is_whole ? Scalar(static_cast<int64_t>(alpha)) : Scalar(alpha);
    STITCH_ASSIGN(source, call.pointwise(Op::kMul, {source, factor}));
  }
  return sent_slices(call, source, "sum", true);
}

Converted convert_index_copy(Call& call) {
  STITCH_ASSIGN(const ValueId source, call.tensor(3, "source"));
  return sent_slices(call, source, "none", true);
}

Converted convert_index_reduce(Call& call) {
  STITCH_ASSIGN(const ValueId source, call.tensor(3, "source"));
  STITCH_ASSIGN(const std::string reduce, call.text(4, "reduce"));
  STITCH_ASSIGN(const bool include_self, call.boolean(kNowhere, "include_self", true));
  return sent_slices(call, source, reduce, include_self);
}

// index_fill(x, dim, index, value), whose indices may be negative
Converted convert_index_fill(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(const ValueId index, call.tensor(2, "index"));
  STITCH_ASSIGN(const Operand value, call.tensor_or_scalar(3, "value"));
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  std::vector<int64_t> shape = call.shape(x);
  STITCH_ASSIGN(const ValueId counted, counted_from_front(call, index, shape[static_cast<size_t>(axis)]));
  shape[static_cast<size_t>(axis)] = call.type(index).element_count();
  Scattered what{x, axis, {}, {}, "none", true};
  STITCH_ASSIGN(what.index, index_along(call, counted, axis, shape.size()));
  if (const ValueId* tensor = std::get_if<ValueId>(&value)) {
    STITCH_ASSIGN(what.source, call.cast(*tensor, call.type(x).dtype));
    STITCH_ASSIGN(what.source, call.expand(what.source, shape));
  } else {
    const double number = std::visit([](auto it) { return static_cast<double>(it); }, std::get<Scalar>(value));
    STITCH_ASSIGN(what.source,
                  call.emit(Op::kFull, {}, {{"shape", shape}, {"value", number}, {"dtype", call.type(x).dtype}}));
  }
  STITCH_ASSIGN(const ValueId result, scatter_into(call, what));
  return finish_as_exported(call, result);
}

}  // namespace stitch::frontend
