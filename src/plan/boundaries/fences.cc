// SPDX-License-Identifier: Apache-2.0
#include "plan/boundaries/fences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "ir/graph/op.h"
#include "kernels/group/group.h"

namespace stitch::plan {
namespace {

constexpr const char* kPlanFile = "plan.json";

Unexpected refused_boundary(std::string message, std::string remedy = {}) {
  return failure(ErrorCode::kFileInvalid, std::move(message), kPlanFile, std::move(remedy));
}

// Nodes as a graph of their own: who reads whom.
class NodeLinks {
 public:
  explicit NodeLinks(const ir::Graph& graph) : graph_(graph), readers_(graph.nodes.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ir::NodeId made : makers(id(i))) {
        readers_[index(made)].insert(id(i));
      }
    }
  }

  std::set<ir::NodeId> makers(ir::NodeId node) const {
    std::set<ir::NodeId> made;
    for (const ir::Operand& operand : graph_.node(node).operands) {
      if (ir::is_tensor(operand)) {
        made.insert(graph_.value(std::get<ir::ValueId>(operand)).producer);
      }
    }
    made.erase(ir::NodeId{});
    return made;
  }
  const std::set<ir::NodeId>& readers(ir::NodeId node) const { return readers_[index(node)]; }
  const std::string& name(ir::NodeId node) const { return graph_.value(graph_.node(node).outputs[0]).name; }
  bool is_view(ir::NodeId node) const { return kernels::is_view(graph_.node(node)); }
  static size_t index(ir::NodeId node) { return static_cast<size_t>(node.index); }
  static ir::NodeId id(size_t i) { return ir::NodeId{static_cast<int32_t>(i)}; }
  size_t size() const { return readers_.size(); }

 private:
  const ir::Graph& graph_;
  std::vector<std::set<ir::NodeId>> readers_;
};

// What lies between nodes of `group` and not within it: it needs one of them and another needs it.
std::set<ir::NodeId> between(const NodeLinks& links, const std::set<ir::NodeId>& group) {
  std::vector<bool> follows(links.size(), false);
  for (size_t i = 0; i < links.size(); ++i) {
    for (const ir::NodeId made : links.makers(links.id(i))) {
      follows[i] = follows[i] || follows[links.index(made)] || group.count(made) > 0;
    }
  }
  std::vector<bool> leads(links.size(), false);
  std::set<ir::NodeId> found;
  for (size_t i = links.size(); i-- > 0;) {
    for (const ir::NodeId reader : links.readers(links.id(i))) {
      leads[i] = leads[i] || leads[links.index(reader)] || group.count(reader) > 0;
    }
    if (follows[i] && leads[i] && group.count(links.id(i)) == 0) {
      found.insert(links.id(i));
    }
  }
  return found;
}

// Orders all nodes so that those of a boundary stand in a row; what is left over waits for itself.
class Orderer {
 public:
  Orderer(const NodeLinks& links, const std::vector<int>& of) : links_(links) {
    std::map<int, size_t> units;
    for (size_t i = 0; i < links.size(); ++i) {
      const auto [found, is_new] = of[i] < 0 ? std::pair(units.end(), true) : units.emplace(of[i], nodes_.size());
      if (is_new) {
        nodes_.emplace_back();
      }
      unit_of_.push_back(of[i] < 0 || is_new ? nodes_.size() - 1 : found->second);
      nodes_[unit_of_[i]].push_back(links.id(i));
    }
  }

  // Fewer than all nodes where some wait for each other.
  std::vector<ir::NodeId> run() {
    std::vector<std::set<size_t>> needed(nodes_.size());
    std::vector<std::set<size_t>> readers(nodes_.size());
    for (size_t i = 0; i < links_.size(); ++i) {
      for (const ir::NodeId made : links_.makers(links_.id(i))) {
        if (const size_t unit = unit_of_[links_.index(made)]; unit != unit_of_[i]) {
          needed[unit_of_[i]].insert(unit);
          readers[unit].insert(unit_of_[i]);
        }
      }
    }
    std::set<size_t> ready;
    for (size_t unit = 0; unit < nodes_.size(); ++unit) {
      if (needed[unit].empty()) {
        ready.insert(unit);
      }
    }
    std::vector<ir::NodeId> order;
    while (!ready.empty()) {
      const size_t unit = *ready.begin();
      ready.erase(ready.begin());
      order.insert(order.end(), nodes_[unit].begin(), nodes_[unit].end());
      for (const size_t reader : readers[unit]) {
        needed[reader].erase(unit);
        if (needed[reader].empty()) {
          ready.insert(reader);
        }
      }
    }
    return order;
  }

 private:
  const NodeLinks& links_;
  std::vector<std::vector<ir::NodeId>> nodes_;  // by unit: a boundary or a node beside all; in the graph's order
  std::vector<size_t> unit_of_;                 // by node
};

std::map<std::string_view, ir::NodeId> nodes_by_name(const ir::Graph& graph) {
  std::map<std::string_view, ir::NodeId> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    nodes[graph.value(graph.nodes[i].outputs[0]).name] = ir::NodeId{static_cast<int32_t>(i)};
  }
  return nodes;
}

// Written code reads what a step gets; numbers that are drawn come by other ways.
Result<void> check_written(const ir::Graph& graph, const Boundary& boundary, const std::set<ir::NodeId>& nodes) {
  for (const ir::NodeId node : nodes) {
    if (boundary.written.has_value() && kernels::is_random(graph.node(node))) {
      return refused_boundary(fmt::format("a written step cannot draw random numbers, as {} does",
                                          graph.value(graph.node(node).outputs[0]).name),
                              "leave that node to the expert");
    }
  }
  return {};
}

Result<std::set<ir::NodeId>> nodes_within(const ir::Graph& graph, const NodeLinks& links, const Boundary& boundary) {
  static constexpr size_t kShown = 3;
  const std::map<std::string_view, ir::NodeId> by_name = nodes_by_name(graph);
  std::set<ir::NodeId> nodes;
  for (const std::string& name : boundary.nodes) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) {
      return refused_boundary(fmt::format("a boundary names no node of the graph: {}", name),
                              "name nodes by their first output, as the plan's graph does");
    }
    nodes.insert(found->second);
  }
  if (nodes.empty()) {
    return refused_boundary("a boundary has no nodes");
  }
  std::string others;
  size_t count = 0;
  for (const ir::NodeId node : between(links, nodes)) {
    if (links.is_view(node)) {
      continue;
    }
    others += ++count > kShown ? "" : fmt::format("{}{}", others.empty() ? "" : ", ", links.name(node));
  }
  if (count > 0) {
    return refused_boundary(
        fmt::format("the nodes of a step must be convex: {}{} between {} and {}, and not with them", others,
                    count > 1 ? " lie" : " lies", boundary.nodes.front(), boundary.nodes.back()),
        "add what lies between, or make two steps of them");
  }
  nodes.merge(between(links, nodes));
  STITCH_TRY(check_written(graph, boundary, nodes));
  return nodes;
}

}  // namespace

Result<Fences> Fences::find(const ir::Graph& graph, const std::vector<Boundary>& boundaries) {
  Fences fences;
  fences.of_.assign(graph.nodes.size(), -1);
  if (boundaries.empty()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      fences.order_.push_back(NodeLinks::id(i));
    }
    return fences;
  }
  const NodeLinks links(graph);
  for (const Boundary& boundary : boundaries) {
    STITCH_ASSIGN(std::set<ir::NodeId> nodes, nodes_within(graph, links, boundary));
    for (const ir::NodeId node : nodes) {
      int& of = fences.of_[links.index(node)];
      if (of >= 0) {
        return refused_boundary(fmt::format("{} is in two boundaries", links.name(node)), "give it to one of them");
      }
      of = static_cast<int>(fences.nodes_.size());
    }
    fences.nodes_.push_back(std::move(nodes));
    fences.written_.push_back(boundary.written.has_value());
  }
  fences.order_ = Orderer(links, fences.of_).run();
  if (fences.order_.size() < graph.nodes.size()) {
    const std::set<ir::NodeId> done(fences.order_.begin(), fences.order_.end());
    std::string waiting;
    for (size_t i = 0; i < boundaries.size(); ++i) {
      if (done.count(*fences.nodes_[i].begin()) == 0) {
        waiting += fmt::format("{}{}", waiting.empty() ? "" : " and ", boundaries[i].nodes.front());
      }
    }
    return refused_boundary(fmt::format("the steps of {} need each other's results", waiting),
                            "draw their boundaries so that one can run before the other");
  }
  return fences;
}

}  // namespace stitch::plan
