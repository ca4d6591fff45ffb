// SPDX-License-Identifier: Apache-2.0
#include "plan/recurrence/chain.h"

#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "plan/recurrence/producers.h"

namespace stitch::plan {
namespace {

using ir::NodeId;
using ir::Operand;
using ir::ValueId;

// One node as a step of some chain, and the results of an earlier node that it starts from.
struct PossibleStep {
  Chain chain;                // of this step alone
  std::vector<ValueId> from;  // the states, seen through reshapes
};

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph), users_(graph.values.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const Operand& operand : graph.nodes[i].operands) {
        if (const ValueId* value = std::get_if<ValueId>(&operand)) {
          users_[static_cast<size_t>(value->index)].push_back(NodeId{static_cast<int32_t>(i)});
        }
      }
    }
    is_output_.assign(graph.values.size(), false);
    for (const ir::GraphOutput& output : graph.outputs) {
      is_output_[static_cast<size_t>(output.value.index)] = true;
    }
  }

  std::optional<Chain> find() {
    find_possible_steps();
    link();
    for (const auto& [node, possible] : possible_steps_) {
      Chain chain = grown(possible);
      if (chain.steps.size() > 1) {
        return chain;
      }
    }
    return std::nullopt;
  }

 private:
  void find_possible_steps() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const NodeId id{static_cast<int32_t>(i)};
      std::optional<PossibleStep> found = layer(id);
      if (!found.has_value()) {
        found = written_out(id);
      }
      if (found.has_value()) {
        possible_steps_.emplace(id, std::move(*found));
      }
    }
  }

  // A recurrent layer of one direction.
  std::optional<PossibleStep> layer(NodeId id) const {
    const ir::Node& node = graph_.node(id);
    const bool has_cell = node.op == ir::Op::kLstmLayer;
    if (!has_cell && node.op != ir::Op::kGruLayer && node.op != ir::Op::kRnnLayer) {
      return std::nullopt;
    }
    const size_t weight = has_cell ? 3 : 2;
    if (ir::is_tensor(node.operands[weight + 2])) {
      return std::nullopt;
    }
    PossibleStep found;
    found.chain.steps = {{id, ir::tensor_operand(node, 0)}};
    found.chain.op = node.op;
    found.chain.attributes = node.attributes;
    for (size_t state = 1; state < weight; ++state) {
      found.chain.states.push_back(ir::tensor_operand(node, state));
      found.from.push_back(through_reshapes(graph_, found.chain.states.back()));
    }
    found.chain.weight = ir::tensor_operand(node, weight);
    found.chain.bias = node.operands[weight + 1];
    return found;
  }

  bool is_linear(const Operand& operand) const {
    const ir::Node* node = ir::is_tensor(operand) ? producer_of(graph_, std::get<ValueId>(operand)) : nullptr;
    return node != nullptr && node->op == ir::Op::kLinear;
  }

  // act(linear(x) + linear(state)); which of the two is the state's is known once an earlier step is.
  std::optional<PossibleStep> written_out(NodeId id) const {
    const ir::Node& node = graph_.node(id);
    if (node.op != ir::Op::kTanh && node.op != ir::Op::kRelu) {
      return std::nullopt;
    }
    const ir::Node* sum = producer_of(graph_, ir::tensor_operand(node, 0));
    if (sum == nullptr || sum->op != ir::Op::kAdd || !is_linear(sum->operands[0]) || !is_linear(sum->operands[1])) {
      return std::nullopt;
    }
    for (const size_t of_state : {size_t{1}, size_t{0}}) {
      const ir::Node& linear = *producer_of(graph_, ir::tensor_operand(*sum, of_state));
      const ValueId gates = ir::tensor_operand(*sum, 1 - of_state);
      const ValueId state = ir::tensor_operand(linear, 0);
      const bool fits = graph_.type(state) == graph_.type(node.outputs[0]) &&
                        graph_.type(gates) == graph_.type(node.outputs[0]) && graph_.type(gates).shape.size() == 2;
      const bool goes_on = is_step_like(through_reshapes(graph_, state), node.op);
      if (fits && (goes_on || starts_chain(node, linear))) {
        PossibleStep found;
        found.chain = {{{id, gates}},
                       true,
                       ir::Op::kRnnLayer,
                       {{"nonlinearity", std::string(to_string(node.op))}},
                       {state},
                       {},
                       {},
                       {}};
        found.chain.weight = ir::tensor_operand(linear, 1);
        found.chain.bias = linear.operands[2];
        found.from = {through_reshapes(graph_, state)};
        return found;
      }
    }
    return std::nullopt;
  }

  bool is_step_like(ValueId value, ir::Op act) const {
    const ir::Node* node = producer_of(graph_, value);
    return node != nullptr && node->op == act && possible_steps_.count(graph_.value(value).producer) > 0;
  }

  // Whether the result goes into a linear with the weights of `of_state`: that of the next step's state.
  bool starts_chain(const ir::Node& node, const ir::Node& of_state) const {
    const auto& users = users_[static_cast<size_t>(node.outputs[0].index)];
    return std::any_of(users.begin(), users.end(), [&](NodeId user) {
      const ir::Node& next = graph_.node(user);
      return next.op == ir::Op::kLinear && next.operands[1] == of_state.operands[1] &&
             next.operands[2] == of_state.operands[2];
    });
  }

  static bool is_one_layer(const Chain& a, const Chain& b) {
    return a.op == b.op && a.is_written_out == b.is_written_out && a.attributes == b.attributes &&
           a.weight == b.weight && a.bias == b.bias;
  }

  // The state that `earlier` ended with, where that is what `later` starts from.
  bool follows(const PossibleStep& earlier, const PossibleStep& later) const {
    const ir::Node& node = graph_.node(earlier.chain.steps[0].node);
    if (earlier.chain.is_written_out) {
      return later.from[0] == node.outputs[0];
    }
    const bool is_one_step = graph_.type(earlier.chain.steps[0].gates).shape[0] == 1;
    const bool has_hidden = later.from[0] == node.outputs[1] || (is_one_step && later.from[0] == node.outputs[0]);
    return has_hidden && (later.from.size() == 1 || later.from[1] == node.outputs[2]);
  }

  void link() {
    for (const auto& [node, later] : possible_steps_) {
      const NodeId before = graph_.value(later.from[0]).producer;
      const auto earlier = possible_steps_.find(before);
      if (earlier != possible_steps_.end() && is_one_layer(earlier->second.chain, later.chain) &&
          follows(earlier->second, later)) {
        next_.emplace(before, node);  // the first of several
      }
    }
  }

  // By node: whether it needs a result of `first`.
  std::vector<bool> dependents(NodeId first) const {
    std::vector<bool> depends(graph_.nodes.size(), false);
    depends[static_cast<size_t>(first.index)] = true;
    for (size_t i = static_cast<size_t>(first.index) + 1; i < graph_.nodes.size(); ++i) {
      const auto& operands = graph_.nodes[i].operands;
      depends[i] = std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
        return ir::is_tensor(operand) && needs(depends, std::get<ValueId>(operand));
      });
    }
    return depends;
  }
  bool needs(const std::vector<bool>& depends, ValueId value) const {
    const NodeId id = graph_.value(value).producer;
    return id.is_valid() && depends[static_cast<size_t>(id.index)];
  }

  // Whether nobody but `reader` sees `value`, directly or reshaped.
  bool is_read_by_alone(ValueId value, NodeId reader) const {
    if (is_output_[static_cast<size_t>(value.index)]) {
      return false;
    }
    const auto& users = users_[static_cast<size_t>(value.index)];
    return std::all_of(users.begin(), users.end(), [&](NodeId user) {
      const ir::Node& node = graph_.node(user);
      return user == reader || (node.op == ir::Op::kReshape && is_read_by_alone(node.outputs[0], reader));
    });
  }

  Chain grown(const PossibleStep& first) const {
    Chain chain = first.chain;
    auto next = next_.find(chain.steps[0].node);
    if (next == next_.end()) {
      return chain;
    }
    chain.depends = dependents(chain.steps[0].node);
    for (; next != next_.end(); next = next_.find(next->second)) {
      const TimeStep& step = possible_steps_.at(next->second).chain.steps[0];
      const ir::Node& last = graph_.node(chain.steps.back().node);
      const bool keeps_cell = chain.states.size() == 1 || is_read_by_alone(last.outputs[2], step.node);
      if (needs(chain.depends, step.gates) || !keeps_cell) {
        break;
      }
      chain.steps.push_back(step);
    }
    return chain;
  }

  const ir::Graph& graph_;
  std::vector<std::vector<NodeId>> users_;
  std::vector<bool> is_output_;
  std::map<NodeId, PossibleStep> possible_steps_;
  std::map<NodeId, NodeId> next_;
};

}  // namespace

std::optional<Chain> find_chain(const ir::Graph& graph) { return Finder(graph).find(); }

}  // namespace stitch::plan
