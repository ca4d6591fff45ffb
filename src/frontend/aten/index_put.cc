// SPDX-License-Identifier: Apache-2.0
// What assignments to picked parts of a tensor become: x[i, j] = v, x[mask] = v.
#include <algorithm>

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
    STITCH_ASSIGN(values, call.pointwise(Op::kAdd, {x, values}));
  }
  return call.finish(Op::kWhere, {picked, values, x});
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
    return call.finish(Op::kPermute, {result}, {{"dims", inverse(advanced.order)}});
  }
  return std::vector<ValueId>{result};
}

}  // namespace stitch::frontend
