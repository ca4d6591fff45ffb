// SPDX-License-Identifier: Apache-2.0
#include "agents/planner/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text/edit_distance.h"
#include "ir/text/printer.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxDistance = 3;
constexpr int kNobody = -1;

class Checker {
 public:
  Checker(const PlanVersion& plan, const ir::Graph& graph) : plan_(plan), graph_(graph) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const ir::NodeId id{static_cast<int32_t>(i)};
      nodes_[node_name(graph, id)] = id;
    }
    owners_.assign(graph.nodes.size(), kNobody);
  }

  Complaints check() {
    take_nodes();
    for (void (Checker::*check)() : {&Checker::check_left_out, &Checker::check_order, &Checker::check_contracts}) {
      if (complaints_.empty()) {  // the later ones would repeat what follows from the earlier
        (this->*check)();
      }
    }
    return std::move(complaints_);
  }

 private:
  std::string named(size_t sub_task) const {
    return fmt::format("sub-task {} ({})", sub_task + 1, plan_.sub_tasks[sub_task].name);
  }
  void complain(std::string sentence) {
    if (complaints_.size() < kMaxComplaints) {
      complaints_.push_back(std::move(sentence));
    }
  }
  std::string nearest(const std::string& name) const {
    std::string best;
    size_t distance = kMaxDistance + 1;
    for (const auto& [known, id] : nodes_) {
      if (const size_t here = edit_distance(name, known); here < distance) {
        distance = here;
        best = fmt::format("; did you mean \"{}\"?", known);
      }
    }
    return best;
  }
  void take_nodes();
  void take_node(size_t sub_task, const std::string& name);
  void check_left_out();
  void check_order();
  void check_contracts();

  const PlanVersion& plan_;
  const ir::Graph& graph_;
  std::map<std::string, ir::NodeId> nodes_;
  std::vector<int> owners_;  // by node: its sub-task
  Complaints complaints_;
};

void Checker::take_node(size_t sub_task, const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) {
    return complain(
        fmt::format("{} names a node \"{}\", which the graph does not have{}", named(sub_task), name, nearest(name)));
  }
  int& owner = owners_[static_cast<size_t>(found->second.index)];
  if (owner != kNobody) {
    return complain(
        fmt::format("node {} belongs to {} and to {}", name, named(static_cast<size_t>(owner)), named(sub_task)));
  }
  owner = static_cast<int>(sub_task);
}

void Checker::take_nodes() {
  bool has_host = false;
  for (size_t i = 0; i < plan_.sub_tasks.size(); ++i) {
    const SubTask& sub_task = plan_.sub_tasks[i];
    const bool is_host = sub_task.kind == SubTaskKind::kHost;
    if (is_host && std::exchange(has_host, true)) {
      complain(named(i) + " is the host's, and another one is already: there is one host side");
    }
    if (is_host != sub_task.nodes.empty()) {
      complain(named(i) + (is_host ? " is the host's and has nodes" : " is a step without nodes"));
    }
    for (const std::string& name : sub_task.nodes) {
      take_node(i, name);
    }
  }
}

void Checker::check_left_out() {
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (owners_[i] == kNobody) {
      complain(fmt::format("node {} belongs to no sub-task", node_name(graph_, {static_cast<int32_t>(i)})));
    }
  }
}

// Sub-tasks are taken away one after another once nothing that is left comes before them; those that stay are a circle.
void Checker::check_order() {
  std::map<int, std::map<int, std::string>> before;  // sub-task -> those that it needs, with a value that is needed
  std::set<int> left;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const int user = owners_[i];
    left.insert(user);
    for (const ir::Operand& operand : graph_.nodes[i].operands) {
      const auto* value = std::get_if<ir::ValueId>(&operand);
      const ir::NodeId producer = value == nullptr ? ir::NodeId{} : graph_.value(*value).producer;
      const int owner = producer.is_valid() ? owners_[static_cast<size_t>(producer.index)] : user;
      if (owner != user && owner != kNobody && user != kNobody) {
        before[user].emplace(owner, graph_.value(*value).name);
      }
    }
  }
  const auto is_free = [&](int sub_task) {
    const auto& needed = before[sub_task];
    return std::none_of(needed.begin(), needed.end(), [&](const auto& each) { return left.contains(each.first); });
  };
  for (auto next = left.begin(); (next = std::find_if(left.begin(), left.end(), is_free)) != left.end();) {
    left.erase(next);
  }
  for (const int user : left) {
    for (const auto& [owner, value] : before[user]) {
      if (user < owner && left.contains(owner) && before[owner].contains(user)) {
        complain(fmt::format("{} and {} need each other: {} one way, {} the other", named(static_cast<size_t>(user)),
                             named(static_cast<size_t>(owner)), value, before[owner][user]));
      }
    }
  }
  if (!left.empty() && complaints_.empty()) {
    complain(
        fmt::format("{} needs what is made of its own results outside it", named(static_cast<size_t>(*left.begin()))));
  }
}

std::string without_spaces(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  return line;
}

void Checker::check_contracts() {
  for (size_t i = 0; i < plan_.sub_tasks.size(); ++i) {
    std::vector<ir::NodeId> group;
    for (size_t node = 0; node < owners_.size(); ++node) {
      if (owners_[node] == static_cast<int>(i)) {
        group.push_back({static_cast<int32_t>(node)});
      }
    }
    const auto holds = [](const std::vector<std::string>& lines, const std::string& line) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& each) { return without_spaces(each) == without_spaces(line); });
    };
    const std::vector<std::string> right = contract_of(graph_, group);
    const std::vector<std::string>& given = plan_.sub_tasks[i].contract;
    for (const std::string& line : right) {
      if (!holds(given, line)) {
        complain(fmt::format("the contract of {} lacks \"{}\"", named(i), line));
      }
    }
    for (const std::string& line : given) {
      if (!holds(right, line)) {
        complain(fmt::format("the contract of {} says \"{}\", which the graph does not", named(i), line));
      }
    }
  }
}

bool is_output(const ir::Graph& graph, ir::ValueId value) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const ir::GraphOutput& each) { return each.value == value; });
}

}  // namespace

const std::string& node_name(const ir::Graph& graph, ir::NodeId node) {
  return graph.value(graph.node(node).outputs.front()).name;
}

std::vector<std::string> contract_of(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
  const std::set<ir::NodeId> inside(nodes.begin(), nodes.end());
  std::vector<ir::ValueId> taken;
  std::set<ir::ValueId> used_outside;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::NodeId user{static_cast<int32_t>(i)};
    for (const ir::Operand& operand : graph.nodes[i].operands) {
      const auto* value = std::get_if<ir::ValueId>(&operand);
      if (value == nullptr) {
        continue;
      }
      const bool is_made_inside = inside.contains(graph.value(*value).producer);
      if (inside.contains(user) && !is_made_inside && std::find(taken.begin(), taken.end(), *value) == taken.end()) {
        taken.push_back(*value);
      }
      if (!inside.contains(user) && is_made_inside) {
        used_outside.insert(*value);
      }
    }
  }
  std::vector<std::string> lines;
  for (const ir::ValueId value : taken) {
    lines.push_back(fmt::format("takes {}: {}", graph.value(value).name, ir::print(graph.type(value))));
  }
  for (const ir::NodeId node : inside) {
    for (const ir::ValueId value : graph.node(node).outputs) {
      if (used_outside.contains(value) || is_output(graph, value)) {
        lines.push_back(fmt::format("gives {}: {}", graph.value(value).name, ir::print(graph.type(value))));
      }
    }
  }
  return lines;
}

Complaints complaints_about(const PlanVersion& plan, const ir::Graph& graph) { return Checker(plan, graph).check(); }

}  // namespace stitch::agents
