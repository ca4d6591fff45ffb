// SPDX-License-Identifier: Apache-2.0
#include "frontend/aten/indices.h"

#include <algorithm>

namespace stitch::frontend {
namespace {

// Whether every element is known not to be negative: positions counted up from there.
bool is_counted(const Call& call, ValueId index) {
  const ir::NodeId producer = call.graph().value(index).producer;
  if (!producer.is_valid()) {
    return false;
  }
  const ir::Node& node = call.graph().node(producer);
  if (node.op == Op::kReshape || node.op == Op::kExpand || node.op == Op::kPermute || node.op == Op::kTo) {
    return is_counted(call, ir::tensor_operand(node, 0));
  }
  if (node.op == Op::kTopk || node.op == Op::kSort) {
    return node.outputs[1] == index;
  }
  return node.op == Op::kArgmax || node.op == Op::kArgmin ||
         (node.op == Op::kArange && ir::double_attribute(node, "start") >= 0 && ir::double_attribute(node, "step") > 0);
}

Result<void> check_index(const Call& call, ValueId index) {
  const DataType dtype = call.type(index).dtype;
  if (dtype == DataType::kBool || dtype == DataType::kUint8) {
    return call.unsupported("a mask picks as many elements as it is true: the shape depends on data");
  }
  return call.require(dtype == DataType::kInt64 || dtype == DataType::kInt32, "indices are neither int64 nor int32");
}

struct Places {
  std::vector<size_t> axes;  // that tensors stand at
  bool are_neighbours = true;
};

Places indexed_places(const std::vector<std::optional<ValueId>>& indices) {
  Places places;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    if (indices[axis].has_value()) {
      places.are_neighbours = places.are_neighbours && (places.axes.empty() || places.axes.back() + 1 == axis);
      places.axes.push_back(axis);
    }
  }
  return places;
}

// An extent as a value of its own: immediate numbers are compiled in, and it may follow the batch.
Result<ValueId> extent_value(Call& call, int64_t extent) {
  return call.emit(
      Op::kFull, {},
      {{"shape", std::vector<int64_t>{}}, {"value", static_cast<double>(extent)}, {"dtype", DataType::kInt64}});
}

// Indices of several axes as one of all of them together.
Result<ValueId> merged_index(Call& call, const std::vector<ValueId>& indices, const std::vector<int64_t>& extents) {
  ValueId merged;
  for (size_t i = 0; i < indices.size(); ++i) {
    STITCH_ASSIGN(const ValueId index, counted_from_front(call, indices[i], extents[i]));
    if (i == 0) {
      merged = index;
      continue;
    }
    STITCH_ASSIGN(const ValueId extent, extent_value(call, extents[i]));
    STITCH_ASSIGN(const ValueId scaled, call.pointwise(Op::kMul, {merged, extent}));
    STITCH_ASSIGN(merged, call.pointwise(Op::kAdd, {scaled, index}));
  }
  return merged;
}

}  // namespace

Result<ValueId> with_an_axis(Call& call, ValueId x) {
  return call.shape(x).empty() ? call.reshape(x, {1}) : Result<ValueId>(x);
}

Result<ValueId> counted_from_front(Call& call, ValueId index, int64_t extent) {
  STITCH_ASSIGN(const ValueId wide, call.cast(index, DataType::kInt64));
  if (is_counted(call, wide)) {
    return wide;
  }
  STITCH_ASSIGN(const ValueId is_negative, call.emit(Op::kLt, {wide, Scalar(int64_t{0})}));
  STITCH_ASSIGN(const ValueId count, extent_value(call, extent));
  STITCH_ASSIGN(const ValueId from_end, call.pointwise(Op::kAdd, {wide, count}));
  return call.emit(Op::kWhere, {is_negative, from_end, wide});
}

Result<AdvancedIndex> advanced_index(Call& call, ValueId x, const std::vector<std::optional<ValueId>>& indices) {
  const Places places = indexed_places(indices);
  const std::vector<int64_t> shape = call.shape(x);
  STITCH_TRY(call.require(!places.axes.empty() && indices.size() <= shape.size(), "there is no index for an axis"));
  AdvancedIndex result;
  std::vector<ValueId> given;
  std::vector<int64_t> extents;
  for (const size_t axis : places.axes) {
    STITCH_TRY(check_index(call, *indices[axis]));
    given.push_back(*indices[axis]);
    extents.push_back(shape[axis]);
  }
  STITCH_ASSIGN(result.index, merged_index(call, given, extents));
  result.x = x;
  result.axis = places.are_neighbours ? places.axes.front() : 0;
  if (!places.are_neighbours) {  // indexed axes go to the front
    result.order.assign(places.axes.begin(), places.axes.end());
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (std::find(places.axes.begin(), places.axes.end(), axis) == places.axes.end()) {
        result.order.push_back(static_cast<int64_t>(axis));
      }
    }
    STITCH_ASSIGN(result.x, call.emit(Op::kPermute, {x}, {{"dims", result.order}}));
  }
  result.unmerged = call.shape(result.x);
  std::vector<int64_t> merged = result.unmerged;
  const auto first = merged.begin() + static_cast<std::ptrdiff_t>(result.axis);
  const auto after = first + static_cast<std::ptrdiff_t>(given.size());
  int64_t product = 1;
  std::for_each(first, after, [&](int64_t extent) { product *= extent; });
  *first = product;
  merged.erase(first + 1, after);
  STITCH_ASSIGN(result.x, call.reshape(result.x, merged));
  return result;
}

Converted finish_as_exported(Call& call, ValueId value) {
  const auto& outputs = call.node().outputs;
  if (outputs.empty() || !outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  STITCH_ASSIGN(const ValueId result, call.reshape(value, outputs[0].type->shape));
  std::vector<ValueId> results = {result};
  results.resize(outputs.size(), kNotComputed);
  return results;
}

}  // namespace stitch::frontend
