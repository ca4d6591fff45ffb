// SPDX-License-Identifier: Apache-2.0
// Turns the fused part of a group into the body of one functor. It starts at the element that the kernel skeleton works
// on (a map over the domain's loops) and follows its value back through views and pointwise operators to memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/expression/expression.h"
#include "kernels/lowering/digits.h"
#include "kernels/lowering/lower_functor.h"

namespace stitch::kernels {

class FunctorBuilder {
 public:
  // The last coordinate is the one neighbouring lanes lie along.
  FunctorBuilder(StepBuilder& step, std::string name, Domain domain, std::vector<Coordinate> coordinates);

  Domain& domain() { return domain_; }
  // Reserves a name that the skeleton's own parameters have.
  void reserve(const std::string& name) { names_.take(name); }

  // Records that `known`, which the skeleton, value() or look_up() made, is the element of `value` at `map`.
  void bind(ir::ValueId value, const IndexMap& map, Expr known);
  // The same for a number that is computed from the skeleton's: `computed` becomes a local.
  void bind_computation(ir::ValueId value, const IndexMap& map, Expr computed);
  // Computes `value` at `map` in the functor itself, and makes results from it.
  Result<void> bind_computed(ir::ValueId value, const IndexMap& map);
  // The element of `value` at `map`. Fails with a reason when it cannot be computed there.
  Result<Expr> value(ir::ValueId value, const IndexMap& map);
  // An element of `table` (in memory, perhaps seen through views): where `map` leads, but along `axis` at `row`. `map`
  // has an unused entry for that axis.
  Result<Expr> look_up(ir::ValueId table, const IndexMap& map, size_t axis, const Expr& row);
  // The same with a place of its own along several axes.
  struct LookedUpPlace {
    size_t axis = 0;
    Expr place;
  };
  Result<Expr> look_up(ir::ValueId table, IndexMap map, const std::vector<LookedUpPlace>& places);
  // A further local: `const type name = value;`.
  Expr local(const std::string& type, const std::string& wanted, Expr value);
  // A further member of the functor, set by the host.
  Expr member(const std::string& type, const std::string& wanted, Expr initial);
  void store(ir::ValueId value, const AffineIndex& index, Expr stored);
  // Computes all values that follow from the bound ones, and stores the group's results, or some of them. Every one
  // must be among them, at most once each.
  Result<void> store_results() { return store_results(group_.results); }
  Result<void> store_results(const std::vector<ir::ValueId>& results);

  const std::vector<ir::ValueId>& stored() const { return stored_; }
  LoweredFunctor finish(const FunctorShape& shape) const;

 private:
  struct Known {
    ir::ValueId value;
    IndexMap map;
    Expr element;
    bool is_bound = false;
  };
  Result<Expr> compute(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Result<Expr> through_view(const ir::Node& node, const IndexMap& map);
  Result<Expr> pointwise(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  bool is_made_here(const Mish& mish) const;
  Result<Expr> triangle(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Result<Expr> looked_up(const ir::Node& node, const IndexMap& map);
  Result<Expr> padded(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Expr drawn(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Expr shown_place(const ir::Node& node, const Expr& place, const Expr& extent, const std::string& wanted);
  Expr counted(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  // A number, or the name of a constant of the step.
  Expr constant(const std::string& wanted, const Literal& value);
  Expr scalar_full(ir::ValueId value, const ir::Node& node);
  Expr load(ir::ValueId value, const AffineIndex& index);
  Expr local(ir::ValueId value, Expr computed);
  Expr position(const AffineIndex& index, const std::string& wanted);
  Result<void> store_result(ir::ValueId result, const std::map<ir::ValueId, IndexMap>& maps);
  Result<void> store_in_whole(ir::ValueId part, const InWhole& place, const IndexMap* map, Expr element);
  std::optional<IndexMap> pushed(const ir::Node& node, const std::map<ir::ValueId, IndexMap>& maps);

  StepBuilder& step_;
  const Group& group_;
  const ir::Graph& graph_;
  Domain domain_;
  std::vector<Coordinate> coordinates_;
  std::vector<Known> known_;
  std::vector<ir::ValueId> stored_;
  NameTable names_;
  FunctorDraft draft_;
};

}  // namespace stitch::kernels
