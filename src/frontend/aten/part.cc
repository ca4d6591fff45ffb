// SPDX-License-Identifier: Apache-2.0
// Parts of tensors and tensors made of parts: slice, select and cat under all their names.
#include <algorithm>
#include <limits>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

struct Along {
  ValueId x;
  int64_t axis = 0;
  int64_t extent = 0;
};

// The tensor and the axis that argument `position` names.
Result<Along> along_axis(Call& call, size_t position, int64_t missing) {
  Along along;
  STITCH_ASSIGN(along.x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(position, "dim", missing));
  STITCH_ASSIGN(along.axis, call.axis(dim, call.shape(along.x).size()));
  along.extent = call.shape(along.x)[static_cast<size_t>(along.axis)];
  return along;
}

Result<ValueId> part(Call& call, const Along& along, int64_t start, int64_t end, int64_t step = 1) {
  if (start == 0 && end == along.extent && step == 1) {
    return along.x;
  }
  return call.emit("slice", {along.x}, {{"dim", along.axis}, {"start", start}, {"end", end}, {"step", step}});
}

// Python's reading of a bound: negative from the end, then held within the extent.
int64_t bound(int64_t value, int64_t extent) {
  return std::clamp<int64_t>(value < 0 ? value + extent : value, 0, extent);
}

Converted parts_of(Call& call, const Along& along, const std::vector<int64_t>& sizes) {
  std::vector<ValueId> parts;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    const int64_t end = std::min(start + size, along.extent);
    STITCH_ASSIGN(const ValueId next, part(call, along, start, end));
    parts.push_back(next);
    start = end;
  }
  return parts;
}

std::vector<int64_t> equal_sizes(int64_t extent, int64_t size) {
  std::vector<int64_t> sizes(static_cast<size_t>(std::max<int64_t>(1, (extent + size - 1) / size)), size);
  return sizes;
}

// `amount` elements of `value` on one side of an axis, or a cut where it is negative.
Result<ValueId> padded_side(Call& call, ValueId x, size_t axis, int64_t amount, bool in_front, double value) {
  const TensorType type = call.type(x);
  const int64_t extent = type.shape[axis];
  if (amount <= 0) {
    const Along along{x, static_cast<int64_t>(axis), extent};
    return part(call, along, in_front ? -amount : 0, in_front ? extent : extent + amount);
  }
  std::vector<int64_t> shape = type.shape;
  shape[axis] = amount;
  STITCH_ASSIGN(const ValueId border,
                call.emit("full", {}, {{"shape", shape}, {"value", value}, {"dtype", type.dtype}}));
  std::vector<Operand> operands = {x, border};
  if (in_front) {
    std::swap(operands[0], operands[1]);
  }
  return call.emit("cat", operands, {{"dim", static_cast<int64_t>(axis)}});
}

Converted padded(Call& call, double value) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto amounts, call.integers(1, "pad"));
  const size_t rank = call.shape(x).size();
  STITCH_TRY(call.require(amounts.size() <= 2 * rank, "there is more padding than axes"));
  for (size_t i = 0; i + 1 < amounts.size(); i += 2) {  // pairs, last axis first
    const size_t axis = rank - 1 - i / 2;
    STITCH_ASSIGN(x, padded_side(call, x, axis, amounts[i], true, value));
    STITCH_ASSIGN(x, padded_side(call, x, axis, amounts[i + 1], false, value));
  }
  return std::vector<ValueId>{x};
}

}  // namespace

Converted convert_slice(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 1, 0));
  STITCH_ASSIGN(const int64_t start, call.integer(2, "start", 0));
  STITCH_ASSIGN(const int64_t end, call.integer(3, "end", std::numeric_limits<int64_t>::max()));
  STITCH_ASSIGN(const int64_t step, call.integer(4, "step", 1));
  const int64_t first = bound(start, along.extent);
  STITCH_ASSIGN(const ValueId result, part(call, along, first, std::max(first, bound(end, along.extent)), step));
  return std::vector<ValueId>{result};
}

Converted convert_narrow(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 1, 0));
  STITCH_ASSIGN(const int64_t start, call.integer(2, "start"));
  STITCH_ASSIGN(const int64_t length, call.integer(3, "length"));
  const int64_t first = bound(start, along.extent);
  STITCH_ASSIGN(const ValueId result, part(call, along, first, first + length));
  return std::vector<ValueId>{result};
}

Converted convert_select(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 1, 0));
  STITCH_ASSIGN(const int64_t index, call.integer(2, "index"));
  return call.finish("select", {along.x}, {{"dim", along.axis}, {"index", index < 0 ? index + along.extent : index}});
}

// split.Tensor(x, size, dim) and split_with_sizes(x, sizes, dim)
Converted convert_split(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 2, 0));
  STITCH_ASSIGN(const std::vector<int64_t> sizes, call.integers(1, "split_sizes"));
  const bool one_size = std::holds_alternative<int64_t>(call.argument(1, "split_sizes")->value);
  return parts_of(call, along, one_size && sizes[0] > 0 ? equal_sizes(along.extent, sizes[0]) : sizes);
}

Converted convert_chunk(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 2, 0));
  STITCH_ASSIGN(const int64_t chunks, call.integer(1, "chunks"));
  STITCH_TRY(call.require(chunks >= 1, "there is no positive number of chunks"));
  const int64_t size = std::max<int64_t>(1, (along.extent + chunks - 1) / chunks);
  return parts_of(call, along, equal_sizes(along.extent, size));
}

Converted convert_unbind(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 1, 0));
  std::vector<ValueId> results;
  for (int64_t index = 0; index < along.extent; ++index) {
    STITCH_ASSIGN(const ValueId next, call.emit("select", {along.x}, {{"dim", along.axis}, {"index", index}}));
    results.push_back(next);
  }
  return results;
}

Converted convert_cat(Call& call) {
  STITCH_ASSIGN(std::vector<ValueId> parts, call.tensors(0, "tensors"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim", 0));
  // PyTorch lets empty 1-D tensors join anything, for old programs' sake.
  const auto is_nothing = [&](ValueId id) { return call.shape(id) == std::vector<int64_t>{0}; };
  if (!std::all_of(parts.begin(), parts.end(), is_nothing)) {
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_nothing), parts.end());
  }
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(parts[0]).size()));
  STITCH_ASSIGN(const auto operands, call.promoted("cat", {parts.begin(), parts.end()}));
  return call.finish("cat", operands, {{"dim", axis}});
}

Converted convert_stack(Call& call) {
  STITCH_ASSIGN(const std::vector<ValueId> parts, call.tensors(0, "tensors"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim", 0));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(parts[0]).size() + 1));
  std::vector<Operand> operands;
  for (const ValueId id : parts) {
    std::vector<int64_t> shape = call.shape(id);
    shape.insert(shape.begin() + axis, 1);
    STITCH_ASSIGN(const ValueId with_axis, call.reshape(id, shape));
    operands.emplace_back(with_axis);
  }
  STITCH_ASSIGN(operands, call.promoted("cat", operands));
  return call.finish("cat", operands, {{"dim", axis}});
}

Converted convert_constant_pad(Call& call) {
  STITCH_ASSIGN(const double value, call.number(2, "value", 0.0));
  return padded(call, value);
}

Converted convert_pad(Call& call) {
  STITCH_ASSIGN(const std::string mode, call.text(2, "mode", "constant"));
  if (mode != "constant") {
    return call.unsupported("padding is supported with mode constant, not " + mode);
  }
  STITCH_ASSIGN(const double value, call.number(3, "value", 0.0));
  return padded(call, value);
}

}  // namespace stitch::frontend
