// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/functor_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/graph/op.h"
#include "kernels/expression/expression.h"
#include "kernels/lowering/views.h"

namespace stitch::kernels {

FunctorBuilder::FunctorBuilder(StepBuilder& step, std::string name, Domain domain, std::vector<Coordinate> coordinates)
    : step_(step),
      group_(step.group()),
      graph_(*step.group().graph),
      domain_(std::move(domain)),
      coordinates_(std::move(coordinates)),
      draft_{.name = step.type_name(name)} {
  for (const Coordinate& coordinate : coordinates_) {
    names_.take(coordinate.name);
  }
  for (const char* word : {"lane", "lanes", "kLanes", "result", "value", "values", "accumulator", "accumulators",
                           "total", "totals", "apply", "score", "index"}) {
    names_.take(word);
  }
}

void FunctorBuilder::bind(ir::ValueId value, const IndexMap& map, Expr known) {
  known_.push_back({value, map, std::move(known), true});
}

void FunctorBuilder::bind_computation(ir::ValueId value, const IndexMap& map, Expr computed) {
  known_.push_back({value, map, local(value, std::move(computed)), true});
}

Result<void> FunctorBuilder::bind_computed(ir::ValueId bound, const IndexMap& map) {
  STITCH_ASSIGN(Expr element, value(bound, map));
  known_.push_back({bound, map, std::move(element), true});
  return {};
}

Expr FunctorBuilder::local(ir::ValueId value, Expr computed) {
  return local(to_string(compute_type(graph_.type(value).dtype)), graph_.value(value).name, std::move(computed));
}

Expr FunctorBuilder::local(const std::string& type, const std::string& wanted, Expr value) {
  const std::string name = names_.take(wanted);
  draft_.statements.push_back({type, name, std::move(value)});
  return named(name);
}

Expr FunctorBuilder::member(const std::string& type, const std::string& wanted, Expr initial) {
  const std::string name = names_.take(wanted);
  draft_.members.push_back({type, name, std::move(initial)});
  return named(name);
}

Expr FunctorBuilder::load(ir::ValueId value, const AffineIndex& index) {
  // Two loads of one tensor at different places share the pointer only when their offsets agree: give each its own.
  draft_.accesses.push_back({.value = value, .name = names_.take(graph_.value(value).name), .index = index});
  return load_of(draft_.accesses.size() - 1);
}

Expr FunctorBuilder::position(const AffineIndex& index, const std::string& wanted) {
  draft_.positions.push_back({names_.take(wanted), index});
  return position_of(draft_.positions.size() - 1);
}

Result<Expr> FunctorBuilder::value(ir::ValueId value, const IndexMap& map) {
  bool is_bound_elsewhere = false;
  for (const Known& known : known_) {
    if (known.value == value) {
      if (domain_.same_place(known.map, map)) {
        return known.element;
      }
      is_bound_elsewhere = is_bound_elsewhere || known.is_bound;
    }
  }
  const std::string& name = graph_.value(value).name;
  if (is_bound_elsewhere) {
    return failure(ErrorCode::kUnsupportedOperator, name + " is needed at another position than it is made at");
  }
  Expr element;
  if (group_.computes(value)) {
    const ir::Node& node = graph_.node(graph_.value(value).producer);
    STITCH_ASSIGN(element, compute(value, node, map));
  } else {
    element = load(value, linear_index(domain_.current(map), graph_.type(value).shape));
  }
  known_.push_back({value, map, element, false});
  return element;
}

Result<Expr> FunctorBuilder::compute(ir::ValueId value, const ir::Node& node, const IndexMap& map) {
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
                   node.location);
  }
  return pointwise(value, node, map);
}

Result<Expr> FunctorBuilder::through_view(const ir::Node& node, const IndexMap& map) {
  const ir::ValueId operand = ir::tensor_operand(node, 0);
  if (node.op == ir::Op::kReshape && !group_.computes(operand)) {
    // In memory the elements are in the same order under either shape.
    return load(operand, linear_index(domain_.current(map), graph_.type(node.outputs[0]).shape));
  }
  const auto operand_map = view_operand_map(graph_, node, map, domain_);
  if (!operand_map.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("{} cannot be looked through as a {}", graph_.value(operand).name, to_string(node.op)),
                   node.location);
  }
  return value(operand, *operand_map);
}

// Neither part is known already, or comes from another step.
bool FunctorBuilder::is_made_here(const Mish& mish) const {
  const bool is_known = std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
    return known.value == mish.softplus || known.value == mish.tanh;
  });
  return !is_known && group_.computes(mish.softplus) && group_.computes(mish.tanh);
}

Result<Expr> FunctorBuilder::pointwise(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  std::vector<Expr> operands;
  const std::vector<int64_t>& shape = graph_.type(value_id).shape;
  STITCH_TRY(check_expression(graph_, node));
  if (const std::optional<Mish> mish = mish_of(graph_, node); mish.has_value() && is_made_here(*mish)) {
    STITCH_ASSIGN(Expr x, value(mish->x, map));
    return local(value_id, call("stitch::mish", {std::move(x)}));
  }
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (!ir::is_tensor(node.operands[i])) {
      operands.push_back(scalar_operand(graph_, node, i, step_));
      continue;
    }
    const ir::ValueId operand = std::get<ir::ValueId>(node.operands[i]);
    STITCH_ASSIGN(Expr element, value(operand, broadcast(map, shape, graph_.type(operand).shape)));
    operands.push_back(std::move(element));
  }
  STITCH_ASSIGN(Expr computed, expression(graph_, node, operands, step_));
  return local(value_id, std::move(computed));
}

Expr FunctorBuilder::constant(const std::string& wanted, const Literal& value) {
  return speaks_for_itself(value.value) ? literal_expr(value) : step_.constant(wanted, value);
}

Expr FunctorBuilder::scalar_full(ir::ValueId value, const ir::Node& node) {
  const DataType dtype = graph_.type(value).dtype;
  const std::string& name = graph_.value(value).name;
  const double number = ir::double_attribute(node, "value");
  if (dtype == DataType::kInt64 && std::abs(number) > 1.0) {  // an extent, which may follow the batch
    return member("int64_t", name, step_.extent(name, static_cast<int64_t>(number)));
  }
  return constant(name, literal(number, dtype));
}

Expr FunctorBuilder::counted(ir::ValueId value, const ir::Node& node, const IndexMap& map) {
  const std::string& name = graph_.value(value).name;
  const DataType dtype = graph_.type(value).dtype;
  const Expr at = position(map[0], name + "_position");
  const auto number = [&](const char* attribute) {
    return constant(name + "_" + attribute, literal(ir::double_attribute(node, attribute), dtype));
  };
  const Expr step = number("step");
  const Expr count = is_floating_point(dtype) ? cast(to_string(compute_type(dtype)), at) : at;
  return local(value, sum(number("start"), product(count, step)));
}

Result<Expr> FunctorBuilder::triangle(ir::ValueId value_id, const ir::Node& node, const IndexMap& map) {
  const std::string& name = graph_.value(value_id).name;
  const size_t rank = map.size();
  STITCH_ASSIGN(Expr element, value(ir::tensor_operand(node, 0), map));
  const Expr row = position(map[rank - 2], name + "_row");
  const Expr column = position(map[rank - 1], name + "_column");
  const Expr limit = constant(name + "_diagonal", int_literal(ir::int_attribute(node, "diagonal")));
  const Expr distance = binary(BinaryOp::kSubtract, column, row);
  const bool keeps_lower = node.op == ir::Op::kTril;
  return local(value_id, select(binary(keeps_lower ? BinaryOp::kLessEqual : BinaryOp::kGreaterEqual, distance, limit),
                                std::move(element), literal_expr(literal(0.0, graph_.type(value_id).dtype))));
}

void FunctorBuilder::store(ir::ValueId value, const AffineIndex& index, Expr stored) {
  draft_.accesses.push_back({.value = value,
                             .name = names_.take(graph_.value(value).name + "_out"),
                             .index = index,
                             .is_store = true,
                             .stored = std::move(stored)});
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

Result<void> FunctorBuilder::store_results(const std::vector<ir::ValueId>& results) {
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
  for (const ir::ValueId result : results) {
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
  STITCH_ASSIGN(Expr element, value(source, map->second));
  if (const InWhole* place = group_.place_of(result)) {
    return store_in_whole(result, *place, source == result ? &map->second : nullptr, std::move(element));
  }
  store(result, linear_index(domain_.current(map->second), graph_.type(source).shape), std::move(element));
  return {};
}

// In whichever memory the part lies, the text is the same: axes before that of the concatenation are walked apart.
Result<void> FunctorBuilder::store_in_whole(ir::ValueId part, const InWhole& place, const IndexMap* map, Expr element) {
  if (map == nullptr) {
    return failure(ErrorCode::kUnsupportedOperator, graph_.value(part).name + " is stored in another shape");
  }
  std::vector<int64_t> wider = graph_.type(part).shape;
  ++wider[place.axis];
  store(part, linear_index(domain_.current(*map), group_.memory_shape(part)), std::move(element));
  draft_.accesses.back().apart = linear_index(domain_.current(*map), wider);
  return {};
}

LoweredFunctor FunctorBuilder::finish(const FunctorShape& shape) const {
  FunctorDraft draft = draft_;
  for (DraftAccess& access : draft.accesses) {
    access.index = domain_.current(IndexMap{access.index})[0];
    access.apart = domain_.current(IndexMap{access.apart})[0];
  }
  for (DraftPosition& position : draft.positions) {
    position.index = domain_.current(IndexMap{position.index})[0];
  }
  return lower_functor(step_, domain_, coordinates_, draft, shape);
}

}  // namespace stitch::kernels
