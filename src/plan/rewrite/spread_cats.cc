// SPDX-License-Identifier: Apache-2.0
// A dense block normalises all that it has made so far before each layer. Where nothing else reads it, it need not be
// put together: statistics of a part are the same wherever the part stands, and are taken once; what is normalised is
// read from the parts.
#include <algorithm>

#include "ir/graph/op.h"
#include "plan/rewrite/apart_cats.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

// The axis of the result of `reduction` that was `axis` of its operand.
int64_t axis_after(const ir::Node& reduction, int64_t axis) {
  if (ir::bool_attribute(reduction, "keepdim")) {
    return axis;
  }
  const std::vector<int64_t>& dims = ir::ints_attribute(reduction, "dim");
  return axis - std::count_if(dims.begin(), dims.end(), [&](int64_t dim) { return dim < axis; });
}

// Elements that one result of `reduction` is of.
int64_t reduced_elements(const ir::Graph& graph, const ir::Node& reduction) {
  int64_t count = 1;
  for (const int64_t dim : ir::ints_attribute(reduction, "dim")) {
    count *= graph.type(ir::tensor_operand(reduction, 0)).shape[static_cast<size_t>(dim)];
  }
  return count;
}

// A reduction of a concatenation along `axis` becomes the concatenation of the reductions of its parts. Variances are
// taken with one correction, so that a part needs one only, and scaled.
Result<void> spread(GraphCopy& copy, const ir::Graph& graph, const ir::Node& reduction,
                    const std::vector<ValueId>& parts, int64_t axis) {
  const std::string& name = graph.value(reduction.outputs[0]).name;
  NodeChain chain(copy, name, reduction.location);
  auto attributes = reduction.attributes;
  int64_t correction = 0;
  for (auto& [key, value] : attributes) {
    if (key == "correction") {
      correction = std::get<int64_t>(value);
      value = int64_t{0};
    }
  }
  std::vector<ir::Operand> reduced;
  for (const ValueId part : parts) {
    reduced.emplace_back(chain.add(reduction.op, {copy.mapped(part)}, "_of_" + graph.value(part).name, attributes));
  }
  const std::string together = correction == 0 ? "" : "_biased";
  ValueId made = chain.add(ir::Op::kCat, reduced, together, {{"dim", axis_after(reduction, axis)}});
  if (correction != 0) {
    const auto count = static_cast<double>(reduced_elements(graph, reduction));
    made = chain.add(ir::Op::kMul, {made, ir::Scalar{count / (count - static_cast<double>(correction))}}, "");
  }
  STITCH_TRY(chain.result());
  copy.replace(reduction.outputs[0], made);
  return {};
}

bool is_spread(const ir::Graph& graph, const ir::Node& node, const ApartCats& apart) {
  if (node.operands.empty() || !ir::is_tensor(node.operands[0]) || !apart.contains(ir::tensor_operand(node, 0))) {
    return false;
  }
  const ir::Node& cat = graph.node(graph.value(ir::tensor_operand(node, 0)).producer);
  const bool has_enough =
      node.op != ir::Op::kVar || reduced_elements(graph, node) > ir::int_attribute(node, "correction");
  return has_enough && is_reduction_beside(node, ir::int_attribute(cat, "dim"));
}

}  // namespace

Result<ir::Graph> spread_cats(const ir::Graph& graph) {
  const ApartCats apart(graph);
  GraphCopy copy(graph);
  bool is_changed = false;
  for (const ir::Node& node : graph.nodes) {
    if (is_spread(graph, node, apart)) {
      const ValueId cat = ir::tensor_operand(node, 0);
      STITCH_TRY(spread(copy, graph, node, apart.parts_of(cat),
                        ir::int_attribute(graph.node(graph.value(cat).producer), "dim")));
      is_changed = true;
      continue;
    }
    if (node.op != ir::Op::kCat) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    ir::Node flat = copy.mapped(node);
    flat.operands.clear();
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const ValueId part = ir::tensor_operand(node, i);
      const std::vector<ValueId> itself = {part};
      for (const ValueId one : apart.contains(part) ? apart.parts_of(part) : itself) {
        flat.operands.emplace_back(copy.mapped(one));
      }
    }
    is_changed = is_changed || flat.operands.size() != node.operands.size();
    STITCH_ASSIGN(const ValueId now, copy.add(std::move(flat), graph.value(node.outputs[0]).name));
    copy.replace(node.outputs[0], now);
  }
  ir::Graph spread = copy.finish();
  return is_changed ? share_common_nodes(spread) : Result<ir::Graph>(std::move(spread));
}

}  // namespace stitch::plan
