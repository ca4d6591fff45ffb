// SPDX-License-Identifier: Apache-2.0
// What assignments to parts of a tensor become: x[i, j] = v, x[mask] = v, x[a:b] = v.
#include <algorithm>
#include <limits>

#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"
#include "frontend/aten/scatter_into.h"

namespace stitch::frontend {
namespace {

// x[mask] = values, where the values do not differ from place to place that the mask picks.
Converted masked(Call& call, ValueId x, ValueId mask, size_t axis, ValueId values, bool accumulate) {
  const std::vector<int64_t> shape = call.shape(x);
  const size_t after = axis + call.shape(mask).size();
  STITCH_TRY(call.require(after <= shape.size(), "the mask has more axes than what it masks"));
  const bool is_one = call.type(values).element_count() == 1;
  if (!is_one && (axis != 0 || call.shape(values).size() > shape.size() - after)) {
    return call.unsupported("each place that a mask picks gets a value of its own: their number depends on data");
  }
  std::vector<int64_t> mask_shape(shape.size(), 1);
  std::copy(call.shape(mask).begin(), call.shape(mask).end(), mask_shape.begin() + static_cast<std::ptrdiff_t>(axis));
  STITCH_ASSIGN(const ValueId picked, call.reshape(mask, mask_shape));
  if (is_one) {
    STITCH_ASSIGN(values, call.reshape(values, {}));
  }
  if (accumulate) {
    STITCH_ASSIGN(values, call.pointwise("add", {x, values}));
  }
  return call.finish("where", {picked, values, x});
}

// The values in the shape that x[indices] has, with the axes of the indices made one.
Result<ValueId> sent_values(Call& call, const AdvancedIndex& index, ValueId values) {
  std::vector<int64_t> shape = call.shape(index.x);
  const auto at = shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(index.axis));
  const std::vector<int64_t>& places = call.shape(index.index);
  shape.insert(at, places.begin(), places.end());
  const std::vector<int64_t>& given = call.shape(values);
  // Leading axes of one element may be more than the result has.
  const size_t spare = given.size() > shape.size() ? given.size() - shape.size() : 0;
  STITCH_ASSIGN(values, call.reshape(values, {given.begin() + static_cast<std::ptrdiff_t>(spare), given.end()}));
  STITCH_ASSIGN(values, call.expand(values, shape));
  std::vector<int64_t> merged = call.shape(index.x);
  merged[index.axis] = call.type(index.index).element_count();
  return call.reshape(values, merged);
}

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> result(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    result[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return result;
}

struct PartOfAxis {
  ValueId x;
  ValueId source;
  int64_t axis = 0;
  int64_t extent = 0;
};

Result<void> append_slice(Call& call, const PartOfAxis& part, int64_t start, int64_t end, std::vector<Operand>& parts) {
  if (start < end) {
    STITCH_ASSIGN(
        const ValueId slice,
        call.emit("slice", {part.x}, {{"dim", part.axis}, {"start", start}, {"end", end}, {"step", int64_t{1}}}));
    parts.emplace_back(slice);
  }
  return {};
}

// x with its elements start .. end along the axis taken from the source.
Converted replaced(Call& call, const PartOfAxis& part, int64_t start, int64_t end) {
  std::vector<Operand> parts;
  STITCH_TRY(append_slice(call, part, 0, start, parts));
  if (start < end) {
    parts.emplace_back(part.source);
  }
  STITCH_TRY(append_slice(call, part, std::max(start, end), part.extent, parts));
  return call.finish("cat", parts, {{"dim", part.axis}});
}

Result<PartOfAxis> part_of_axis(Call& call, size_t dim_position) {
  PartOfAxis part;
  STITCH_ASSIGN(part.x, call.tensor(0, "self"));
  STITCH_ASSIGN(part.source, call.tensor(1, "src"));
  STITCH_ASSIGN(part.source, call.cast(part.source, call.type(part.x).dtype));
  STITCH_ASSIGN(const int64_t dim, call.integer(dim_position, "dim", 0));
  STITCH_ASSIGN(part.axis, call.axis(dim, call.shape(part.x).size()));
  part.extent = call.shape(part.x)[static_cast<size_t>(part.axis)];
  return part;
}

}  // namespace

// (x, indices, values, accumulate)
Converted convert_index_put(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto indices, call.optional_tensors(1, "indices"));
  STITCH_ASSIGN(ValueId values, call.tensor(2, "values"));
  STITCH_ASSIGN(const bool accumulate, call.boolean(3, "accumulate", false));
  STITCH_ASSIGN(values, call.cast(values, call.type(x).dtype));
  const auto is_given = [](const auto& index) { return index.has_value(); };
  const auto first = std::find_if(indices.begin(), indices.end(), is_given);
  STITCH_TRY(call.require(first != indices.end(), "there is no index for an axis"));
  if (call.type(**first).dtype == DataType::kBool && std::count_if(indices.begin(), indices.end(), is_given) == 1) {
    return masked(call, x, **first, static_cast<size_t>(first - indices.begin()), values, accumulate);
  }
  STITCH_ASSIGN(const AdvancedIndex advanced, advanced_index(call, x, indices));
  const auto axis = static_cast<int64_t>(advanced.axis);
  Scattered what{advanced.x, axis, {}, {}, accumulate ? "sum" : "none", true};
  STITCH_ASSIGN(what.index, index_along(call, advanced.index, axis, call.shape(advanced.x).size()));
  STITCH_ASSIGN(what.source, sent_values(call, advanced, values));
  STITCH_ASSIGN(ValueId result, scatter_into(call, what));
  STITCH_ASSIGN(result, call.reshape(result, advanced.unmerged));
  if (!advanced.order.empty()) {
    return call.finish("permute", {result}, {{"dims", inverse(advanced.order)}});
  }
  return std::vector<ValueId>{result};
}

// (x, src, dim, start, end, step)
Converted convert_slice_scatter(Call& call) {
  STITCH_ASSIGN(const PartOfAxis part, part_of_axis(call, 2));
  STITCH_ASSIGN(const int64_t start, call.integer(3, "start", 0));
  STITCH_ASSIGN(const int64_t end, call.integer(4, "end", std::numeric_limits<int64_t>::max()));
  STITCH_ASSIGN(const int64_t step, call.integer(5, "step", 1));
  const auto bound = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + part.extent : value, 0, part.extent);
  };
  if (step == 1) {
    return replaced(call, part, bound(start), bound(end));
  }
  STITCH_ASSIGN(const ValueId index, call.emit("arange", {},
                                               {{"start", static_cast<double>(bound(start))},
                                                {"end", static_cast<double>(std::max(bound(start), bound(end)))},
                                                {"step", static_cast<double>(step)},
                                                {"dtype", DataType::kInt64}}));
  Scattered what{part.x, part.axis, {}, part.source, "none", true};
  STITCH_ASSIGN(what.index, index_along(call, index, part.axis, call.shape(part.x).size()));
  STITCH_ASSIGN(const ValueId result, scatter_into(call, what));
  return std::vector<ValueId>{result};
}

// (x, src, dim, index)
Converted convert_select_scatter(Call& call) {
  STITCH_ASSIGN(PartOfAxis part, part_of_axis(call, 2));
  STITCH_ASSIGN(const int64_t index, call.integer(3, "index"));
  std::vector<int64_t> shape = call.shape(part.x);
  shape[static_cast<size_t>(part.axis)] = 1;
  STITCH_ASSIGN(part.source, call.reshape(part.source, shape));
  const int64_t start = index < 0 ? index + part.extent : index;
  return replaced(call, part, start, start + 1);
}

}  // namespace stitch::frontend
