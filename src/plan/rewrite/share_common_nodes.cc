// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

size_t mixed(size_t hash, size_t more) { return hash * 31 + more; }

struct NumberHash {
  size_t operator()(bool value) const { return value ? 1 : 0; }
  size_t operator()(int64_t value) const { return std::hash<int64_t>()(value); }
  size_t operator()(double value) const { return std::hash<double>()(value); }  // one for 0 and -0, which are equal
  size_t operator()(const std::string& value) const { return std::hash<std::string>()(value); }
  size_t operator()(DataType value) const { return static_cast<size_t>(value); }
  template <typename Number>
  size_t operator()(const std::vector<Number>& values) const {
    size_t hash = values.size();
    for (const Number value : values) {
      hash = mixed(hash, (*this)(value));
    }
    return hash;
  }
};

// Equal for nodes that are the same.
size_t hash_of(const ir::Node& node) {
  size_t hash = static_cast<size_t>(node.op);
  for (const ir::Operand& operand : node.operands) {
    if (const ir::ValueId* value = std::get_if<ir::ValueId>(&operand)) {
      hash = mixed(hash, static_cast<size_t>(value->index));
    } else if (const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand)) {
      hash = mixed(hash, std::visit(NumberHash(), *scalar));
    }
  }
  for (const auto& [name, value] : node.attributes) {
    hash = mixed(hash, std::visit(NumberHash(), value));
  }
  return hash;
}

bool is_same(const ir::Node& a, const ir::Node& b) {
  return a.op == b.op && a.operands == b.operands && a.attributes == b.attributes;
}

}  // namespace

Result<ir::Graph> share_common_nodes(const ir::Graph& graph) {
  GraphCopy copy(graph);
  std::unordered_map<size_t, std::vector<size_t>> known;  // by hash, in the graph's order
  for (const ir::Node& node : graph.nodes) {
    const ir::Node wanted = copy.mapped(node);
    std::vector<size_t>& alike = known[hash_of(wanted)];
    const auto same = std::find_if(alike.begin(), alike.end(),
                                   [&](size_t index) { return is_same(copy.graph().nodes[index], wanted); });
    if (same == alike.end()) {
      alike.push_back(copy.graph().nodes.size());
      STITCH_TRY(copy.keep(node));
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      copy.replace(node.outputs[i], copy.graph().nodes[*same].outputs[i]);
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
