// SPDX-License-Identifier: Apache-2.0
#include "driver/written/step_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/group/group.h"

namespace stitch::driver {
namespace {

const std::string& first_name(const ir::Graph& graph, ir::NodeId node) {
  return graph.value(graph.node(node).outputs.front()).name;
}

std::set<std::string> names_among(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
  std::set<std::string> names;
  for (const ir::NodeId node : nodes) {
    names.insert(first_name(graph, node));
  }
  return names;
}

bool is_repeated(const ir::Node& node) { return kernels::is_view(node) || kernels::is_generated(node); }

// What makes a step the same one in two plans.
std::string identity_of(const plan::Plan& plan, const plan::Step& step) {
  std::string text = fmt::format("{} {} {}", step.skeleton, step.setting.variant, step.setting.splits);
  for (const ir::NodeId node : step.nodes) {
    text += " " + first_name(plan.graph, node);
  }
  return text;
}

// Nodes outside of `group` that read what `node` makes.
bool is_read_outside(const ir::Graph& graph, ir::NodeId node, const std::set<std::string>& group) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::NodeId user{static_cast<int32_t>(i)};
    const auto& operands = graph.nodes[i].operands;
    const bool reads = std::any_of(operands.begin(), operands.end(), [&](const ir::Operand& operand) {
      const auto* value = std::get_if<ir::ValueId>(&operand);
      return value != nullptr && graph.value(*value).producer == node;
    });
    if (reads && group.count(first_name(graph, user)) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::vector<ir::NodeId>> own_nodes(const plan::Plan& plan) {
  std::vector<bool> is_owned(plan.graph.nodes.size());
  std::vector<std::vector<ir::NodeId>> own(plan.steps.size());
  for (size_t i = 0; i < own.size(); ++i) {
    for (const ir::NodeId node : plan.steps[i].nodes) {
      if (!is_owned[static_cast<size_t>(node.index)]) {
        is_owned[static_cast<size_t>(node.index)] = true;
        own[i].push_back(node);
      }
    }
  }
  return own;
}

std::optional<size_t> step_with_nodes(const plan::Plan& plan, const std::vector<std::string>& nodes) {
  const std::set<std::string> asked(nodes.begin(), nodes.end());
  const std::vector<std::vector<ir::NodeId>> own = own_nodes(plan);
  for (size_t i = 0; i < plan.steps.size() && !asked.empty(); ++i) {
    const int boundary = plan.steps[i].boundary;
    const auto given = boundary < 0 ? std::vector<std::string>() : plan.boundaries[static_cast<size_t>(boundary)].nodes;
    if (names_among(plan.graph, own[i]) == asked || std::set<std::string>(given.begin(), given.end()) == asked) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<size_t> steps_among(const plan::Plan& plan, const std::vector<std::string>& nodes) {
  const std::set<std::string> asked(nodes.begin(), nodes.end());
  std::vector<size_t> found;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto& own = plan.steps[i].nodes;
    if (std::any_of(own.begin(), own.end(), [&](ir::NodeId node) {
          return !is_repeated(plan.graph.node(node)) && asked.count(first_name(plan.graph, node)) > 0;
        })) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<std::string> without_shared_views(const plan::Plan& plan, const std::vector<std::string>& nodes) {
  const ir::Graph& graph = plan.graph;
  std::set<std::string> kept(nodes.begin(), nodes.end());
  for (size_t i = graph.nodes.size(); i-- > 0;) {  // users first: of a chain of views none may be left over
    const ir::NodeId node{static_cast<int32_t>(i)};
    const ir::ValueId value = graph.nodes[i].outputs.front();
    const bool is_output = std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                       [&](const ir::GraphOutput& each) { return each.value == value; });
    if (is_repeated(graph.nodes[i]) && !is_output && is_read_outside(graph, node, kept)) {
      kept.erase(first_name(graph, node));
    }
  }
  std::vector<std::string> names;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(names),
               [&](const std::string& name) { return kept.count(name) > 0; });
  return names.empty() ? nodes : names;
}

std::map<size_t, size_t> kept_steps(const plan::Plan& before, const plan::Plan& after) {
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < before.steps.size(); ++i) {
    known[identity_of(before, before.steps[i])] = i;
  }
  std::map<size_t, size_t> kept;
  for (size_t i = 0; i < after.steps.size(); ++i) {
    if (const auto found = known.find(identity_of(after, after.steps[i])); found != known.end()) {
      kept[i] = found->second;
    }
  }
  return kept;
}

}  // namespace stitch::driver
