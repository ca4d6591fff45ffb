// SPDX-License-Identifier: Apache-2.0
// Turns the fused part of a group into the body of one functor: values are pulled, from the place where the kernel
// skeleton stands (a map over the domain's loops) back through views and pointwise operators to memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/lowering/digits.h"
#include "kernels/lowering/functor_text.h"

namespace stitch::kernels {

class FunctorBuilder {
 public:
  // The last coordinate is the one neighbouring lanes lie along.
  FunctorBuilder(StepBuilder& step, std::string name, Domain domain, std::vector<Coordinate> coordinates);

  Domain& domain() { return domain_; }
  // Keeps a name that the skeleton's own parameters have from being given to anything else.
  void reserve(const std::string& name) { names_.take(name); }

  // What the skeleton hands in: `value` at `map` is this text (one of `lanes[lane]` where lanes are taken).
  void bind(ir::ValueId value, const IndexMap& map, const std::string& scalar_text, const std::string& lane_text);
  // The same, where the skeleton's number still has to be worked on.
  void bind_expression(ir::ValueId value, const IndexMap& map, const std::string& text);
  // The same, for a text made by value() or look_up().
  void bind_text(ir::ValueId value, const IndexMap& map, const std::string& text);
  // Makes `value`, computed at `map` in the functor itself, what results are made from.
  Result<void> bind_computed(ir::ValueId value, const IndexMap& map);
  // The text of `value` at `map`. Fails with a reason when it cannot be had there.
  Result<std::string> value(ir::ValueId value, const IndexMap& map);
  // An element of `table` (in memory, perhaps seen through views): where `map` leads, but along `axis` at `row`, an
  // expression. `map` has an unused entry for that axis.
  Result<std::string> look_up(ir::ValueId table, const IndexMap& map, size_t axis, const std::string& row);
  // The same with a place of its own along several axes.
  struct LookedUpPlace {
    size_t axis = 0;
    std::string text;
  };
  Result<std::string> look_up(ir::ValueId table, IndexMap map, const std::vector<LookedUpPlace>& places);
  // A further local: `const type name = text;`.
  std::string local(const std::string& type, const std::string& wanted, const std::string& text);
  // A further member of the functor, set by the host.
  std::string member(const std::string& type, const std::string& wanted, const std::string& initial);
  void store(ir::ValueId value, const AffineIndex& index, const std::string& text);
  // Where each value computed from the bound ones stands, and their stores: all of the group's results must be among
  // them, at most once each.
  Result<void> store_results();

  const std::vector<ir::ValueId>& stored() const { return stored_; }
  FunctorText finish(const FunctorShape& shape) const;

 private:
  struct Known {
    ir::ValueId value;
    IndexMap map;
    std::string text;
    bool is_bound = false;
  };
  Result<std::string> compute(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Result<std::string> through_view(const ir::Node& node, const IndexMap& map);
  Result<std::string> pointwise(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Result<std::string> triangle(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  Result<std::string> looked_up(const ir::Node& node, const IndexMap& map);
  Result<std::string> padded(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  std::string drawn(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  std::string shown_place(const ir::Node& node, const std::string& place, const std::string& extent,
                          const std::string& wanted);
  std::string counted(ir::ValueId value, const ir::Node& node, const IndexMap& map);
  std::string scalar_full(ir::ValueId value, const ir::Node& node);
  std::string load(ir::ValueId value, const AffineIndex& index);
  std::string local(ir::ValueId value, const std::string& text);
  std::string position(const AffineIndex& index, const std::string& wanted);
  Result<void> store_result(ir::ValueId result, const std::map<ir::ValueId, IndexMap>& maps);
  std::optional<IndexMap> pushed(const ir::Node& node, const std::map<ir::ValueId, IndexMap>& maps);

  StepBuilder& step_;
  const Group& group_;
  const ir::Graph& graph_;
  Domain domain_;
  std::vector<Coordinate> coordinates_;
  std::vector<Known> known_;
  std::vector<ir::ValueId> stored_;
  std::string name_;
  NameTable names_;
  FunctorDraft draft_;
};

}  // namespace stitch::kernels
