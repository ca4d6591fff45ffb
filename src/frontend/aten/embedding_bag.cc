// SPDX-License-Identifier: Apache-2.0
// embedding_bag: rows of a table, summed up (or their mean, or largest) by bag.
#include "frontend/aten/converters.h"
#include "frontend/aten/indices.h"
#include "frontend/aten/scatter_into.h"

namespace stitch::frontend {
namespace {

struct Bags {
  ValueId rows;     // of the table, weighted: [indices, width]
  ValueId indices;  // [indices]
  ValueId offsets;  // where each bag begins
  int64_t count = 0;
  Op reduce{};  // sum, mean or amax
  std::optional<int64_t> padding;
};

// The length of the bags where they are all as long: offsets counted up from zero.
std::optional<int64_t> common_length(const Call& call, const Bags& bags) {
  const ir::NodeId producer = call.graph().value(bags.offsets).producer;
  if (!producer.is_valid() || call.graph().node(producer).op != Op::kArange || bags.padding.has_value()) {
    return std::nullopt;
  }
  const ir::Node& node = call.graph().node(producer);
  const auto length = static_cast<int64_t>(ir::double_attribute(node, "step"));
  const bool fits = ir::double_attribute(node, "start") == 0.0 && length > 0 &&
                    call.shape(bags.offsets)[0] == bags.count && length * bags.count == call.shape(bags.indices)[0];
  return fits ? std::optional(length) : std::nullopt;
}

Result<ValueId> reduced_equal_bags(Call& call, const Bags& bags, int64_t length) {
  STITCH_ASSIGN(const ValueId by_bag, call.reshape(bags.rows, {bags.count, length, call.shape(bags.rows)[1]}));
  return call.emit(bags.reduce, {by_bag}, {{"dim", std::vector<int64_t>{1}}, {"keepdim", false}});
}

// The bag of index i is the last one that begins at or before i.
Result<ValueId> bag_of_each(Call& call, const Bags& bags) {
  const int64_t count = call.shape(bags.indices)[0];
  STITCH_ASSIGN(const ValueId offsets, call.cast(bags.offsets, DataType::kInt64));
  STITCH_ASSIGN(
      const ValueId numbers,
      call.emit(Op::kArange, {},
                {{"start", 0.0}, {"end", static_cast<double>(count)}, {"step", 1.0}, {"dtype", DataType::kInt64}}));
  STITCH_ASSIGN(const ValueId column, call.reshape(numbers, {count, 1}));
  STITCH_ASSIGN(const ValueId has_begun, call.emit(Op::kLe, {offsets, column}));
  STITCH_ASSIGN(const ValueId ones, call.emit(Op::kTo, {has_begun}, {{"dtype", DataType::kInt64}}));
  STITCH_ASSIGN(const ValueId begun,
                call.emit(Op::kSum, {ones}, {{"dim", std::vector<int64_t>{1}}, {"keepdim", false}}));
  STITCH_ASSIGN(ValueId bag, call.emit(Op::kSub, {begun, Scalar(int64_t{1})}));
  if (bags.padding.has_value()) {  // a row that only fills up is sent nowhere
    STITCH_ASSIGN(const ValueId indices, call.cast(bags.indices, DataType::kInt64));
    STITCH_ASSIGN(const ValueId is_padding, call.emit(Op::kEq, {indices, Scalar(*bags.padding)}));
    STITCH_ASSIGN(bag, call.emit(Op::kWhere, {is_padding, Scalar(int64_t{-1}), bag}));
  }
  return bag;
}

Result<ValueId> reduced_bags(Call& call, const Bags& bags) {
  const TensorType& rows = call.type(bags.rows);
  const std::vector<int64_t> shape = {bags.count, rows.shape[1]};
  const DataType dtype = rows.dtype;
  STITCH_ASSIGN(const ValueId bag, bag_of_each(call, bags));
  STITCH_ASSIGN(const ValueId along, index_along(call, bag, 0, 2));
  STITCH_ASSIGN(const ValueId empty, call.emit(Op::kFull, {}, {{"shape", shape}, {"value", 0.0}, {"dtype", dtype}}));
  return scatter_into(call, {empty, 0, along, bags.rows, to_string(bags.reduce), false});
}

}  // namespace

// (weight, indices, offsets, scale_grad, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
Converted convert_embedding_bag(Call& call) {
  STITCH_ASSIGN(const ValueId weight, call.tensor(0, "weight"));
  Bags bags;
  STITCH_ASSIGN(bags.indices, call.tensor(1, "indices"));
  STITCH_ASSIGN(bags.offsets, call.tensor(2, "offsets"));
  STITCH_ASSIGN(const int64_t mode, call.integer(4, "mode", 0));
  STITCH_ASSIGN(const Operand factors, call.optional_tensor(6, "per_sample_weights"));
  STITCH_ASSIGN(const bool ends_with_count, call.boolean(7, "include_last_offset", false));
  STITCH_ASSIGN(const int64_t padding, call.integer(8, "padding_idx", -1));
  STITCH_TRY(call.require(call.shape(bags.indices).size() == 1, "indices have more than one axis"));
  bags.count = call.shape(bags.offsets)[0] - (ends_with_count ? 1 : 0);
  bags.reduce = mode == 0 ? Op::kSum : mode == 1 ? Op::kMean : Op::kAmax;
  if (call.has(8, "padding_idx") && padding >= 0) {
    bags.padding = padding;
  }
  STITCH_ASSIGN(bags.rows, call.emit(Op::kIndexSelect, {weight, bags.indices}, {{"dim", int64_t{0}}}));
  if (const ValueId* by_row = std::get_if<ValueId>(&factors)) {
    STITCH_ASSIGN(const ValueId column, call.reshape(*by_row, {call.shape(*by_row)[0], 1}));
    STITCH_ASSIGN(bags.rows, call.pointwise(Op::kMul, {bags.rows, column}));
  }
  const std::optional<int64_t> length = common_length(call, bags);
  STITCH_ASSIGN(const ValueId result,
                length.has_value() ? reduced_equal_bags(call, bags, *length) : reduced_bags(call, bags));
  return finish_as_exported(call, result);  // the other outputs serve the gradient
}

}  // namespace stitch::frontend
