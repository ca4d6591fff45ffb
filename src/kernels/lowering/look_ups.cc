// SPDX-License-Identifier: Apache-2.0
// The part of FunctorBuilder that reads tables: elements whose place is computed, not walked.
#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/expression/literal.h"
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

Result<std::string> FunctorBuilder::look_up(ir::ValueId table, const IndexMap& map, size_t axis,
                                            const std::string& row) {
  STITCH_ASSIGN(const std::string text, look_up(table, map, {{axis, row}}));
  draft_.accesses.back().rows = graph_.type(table).shape[axis];
  return text;
}

Result<std::string> FunctorBuilder::look_up(ir::ValueId table, IndexMap map, const std::vector<LookedUpPlace>& places) {
  const auto view = strided_view(group_, table);
  if (!view.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, graph_.value(table).name + " has to be in memory to be looked up");
  }
  for (const LookedUpPlace& place : places) {
    map[place.axis] = AffineIndex{};
  }
  const std::string name = names_.take(graph_.value(view->stored).name);
  Access access{.value = view->stored, .pointer = name, .local = name, .index = walked(*view, map)};
  if (places.size() == 1) {
    access.looked_up = places[0].text;
    access.row_stride = view->strides[places[0].axis];
  } else {
    std::string offset;
    for (const LookedUpPlace& place : places) {
      const std::string wanted = fmt::format("{}_entry_axis_{}_stride", name, place.axis);
      const std::string stride = member("int64_t", wanted, step_.extent(wanted, view->strides[place.axis]));
      offset += fmt::format("{}{} * {}", offset.empty() ? "" : " + ", place.text, stride);
    }
    access.looked_up = local("int64_t", name + "_place", offset);
    access.looked_up_is_offset = true;
  }
  draft_.accesses.push_back(std::move(access));
  return fmt::format("<#{}>", draft_.accesses.size() - 1);
}

Result<std::string> FunctorBuilder::looked_up(const ir::Node& node, const IndexMap& map) {
  const ir::ValueId table = ir::tensor_operand(node, 0);
  const ir::ValueId indices = ir::tensor_operand(node, 1);
  const size_t axis = node.op == ir::Op::kEmbedding ? 0 : static_cast<size_t>(ir::int_attribute(node, "dim"));
  if (node.op == ir::Op::kGather) {
    STITCH_ASSIGN(const std::string row, value(indices, map));
    return look_up(table, map, axis, row);
  }
  // The axes of the indices stand in place of the table's.
  const auto first = map.begin() + static_cast<std::ptrdiff_t>(axis);
  const auto last = first + static_cast<std::ptrdiff_t>(graph_.type(indices).shape.size());
  STITCH_ASSIGN(const std::string row, value(indices, IndexMap(first, last)));
  IndexMap table_map(map.begin(), first);
  table_map.emplace_back();
  table_map.insert(table_map.end(), last, map.end());
  return look_up(table, table_map, axis, row);
}

// Where along an axis of `extent` elements the mode looks for `place`, which may lie beyond either end.
std::string FunctorBuilder::shown_place(const ir::Node& node, const std::string& place, const std::string& extent,
                                        const std::string& wanted) {
  const std::string& mode = ir::string_attribute(node, "mode");
  const char* function = mode == "reflect" ? "mirrored" : mode == "circular" ? "wrapped" : "held_within";
  return local("int64_t", wanted, fmt::format("stitch::{}({}, {})", function, place, extent));
}

// Axes without padding are walked as they are. A constant outside is chosen after a look at the nearest element, so
// that no address lies outside.
Result<std::string> FunctorBuilder::padded(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  const ir::ValueId operand = ir::tensor_operand(node, 0);
  const std::string& name = graph_.value(value_id).name;
  const std::vector<int64_t>& before = ir::ints_attribute(node, "before");
  const std::vector<int64_t>& after = ir::ints_attribute(node, "after");
  const bool is_constant = ir::string_attribute(node, "mode") == "constant";
  std::vector<LookedUpPlace> places;
  std::string inside;
  for (size_t axis = 0; axis < map.size(); ++axis) {
    if (before[axis] == 0 && after[axis] == 0) {
      continue;
    }
    AffineIndex shifted = map[axis];
    shifted.offset -= before[axis];
    const std::string wanted = fmt::format("{}_{}", name, axis);
    const std::string place = position(shifted, wanted);
    const std::string extent =
        member("int64_t", wanted + "_extent", step_.extent(wanted + "_extent", graph_.type(operand).shape[axis]));
    places.push_back({axis, shown_place(node, place, extent, wanted + "_source")});
    inside += fmt::format("{}{} == {}", inside.empty() ? "" : " && ", places.back().text, place);
  }
  if (places.empty()) {
    return value(operand, map);
  }
  STITCH_ASSIGN(const std::string element, look_up(operand, map, places));
  if (!is_constant) {
    return local(value_id, element);
  }
  const ir::Scalar scalar = ir::double_attribute(node, "value");
  const DataType dtype = graph_.type(value_id).dtype;
  const std::string text = literal(scalar, dtype);
  const std::string outside =
      speaks_for_itself(scalar) ? text : step_.constant(compute_type(dtype), name + "_padding", text);
  return local(value_id, fmt::format("{} ? {} : {}", inside, element, outside));
}

// A random number is a function of its place in the whole tensor, so it may be computed wherever it is needed.
std::string FunctorBuilder::drawn(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  step_.include("kernels/random/numbers.cuh");
  const std::string& name = graph_.value(value_id).name;
  const AffineIndex linear = linear_index(domain_.current(map), graph_.type(value_id).shape);
  const std::string place = position(linear, name + "_place");
  const std::string stream =
      step_.constant("uint32_t", name + "_stream", fmt::format("{}u", ir::int_attribute(node, "stream")));
  const std::string numbers =
      member("stitch::RandomNumbers", name + "_numbers",
             fmt::format("stitch::RandomNumbers{{static_cast<const float*>({}), args->rng_seed, args->rng_offset, {}}}",
                         step_.tensor(ir::tensor_operand(node, 0)), stream));
  return local(value_id, fmt::format("{}.{}({})", numbers, to_string(node.op), place));
}

}  // namespace stitch::kernels
