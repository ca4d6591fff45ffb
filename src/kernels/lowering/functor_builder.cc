// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/functor_builder.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/graph/op.h"
#include "kernels/expression/expression.h"
#include "kernels/expression/literal.h"
#include "kernels/lowering/views.h"

namespace stitch::kernels {

FunctorBuilder::FunctorBuilder(StepBuilder& step, std::string name, Domain domain, std::vector<Coordinate> coordinates)
    : step_(step),
      group_(step.group()),
      graph_(*step.group().graph),
      domain_(std::move(domain)),
      coordinates_(std::move(coordinates)),
      name_(step.type_name(name)) {
  for (const Coordinate& coordinate : coordinates_) {
    names_.take(coordinate.name);
  }
  for (const char* word : {"lane", "lanes", "kLanes", "result", "value", "values", "accumulator", "accumulators",
                           "total", "apply", "score", "index"}) {
    names_.take(word);
  }
}

void FunctorBuilder::bind(ir::ValueId value, const IndexMap& map, const std::string& scalar_text,
                          const std::string& lane_text) {
  known_.push_back({value, map, fmt::format("<${}|{}>", scalar_text, lane_text), true});
}

void FunctorBuilder::bind_expression(ir::ValueId value, const IndexMap& map, const std::string& text) {
  known_.push_back({value, map, local(value, text), true});
}

void FunctorBuilder::bind_text(ir::ValueId value, const IndexMap& map, const std::string& text) {
  known_.push_back({value, map, text, true});
}

Result<void> FunctorBuilder::bind_computed(ir::ValueId bound, const IndexMap& map) {
  STITCH_ASSIGN(const std::string text, value(bound, map));
  known_.push_back({bound, map, text, true});
  return {};
}

std::string FunctorBuilder::local(ir::ValueId value, const std::string& text) {
  const std::string name = names_.take(graph_.value(value).name);
  draft_.statements.push_back({compute_type(graph_.type(value).dtype), name, text});
  return name;
}

std::string FunctorBuilder::local(const std::string& type, const std::string& wanted, const std::string& text) {
  const std::string name = names_.take(wanted);
  draft_.statements.push_back({type, name, text});
  return name;
}

std::string FunctorBuilder::member(const std::string& type, const std::string& wanted, const std::string& initial) {
  const std::string name = names_.take(wanted);
  draft_.members.push_back({type, name, initial});
  return name;
}

std::string FunctorBuilder::load(ir::ValueId value, const AffineIndex& index) {
  const std::string pointer = graph_.value(value).name;
  // Two loads of one tensor at different places share the pointer only when their offsets agree: give each its own.
  const std::string name = names_.take(pointer);
  draft_.accesses.push_back({.value = value, .pointer = name, .local = name, .index = index});
  return fmt::format("<#{}>", draft_.accesses.size() - 1);
}

std::string FunctorBuilder::position(const AffineIndex& index, const std::string& wanted) {
  draft_.positions.push_back(index);
  draft_.position_names.push_back(names_.take(wanted));
  return fmt::format("<@{}>", draft_.positions.size() - 1);
}

Result<std::string> FunctorBuilder::value(ir::ValueId value, const IndexMap& map) {
  bool is_bound_elsewhere = false;
  for (const Known& known : known_) {
    if (known.value == value) {
      if (domain_.same_place(known.map, map)) {
        return known.text;
      }
      is_bound_elsewhere = is_bound_elsewhere || known.is_bound;
    }
  }
  const std::string& name = graph_.value(value).name;
  if (is_bound_elsewhere) {
    return failure(ErrorCode::kUnsupportedOperator, name + " is needed at another position than it is made at");
  }
  std::string text;
  if (group_.computes(value)) {
    const ir::Node& node = graph_.node(graph_.value(value).producer);
    STITCH_ASSIGN(text, compute(value, node, map));
  } else {
    text = load(value, linear_index(domain_.current(map), graph_.type(value).shape));
  }
  known_.push_back({value, map, text, false});
  return text;
}

Result<std::string> FunctorBuilder::compute(ir::ValueId value, const ir::Node& node, const IndexMap& map) {
  if (is_view(node)) {
    return through_view(node, map);
  }
  if (node.op == ir::Op::kFull) {
    return scalar_full(value, node);
  }
  if (node.op == ir::Op::kArange) {
    return counted(value, node, map);
  }
  if (node.op == ir::Op::kTril || node.op == ir::Op::kTriu) {
    return triangle(value, node, map);
  }
  if (node.op == ir::Op::kPad) {
    return padded(value, node, map);
  }
  if (is_random(node)) {
    return drawn(value, node, map);
  }
  if (is_look_up(node)) {
    return looked_up(node, map);
  }
  if (!is_elementwise(node)) {
    return failure(ErrorCode::kUnsupportedOperator,
                   graph_.value(value).name + " comes from " + to_string(node.op) + ", which has a kernel of its own",
                   node.place);
  }
  return pointwise(value, node, map);
}

Result<std::string> FunctorBuilder::through_view(const ir::Node& node, const IndexMap& map) {
  const ir::ValueId operand = ir::tensor_operand(node, 0);
  if (node.op == ir::Op::kReshape && !group_.computes(operand)) {
    // In memory the elements are in the same order under either shape.
    return load(operand, linear_index(domain_.current(map), graph_.type(node.outputs[0]).shape));
  }
  const auto operand_map = view_operand_map(graph_, node, map, domain_);
  if (!operand_map.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("{} cannot be looked through as a {}", graph_.value(operand).name, to_string(node.op)),
                   node.place);
  }
  return value(operand, *operand_map);
}

Result<std::string> FunctorBuilder::pointwise(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  std::vector<std::string> operands;
  const std::vector<int64_t>& shape = graph_.type(value_id).shape;
  STITCH_TRY(check_expression(graph_, node));
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (!ir::is_tensor(node.operands[i])) {
      operands.push_back(scalar_operand(graph_, node, i, step_));
      continue;
    }
    const ir::ValueId operand = std::get<ir::ValueId>(node.operands[i]);
    STITCH_ASSIGN(const std::string text, value(operand, broadcast(map, shape, graph_.type(operand).shape)));
    operands.push_back(text);
  }
  STITCH_ASSIGN(const std::string text, expression(graph_, node, operands, step_));
  return local(value_id, text);
}

std::string FunctorBuilder::scalar_full(ir::ValueId value, const ir::Node& node) {
  const ir::Scalar scalar = ir::double_attribute(node, "value");
  const DataType dtype = graph_.type(value).dtype;
  const std::string& name = graph_.value(value).name;
  const double number = ir::double_attribute(node, "value");
  if (dtype == DataType::kInt64 && std::abs(number) > 1.0) {  // an extent, which may follow the batch
    return member("int64_t", name, step_.extent(name, static_cast<int64_t>(number)));
  }
  const std::string text = literal(scalar, dtype);
  return speaks_for_itself(scalar) ? text : step_.constant(compute_type(dtype), name, text);
}

std::string FunctorBuilder::counted(ir::ValueId value, const ir::Node& node, const IndexMap& map) {
  const std::string& name = graph_.value(value).name;
  const DataType dtype = graph_.type(value).dtype;
  const std::string at = position(map[0], name + "_position");
  const auto named = [&](const char* attribute) {
    const ir::Scalar scalar = ir::double_attribute(node, attribute);
    const std::string text = literal(scalar, dtype);
    return speaks_for_itself(scalar) ? text : step_.constant(compute_type(dtype), name + "_" + attribute, text);
  };
  const std::string count = is_floating_point(dtype) ? fmt::format("static_cast<{}>({})", compute_type(dtype), at) : at;
  return local(value, fmt::format("{} + {} * {}", named("start"), count, named("step")));
}

Result<std::string> FunctorBuilder::triangle(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  const std::string& name = graph_.value(value_id).name;
  const size_t rank = map.size();
  STITCH_ASSIGN(const std::string element, value(ir::tensor_operand(node, 0), map));
  const std::string row = position(map[rank - 2], name + "_row");
  const std::string column = position(map[rank - 1], name + "_column");
  const ir::Scalar diagonal = ir::int_attribute(node, "diagonal");
  const std::string number = int_literal(std::get<int64_t>(diagonal));
  const std::string limit =
      speaks_for_itself(diagonal) ? number : step_.constant("int64_t", name + "_diagonal", number);
  const std::string zero = literal(ir::Scalar{0.0}, graph_.type(value_id).dtype);
  return local(value_id, fmt::format("{} - {} {} {} ? {} : {}", column, row,
                                     node.op == ir::Op::kTril ? "<=" : ">=", limit, element, zero));
}

void FunctorBuilder::store(ir::ValueId value, const AffineIndex& index, const std::string& text) {
  const std::string name = graph_.value(value).name;
  const std::string pointer = names_.take(name + "_out");
  draft_.accesses.push_back(
      {.value = value, .pointer = pointer, .local = pointer, .index = index, .is_store = true, .text = text});
  stored_.push_back(value);
}

std::optional<IndexMap> FunctorBuilder::pushed(const ir::Node& node, const std::map<ir::ValueId, IndexMap>& maps) {
  const ir::ValueId output = node.outputs[0];
  for (const ir::Operand& operand : node.operands) {
    if (!ir::is_tensor(operand)) {
      continue;
    }
    const ir::ValueId source = std::get<ir::ValueId>(operand);
    const auto found = maps.find(source);
    if (found == maps.end()) {
      continue;
    }
    if (is_view(node)) {
      return view_result_map(graph_, node, domain_.current(found->second), domain_);
    }
    if (is_elementwise(node) && !is_look_up(node) && graph_.type(source).shape == graph_.type(output).shape) {
      return found->second;
    }
  }
  return std::nullopt;
}

Result<void> FunctorBuilder::store_results() {
  std::map<ir::ValueId, IndexMap> maps;
  for (const Known& known : known_) {
    if (known.is_bound) {
      maps[known.value] = known.map;
    }
  }
  for (const ir::NodeId id : group_.nodes) {
    const ir::Node& node = graph_.node(id);
    if (maps.count(node.outputs[0]) > 0) {
      continue;
    }
    if (auto map = pushed(node, maps)) {
      maps[node.outputs[0]] = *map;
    }
  }
  for (const ir::ValueId result : group_.results) {
    STITCH_TRY(store_result(result, maps));
  }
  return {};
}

// A reshape whose map is not affine still has its elements in the order of what it reshapes: that is stored instead.
Result<void> FunctorBuilder::store_result(ir::ValueId result, const std::map<ir::ValueId, IndexMap>& maps) {
  ir::ValueId source = result;
  while (maps.count(source) == 0 && group_.computes(source) &&
         graph_.node(graph_.value(source).producer).op == ir::Op::kReshape) {
    source = ir::tensor_operand(graph_.node(graph_.value(source).producer), 0);
  }
  const auto map = maps.find(source);
  if (map == maps.end()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   graph_.value(result).name + " is not made element by element from the step's own result");
  }
  STITCH_ASSIGN(const std::string text, value(source, map->second));
  store(result, linear_index(domain_.current(map->second), graph_.type(source).shape), text);
  return {};
}

FunctorText FunctorBuilder::finish(const FunctorShape& shape) const {
  FunctorDraft draft = draft_;
  for (Access& access : draft.accesses) {
    access.index = domain_.current(IndexMap{access.index})[0];
  }
  for (AffineIndex& index : draft.positions) {
    index = domain_.current(IndexMap{index})[0];
  }
  return write_functor(step_, name_, domain_, coordinates_, std::move(draft), shape);
}

}  // namespace stitch::kernels
