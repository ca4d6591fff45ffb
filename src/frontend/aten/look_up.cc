// SPDX-License-Identifier: Apache-2.0
// Elements and slices picked by index tensors.
#include <algorithm>

#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"

namespace stitch::frontend {
namespace {

Converted gathered(Call& call, ValueId x, int64_t dim, ValueId index) {
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(index, with_an_axis(call, index));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  STITCH_ASSIGN(const ValueId result, call.emit(Op::kGather, {x, index}, {{"dim", axis}}));
  return finish_as_exported(call, result);
}

}  // namespace

Converted convert_gather(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(const ValueId index, call.tensor(2, "index"));
  return gathered(call, x, dim, index);
}

Converted convert_index_select(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(ValueId index, call.tensor(2, "index"));
  STITCH_ASSIGN(x, with_an_axis(call, x));
  STITCH_ASSIGN(index, with_an_axis(call, index));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  STITCH_ASSIGN(const ValueId result, call.emit(Op::kIndexSelect, {x, index}, {{"dim", axis}}));
  return finish_as_exported(call, result);
}

// Without dim both are flattened; with it they broadcast against each other on all other axes.
Converted convert_take_along_dim(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(ValueId index, call.tensor(1, "indices"));
  if (!call.has(2, "dim")) {
    STITCH_ASSIGN(x, call.reshape(x, {call.type(x).element_count()}));
    STITCH_ASSIGN(index, call.reshape(index, {call.type(index).element_count()}));
    return gathered(call, x, 0, index);
  }
  STITCH_ASSIGN(const int64_t dim, call.integer(2, "dim"));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  STITCH_TRY(call.require(call.shape(x).size() == call.shape(index).size(), "indices have another number of axes"));
  std::vector<int64_t> x_shape = call.shape(x);
  std::vector<int64_t> index_shape = call.shape(index);
  for (size_t i = 0; i < x_shape.size(); ++i) {
    if (static_cast<int64_t>(i) != axis) {
      x_shape[i] = index_shape[i] = std::max(x_shape[i], index_shape[i]);
    }
  }
  STITCH_ASSIGN(x, call.expand(x, x_shape));
  STITCH_ASSIGN(index, call.expand(index, index_shape));
  return gathered(call, x, axis, index);
}

// x seen as one row, indices of any shape
Converted convert_take(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId index, call.tensor(1, "index"));
  const int64_t count = call.type(x).element_count();
  STITCH_ASSIGN(const ValueId row, call.reshape(x, {count}));
  STITCH_ASSIGN(const ValueId counted, counted_from_front(call, index, count));
  return call.finish(Op::kIndexSelect, {row, counted}, {{"dim", int64_t{0}}});
}

Converted convert_index(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto indices, call.optional_tensors(1, "indices"));
  if (std::none_of(indices.begin(), indices.end(), [](const auto& index) { return index.has_value(); })) {
    return std::vector<ValueId>{x};
  }
  STITCH_ASSIGN(const AdvancedIndex advanced, advanced_index(call, x, indices));
  return call.finish(Op::kIndexSelect, {advanced.x, advanced.index}, {{"dim", static_cast<int64_t>(advanced.axis)}});
}

// one_hot(x, classes): each index compared with all classes
Converted convert_one_hot(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t classes, call.integer(1, "num_classes", -1));
  STITCH_TRY(call.require(classes > 0, "without num_classes the shape depends on data"));
  std::vector<int64_t> shape = call.shape(x);
  shape.push_back(1);
  STITCH_ASSIGN(const ValueId index, call.reshape(x, shape));
  STITCH_ASSIGN(
      const ValueId numbers,
      call.emit(Op::kArange, {},
                {{"start", 0.0}, {"end", static_cast<double>(classes)}, {"step", 1.0}, {"dtype", call.type(x).dtype}}));
  STITCH_ASSIGN(const ValueId is_class, call.emit(Op::kEq, {index, numbers}));
  return call.finish(Op::kTo, {is_class}, {{"dtype", DataType::kInt64}});
}

}  // namespace stitch::frontend
