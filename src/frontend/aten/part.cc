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
  return call.emit(Op::kSlice, {along.x}, {{"dim", along.axis}, {"start", start}, {"end", end}, {"step", step}});
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

Result<ValueId> joined(Call& call, const std::vector<ValueId>& parts, int64_t axis) {
  std::vector<Operand> present;
  for (const ValueId id : parts) {
    if (call.shape(id)[static_cast<size_t>(axis)] > 0) {
      present.emplace_back(id);
    }
  }
  if (present.size() == 1) {
    return std::get<ValueId>(present[0]);
  }
  return call.emit(Op::kCat, present, {{"dim", axis}});
}

std::vector<int64_t> with_axis_split(std::vector<int64_t> shape, int64_t axis, int64_t outer, int64_t inner) {
  shape[static_cast<size_t>(axis)] = inner;
  shape.insert(shape.begin() + axis, outer);
  return shape;
}

// `source` in the places start, start + step, ... of the axis. With steps, whole steps of the old tensor are seen as
// [steps, step] and joined behind the new first elements; a last step that is cut short is treated by itself.
Result<ValueId> scattered(Call& call, const Along& along, ValueId source, int64_t start, int64_t step) {
  const auto axis = static_cast<size_t>(along.axis);
  const int64_t count = call.shape(source)[axis];
  const int64_t whole = std::min(count, (along.extent - start) / step);
  std::vector<ValueId> parts;
  if (start > 0) {
    STITCH_ASSIGN(const ValueId before, part(call, along, 0, start));
    parts.push_back(before);
  }
  if (step == 1) {
    parts.push_back(source);
  } else if (whole > 0) {
    const Along of_source{source, along.axis, count};
    STITCH_ASSIGN(const ValueId old, part(call, along, start, start + whole * step));
    STITCH_ASSIGN(const ValueId steps, call.reshape(old, with_axis_split(call.shape(old), along.axis, whole, step)));
    STITCH_ASSIGN(const ValueId kept, part(call, {steps, along.axis + 1, step}, 1, step));
    STITCH_ASSIGN(const ValueId first, part(call, of_source, 0, whole));
    STITCH_ASSIGN(const ValueId placed, call.reshape(first, with_axis_split(call.shape(first), along.axis, whole, 1)));
    STITCH_ASSIGN(const ValueId both, joined(call, {placed, kept}, along.axis + 1));
    STITCH_ASSIGN(const ValueId line, call.reshape(both, call.shape(old)));
    parts.push_back(line);
  }
  int64_t done = start + whole * step;
  if (step != 1 && whole < count) {
    STITCH_ASSIGN(const ValueId last, part(call, {source, along.axis, count}, whole, count));
    parts.push_back(last);
    ++done;
  }
  if (done < along.extent) {
    STITCH_ASSIGN(const ValueId after, part(call, along, done, along.extent));
    parts.push_back(after);
  }
  return joined(call, parts, along.axis);
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
  return call.finish(Op::kSelect, {along.x},
                     {{"dim", along.axis}, {"index", index < 0 ? index + along.extent : index}});
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
    STITCH_ASSIGN(const ValueId next, call.emit(Op::kSelect, {along.x}, {{"dim", along.axis}, {"index", index}}));
    results.push_back(next);
  }
  return results;
}

// PyTorch joins no others; an export that was altered may ask for it.
Result<void> require_one_rank(Call& call, const std::vector<ValueId>& parts) {
  const size_t rank = call.shape(parts[0]).size();
  const bool same = std::all_of(parts.begin(), parts.end(), [&](ValueId id) { return call.shape(id).size() == rank; });
  return call.require(same, "its tensors have different numbers of axes");
}

Converted convert_cat(Call& call) {
  STITCH_ASSIGN(std::vector<ValueId> parts, call.tensors(0, "tensors"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim", 0));
  // PyTorch lets empty 1-D tensors join anything, for old programs' sake.
  const auto is_nothing = [&](ValueId id) { return call.shape(id) == std::vector<int64_t>{0}; };
  if (!std::all_of(parts.begin(), parts.end(), is_nothing)) {
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_nothing), parts.end());
  }
  STITCH_TRY(require_one_rank(call, parts));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(parts[0]).size()));
  STITCH_ASSIGN(std::vector<Operand> operands, call.promoted(Op::kCat, {parts.begin(), parts.end()}));
  // Parts without elements have a say in the type of the result, and no place in it.
  const auto adds_nothing = [&](const Operand& operand) {
    return call.shape(std::get<ValueId>(operand))[static_cast<size_t>(axis)] == 0;
  };
  if (!std::all_of(operands.begin(), operands.end(), adds_nothing)) {
    operands.erase(std::remove_if(operands.begin(), operands.end(), adds_nothing), operands.end());
  }
  return call.finish(Op::kCat, operands, {{"dim", axis}});
}

Converted convert_stack(Call& call) {
  STITCH_ASSIGN(const std::vector<ValueId> parts, call.tensors(0, "tensors"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim", 0));
  STITCH_TRY(require_one_rank(call, parts));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(parts[0]).size() + 1));
  std::vector<Operand> operands;
  for (const ValueId id : parts) {
    std::vector<int64_t> shape = call.shape(id);
    shape.insert(shape.begin() + axis, 1);
    STITCH_ASSIGN(const ValueId with_axis, call.reshape(id, shape));
    operands.emplace_back(with_axis);
  }
  STITCH_ASSIGN(operands, call.promoted(Op::kCat, operands));
  return call.finish(Op::kCat, operands, {{"dim", axis}});
}

// slice_scatter(x, source, dim, start, end, step)
Converted convert_slice_scatter(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 2, 0));
  STITCH_ASSIGN(ValueId source, call.tensor(1, "src"));
  STITCH_ASSIGN(const int64_t start, call.integer(3, "start", 0));
  STITCH_ASSIGN(const int64_t end, call.integer(4, "end", std::numeric_limits<int64_t>::max()));
  STITCH_ASSIGN(const int64_t step, call.integer(5, "step", 1));
  const int64_t first = bound(start, along.extent);
  const int64_t last = std::max(first, bound(end, along.extent));
  std::vector<int64_t> shape = call.shape(along.x);
  shape[static_cast<size_t>(along.axis)] = (last - first + step - 1) / step;
  if (shape[static_cast<size_t>(along.axis)] == 0) {
    return std::vector<ValueId>{along.x};
  }
  STITCH_ASSIGN(source, call.cast(source, call.type(along.x).dtype));
  STITCH_ASSIGN(source, call.expand(source, shape));
  STITCH_ASSIGN(const ValueId result, scattered(call, along, source, first, step));
  return std::vector<ValueId>{result};
}

// select_scatter(x, source, dim, index)
Converted convert_select_scatter(Call& call) {
  STITCH_ASSIGN(const Along along, along_axis(call, 2, 0));
  STITCH_ASSIGN(ValueId source, call.tensor(1, "src"));
  STITCH_ASSIGN(const int64_t index, call.integer(3, "index"));
  std::vector<int64_t> shape = call.shape(along.x);
  shape[static_cast<size_t>(along.axis)] = 1;
  STITCH_ASSIGN(source, call.cast(source, call.type(along.x).dtype));
  STITCH_ASSIGN(source, call.reshape(source, shape));
  STITCH_ASSIGN(const ValueId result, scattered(call, along, source, index < 0 ? index + along.extent : index, 1));
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
