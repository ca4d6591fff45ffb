// SPDX-License-Identifier: Apache-2.0
// The part of FunctorBuilder that reads tables: elements whose place is computed, not walked.
#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

// The index of the elements that `map` walks, the looked-up axes left out.
AffineIndex walked(const StridedView& view, const IndexMap& map) {
  AffineIndex index{view.offset, {}};
  for (size_t i = 0; i < map.size(); ++i) {
    index.offset += map[i].offset * view.strides[i];
    for (const Term& term : map[i].terms) {
      index.terms.push_back({term.loop, term.coefficient * view.strides[i]});
    }
  }
  return index;
}

}  // namespace

Result<Expr> FunctorBuilder::look_up(ir::ValueId table, const IndexMap& map, size_t axis, const Expr& row) {
  STITCH_ASSIGN(Expr element, look_up(table, map, {{axis, row}}));
  draft_.accesses.back().rows = graph_.type(table).shape[axis];
  return element;
}

Result<Expr> FunctorBuilder::look_up(ir::ValueId table, IndexMap map, const std::vector<LookedUpPlace>& places) {
  const auto view = strided_view(group_, table);
  if (!view.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, graph_.value(table).name + " has to be in memory to be looked up");
  }
  for (const LookedUpPlace& place : places) {
    map[place.axis] = AffineIndex{};
  }
  const std::string name = names_.take(graph_.value(view->stored).name);
  DraftAccess access{.value = view->stored, .name = name, .index = walked(*view, map)};
  if (places.size() == 1) {
    access.row = places[0].place;
    access.row_stride = view->strides[places[0].axis];
  } else {
    Expr offset;
    for (const LookedUpPlace& place : places) {
      const std::string wanted = fmt::format("{}_entry_axis_{}_stride", name, place.axis);
      const Expr stride = member("int64_t", wanted, step_.extent(wanted, view->strides[place.axis]));
      const Expr term = product(place.place, stride);
      offset = offset.is_nothing() ? term : sum(std::move(offset), term);
    }
    access.row = local("int64_t", name + "_place", std::move(offset));
    access.row_counts_elements = true;
  }
  draft_.accesses.push_back(std::move(access));
  return load_of(draft_.accesses.size() - 1);
}

Result<Expr> FunctorBuilder::looked_up(const ir::Node& node, const IndexMap& map) {
  const ir::ValueId table = ir::tensor_operand(node, 0);
  const ir::ValueId indices = ir::tensor_operand(node, 1);
  const size_t axis = node.op == ir::Op::kEmbedding ? 0 : static_cast<size_t>(ir::int_attribute(node, "dim"));
  if (node.op == ir::Op::kGather) {
    STITCH_ASSIGN(const Expr row, value(indices, map));
    return look_up(table, map, axis, row);
  }
  // The axes of the indices stand in place of the table's.
  const auto first = map.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto last = first + static_cast<std::ptrdiff_t>(graph_.type(indices).shape.size());
  STITCH_ASSIGN(const Expr row, value(indices, IndexMap(first, last)));
  IndexMap table_map(map.begin(), first);
  table_map.emplace_back();
  table_map.insert(table_map.end(), last, map.end());
  return look_up(table, table_map, axis, row);
}

// Where along an axis of `extent` elements the mode looks for `place`, which may lie beyond either end.
Expr FunctorBuilder::shown_place(const ir::Node& node, const Expr& place, const Expr& extent,
                                 const std::string& wanted) {
  const std::string& mode = ir::string_attribute(node, "mode");
  const char* function = mode == "reflect"    ? "stitch::mirrored"
                         : mode == "circular" ? "stitch::wrapped"
                                              : "stitch::held_within";
  return local("int64_t", wanted, call(function, {place, extent}));
}

// Axes without padding are walked as they are. A constant outside is chosen after a look at the nearest element, so
// that no address lies outside.
Result<Expr> FunctorBuilder::padded(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  const ir::ValueId operand = ir::tensor_operand(node, 0);
  const std::string& name = graph_.value(value_id).name;
  const std::vector<int64_t>& before = ir::ints_attribute(node, "before");
  const std::vector<int64_t>& after = ir::ints_attribute(node, "after");
  std::vector<LookedUpPlace> places;
  Expr inside;
  for (size_t axis = 0; axis < map.size(); ++axis) {
    if (before[axis] == 0 && after[axis] == 0) {
      continue;
    }
    AffineIndex shifted = map[axis];
    shifted.offset -= before[axis];
    const std::string wanted = fmt::format("{}_{}", name, axis);
    const Expr place = position(shifted, wanted);
    const Expr extent =
        member("int64_t", wanted + "_extent", step_.extent(wanted + "_extent", graph_.type(operand).shape[axis]));
    places.push_back({axis, shown_place(node, place, extent, wanted + "_source")});
    inside = both(std::move(inside), binary(BinaryOp::kEqual, places.back().place, place));
  }
  if (places.empty()) {
    return value(operand, map);
  }
  STITCH_ASSIGN(Expr element, look_up(operand, map, places));
  if (ir::string_attribute(node, "mode") != "constant") {
    return local(value_id, std::move(element));
  }
  const Literal padding = literal(ir::double_attribute(node, "value"), graph_.type(value_id).dtype);
  return local(value_id, select(std::move(inside), std::move(element), constant(name + "_padding", padding)));
}

// A random number is a function of its place in the whole tensor, so it may be computed wherever it is needed.
Expr FunctorBuilder::drawn(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  step_.include("kernels/random/numbers.cuh");
  const std::string& name = graph_.value(value_id).name;
  const AffineIndex linear = linear_index(domain_.current(map), graph_.type(value_id).shape);
  const Expr place = position(linear, name + "_place");
  const Expr stream =
      step_.constant(name + "_stream", {ir::int_attribute(node, "stream"), ScalarType::kUint32});
  const Expr numbers =
      member("stitch::RandomNumbers", name + "_numbers",
             aggregate("stitch::RandomNumbers", {cast("const float*", step_.tensor(ir::tensor_operand(node, 0))),
                                                 named("args->rng_seed"), named("args->rng_offset"), stream}));
  return local(value_id, method_call(numbers, std::string(to_string(node.op)), {place}));
}

}  // namespace stitch::kernels
