// SPDX-License-Identifier: Apache-2.0
// Products of one operand with several weights (queries, keys and values) are one product with the weights side by
// side, which prepare() puts there: it fills the device where each alone leaves it half empty, and reads the operand
// once. Each result is a range of its columns, the same sums as before.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/group/group.h"
#include "plan/rewrite/copied_operands.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::NodeId;
using ir::Op;
using ir::ValueId;

using Family = std::vector<NodeId>;  // products that may be one, in the graph's order

bool is_weight(const ir::Graph& graph, const ir::Operand& operand) {
  return ir::is_tensor(operand) && kernels::is_parameter(graph, std::get<ValueId>(operand));
}

bool has_bias(const ir::Node& product) { return product.op == Op::kLinear && ir::is_tensor(product.operands[2]); }

// The nodes that read each value.
std::vector<std::vector<NodeId>> readers_by_value(const ir::Graph& graph) {
  std::vector<std::vector<NodeId>> readers(graph.values.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ir::Operand& operand : graph.nodes[i].operands) {
      if (ir::is_tensor(operand)) {
        readers[static_cast<size_t>(std::get<ValueId>(operand).index)].push_back({static_cast<int32_t>(i)});
      }
    }
  }
  return readers;
}

class ProductFamilies {
 public:
  explicit ProductFamilies(const ir::Graph& graph) : graph_(graph), readers_(readers_by_value(graph)) {}

  std::vector<Family> find() const {
    std::map<std::tuple<Op, ValueId, bool>, Family> by_operand;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      if (is_mergeable(node)) {
        by_operand[{node.op, ir::tensor_operand(node, 0), has_bias(node)}].push_back({static_cast<int32_t>(i)});
      }
    }
    std::vector<Family> families;
    for (auto& [key, family] : by_operand) {
      if (family.size() > 1) {
        families.push_back(std::move(family));
      }
    }
    return families;
  }

  // The nodes that read `value`, or what views show of it.
  std::vector<NodeId> readers_of(ValueId value) const {
    std::vector<NodeId> found;
    for (const NodeId reader : readers_[static_cast<size_t>(value.index)]) {
      const ir::Node& node = graph_.node(reader);
      if (!kernels::is_view(node)) {
        found.push_back(reader);
        continue;
      }
      const std::vector<NodeId> further = readers_of(node.outputs[0]);
      found.insert(found.end(), further.begin(), further.end());
    }
    return found;
  }

 private:
  // Of one matrix that the program is given for good, with a result that has to be read from memory anyhow.
  bool is_mergeable(const ir::Node& node) const {
    if ((node.op != Op::kLinear && node.op != Op::kMatmul) || !is_weight(graph_, node.operands[1]) ||
        (has_bias(node) && !is_weight(graph_, node.operands[2]))) {
      return false;
    }
    const ValueId x = ir::tensor_operand(node, 0);
    return graph_.type(ir::tensor_operand(node, 1)).shape.size() == 2 && graph_.type(x).shape.size() > 1 &&
           !kernels::is_parameter(graph_, x) && is_read_apart(node.outputs[0]);
  }

  // Whether nothing reads `value` as the product leaves it, element by element: that is done before it is written, or
  // it is written where it is wanted; neither can be done to a range of it.
  bool is_read_apart(ValueId value) const {
    const auto is_it = [&](const ir::GraphOutput& output) { return output.value == value; };
    if (std::any_of(graph_.outputs.begin(), graph_.outputs.end(), is_it)) {
      return false;
    }
    const std::vector<NodeId>& readers = readers_[static_cast<size_t>(value.index)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      const ir::Node& node = graph_.node(reader);
      return node.op == Op::kReshape ? is_read_apart(node.outputs[0]) : !takes_part(node);
    });
  }

  // Whether the step that `node` is in may have its product in it: pointwise work, a concatenation, and a recurrent
  // layer below another one, which are one step with their products.
  bool takes_part(const ir::Node& node) const {
    const ir::OpDef* def = ir::find_op(node.op);
    if (def == nullptr || def->family != ir::OpFamily::kRecurrent) {
      return def == nullptr || def->family == ir::OpFamily::kPointwise || node.op == Op::kCat;
    }
    const std::vector<NodeId> readers = readers_of(node.outputs[0]);
    return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return graph_.node(reader).op == Op::kLinear || graph_.node(reader).op == Op::kMatmul;
    });
  }

  const ir::Graph& graph_;
  std::vector<std::vector<NodeId>> readers_;
};

// The graph with each of `families` as one product. `made`, if not null, takes the new node of each old one.
class Merging {
 public:
  Merging(const ir::Graph& from, std::map<NodeId, NodeId>* made) : from_(from), copy_(from), made_(made) {}

  Result<ir::Graph> run(const std::vector<Family>& families) {
    std::map<NodeId, const Family*> family_of;
    for (const Family& family : families) {
      for (const NodeId product : family) {
        family_of[product] = &family;
      }
    }
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      const NodeId id{static_cast<int32_t>(i)};
      const auto found = family_of.find(id);
      if (found == family_of.end()) {
        STITCH_TRY(copy_.keep(from_.nodes[i]));
        if (made_ != nullptr) {
          (*made_)[id] = NodeId{static_cast<int32_t>(copy_.graph().nodes.size()) - 1};
        }
      } else if (id == found->second->front()) {
        STITCH_TRY(merge(*found->second));
      }
    }
    return copy_.finish();
  }

 private:
  Result<void> merge(const Family& family) {
    const ir::Node& first = from_.node(family.front());
    NodeChain chain(copy_, from_.value(first.outputs[0]).name, first.location);
    const bool is_linear = first.op == Op::kLinear;
    const int64_t columns_axis = is_linear ? 0 : 1;  // of a weight
    std::vector<ir::Operand> operands = {copy_.mapped(ir::tensor_operand(first, 0)),
                                         side_by_side(chain, family, 1, columns_axis, "_merged_weight")};
    if (is_linear) {
      operands.push_back(has_bias(first) ? ir::Operand{side_by_side(chain, family, 2, 0, "_merged_bias")}
                                         : ir::Operand{ir::Absent{}});
    }
    const ValueId merged = chain.add(first.op, operands, "_merged", first.attributes);
    const auto last = static_cast<int64_t>(from_.type(first.outputs[0]).shape.size()) - 1;
    int64_t start = 0;
    for (const NodeId product : family) {
      const ValueId result = from_.node(product).outputs[0];
      const int64_t end = start + from_.type(result).shape.back();
      NodeChain own(copy_, from_.value(result).name, from_.node(product).location);
      copy_.replace(result, own.add(Op::kSlice, {merged}, "",
                                    {{"dim", last}, {"start", start}, {"end", end}, {"step", int64_t{1}}}));
      STITCH_TRY(own.result());
      start = end;
    }
    return chain.result();
  }

  ValueId side_by_side(NodeChain& chain, const Family& family, size_t operand, int64_t axis, const char* suffix) {
    std::vector<ir::Operand> parts;
    for (const NodeId product : family) {
      parts.push_back(copy_.mapped(ir::tensor_operand(from_.node(product), operand)));
    }
    return chain.add(Op::kCat, parts, suffix, {{"dim", axis}});
  }

  const ir::Graph& from_;
  GraphCopy copy_;
  std::map<NodeId, NodeId>* made_;
};

// Whether whatever reads the products of `family` reads their ranges of the merged one where they lie.
bool is_read_in_place(const ir::Graph& graph, const ProductFamilies& families, const Family& family) {
  std::map<NodeId, NodeId> made;
  const auto tried = Merging(graph, &made).run({family});
  if (!tried.has_value()) {
    return false;
  }
  return std::all_of(family.begin(), family.end(), [&](NodeId product) {
    const std::vector<NodeId> readers = families.readers_of(graph.node(product).outputs[0]);
    return std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
      return copied_operands(*tried, made.at(reader)).size() <= copied_operands(graph, reader).size();
    });
  });
}

}  // namespace

Result<ir::Graph> merge_products(const ir::Graph& graph) {
  const ProductFamilies found(graph);
  std::vector<Family> families = found.find();
  std::erase_if(families, [&](const Family& family) { return !is_read_in_place(graph, found, family); });
  return families.empty() ? Result<ir::Graph>(graph) : Merging(graph, nullptr).run(families);
}

}  // namespace stitch::plan
