// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "ir/graph/op.h"
#include "plan/recurrence/chain.h"
#include "plan/recurrence/join_parts.h"
#include "plan/recurrence/split_cat.h"
#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::ValueId;
using Numbers = std::vector<int64_t>;

// Builds the graph anew with one layer in place of a chain: first what does not depend on the chain, then the layer,
// then the rest, each in the old order.
class Joiner {
 public:
  Joiner(const ir::Graph& graph, const Chain& chain) : graph_(graph), chain_(chain), copy_(graph) { find_wanted(); }

  Result<ir::Graph> run() {
    STITCH_TRY(keep_all(false));
    STITCH_TRY(add_layer());
    STITCH_TRY(keep_all(true));
    return copy_.finish();
  }

 private:
  bool is_step(size_t node) const { return steps_.count({static_cast<int32_t>(node)}) > 0; }

  // Values that the new graph needs: those that only the steps themselves needed are left out.
  void find_wanted() {
    wanted_.assign(graph_.values.size(), false);
    const auto want = [this](const Operand& operand) {
      if (const ValueId* value = std::get_if<ValueId>(&operand)) {
        wanted_[static_cast<size_t>(value->index)] = true;
      }
    };
    for (const ir::GraphOutput& output : graph_.outputs) {
      want(output.value);
    }
    for (const TimeStep& step : chain_.steps) {
      want(step.gates);
      steps_.insert(step.node);
    }
    std::for_each(chain_.states.begin(), chain_.states.end(), want);
    want(chain_.weight);
    want(chain_.bias);
    for (size_t i = graph_.nodes.size(); i > 0; --i) {
      const ir::Node& node = graph_.nodes[i - 1];
      if (!is_step(i - 1) && is_wanted(node)) {
        std::for_each(node.operands.begin(), node.operands.end(), want);
      }
    }
  }

  bool is_wanted(const ir::Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId output) { return wanted_[static_cast<size_t>(output.index)]; });
  }

  Result<void> keep_all(bool dependent) {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      if (chain_.depends[i] == dependent && !is_step(i) && is_wanted(node)) {
        STITCH_TRY(copy_.keep(node));
      }
    }
    return {};
  }

  const std::string& location() const { return graph_.node(chain_.steps.front().node).location; }

  Result<ValueId> reshaped(ValueId value, const Numbers& shape, const std::string& name) {
    if (copy_.graph().type(value).shape == shape) {
      return value;
    }
    return copy_.add({ir::Op::kReshape, {value}, {{"shape", shape}}, {}, location()}, name);
  }

  // Where a cell is written out its tensors lack the axis of time.
  Result<ValueId> with_time(ValueId old) {
    Numbers shape = graph_.type(old).shape;
    if (chain_.is_written_out) {
      shape.insert(shape.begin(), 1);
    }
    return reshaped(copy_.mapped(old), shape, graph_.value(old).name + "_step");
  }

  Result<void> add_layer() {
    ir::Node cat{ir::Op::kCat, {}, {{"dim", int64_t{0}}}, {}, location()};
    std::vector<int64_t> begins = {0};
    for (const TimeStep& step : chain_.steps) {
      STITCH_ASSIGN(const ValueId gates, with_time(step.gates));
      cat.operands.emplace_back(gates);
      begins.push_back(begins.back() + copy_.graph().type(gates).shape[0]);
    }
    const std::string name = graph_.value(graph_.node(chain_.steps.front().node).outputs[0]).name;
    STITCH_ASSIGN(const ValueId gates, copy_.add(std::move(cat), name + "_gates"));
    ir::Node layer{chain_.op, {gates}, chain_.attributes, {}, location()};
    for (const ValueId state : chain_.states) {
      STITCH_ASSIGN(const ValueId first, with_time(state));
      layer.operands.emplace_back(first);
    }
    layer.operands.emplace_back(copy_.mapped(chain_.weight));
    layer.operands.push_back(ir::is_tensor(chain_.bias) ? Operand(copy_.mapped(std::get<ValueId>(chain_.bias)))
                                                        : chain_.bias);
    layer.operands.insert(layer.operands.end(), 3, ir::Absent{});
    STITCH_ASSIGN(const std::vector<ValueId> results,
                  copy_.add_all(std::move(layer), {name + "_all_steps", name + "_last", name + "_last_cell"}));
    for (size_t i = 0; i < chain_.steps.size(); ++i) {
      STITCH_TRY(hand_out(i, results, begins[i], begins[i + 1]));
    }
    return {};
  }

  // The results of step `number`, which are times `begin` to `end` of the layer's.
  Result<void> hand_out(size_t number, const std::vector<ValueId>& results, int64_t begin, int64_t end) {
    const ir::Node& node = graph_.node(chain_.steps[number].node);
    STITCH_ASSIGN(const ValueId output, times(results[0], begin, end, node.outputs[0]));
    copy_.replace(node.outputs[0], output);
    if (chain_.is_written_out) {
      return {};
    }
    if (end - begin == 1) {
      copy_.replace(node.outputs[1], output);
    } else if (number + 1 == chain_.steps.size()) {
      copy_.replace(node.outputs[1], results[1]);
    } else {
      STITCH_ASSIGN(const ValueId last, times(results[0], end - 1, end, node.outputs[1]));
      copy_.replace(node.outputs[1], last);
    }
    if (chain_.states.size() == 2) {
      copy_.replace(node.outputs[2], results[2]);  // between steps nobody reads it
    }
    return {};
  }

  Result<ValueId> times(ValueId all, int64_t begin, int64_t end, ValueId old) {
    const std::string& name = graph_.value(old).name;
    ir::Node slice{ir::Op::kSlice,
                   {all},
                   {{"dim", int64_t{0}}, {"start", begin}, {"end", end}, {"step", int64_t{1}}},
                   {},
                   location()};
    STITCH_ASSIGN(const ValueId part, copy_.add(std::move(slice), name));
    return reshaped(part, graph_.type(old).shape, name + "_flat");
  }

  const ir::Graph& graph_;
  const Chain& chain_;
  GraphCopy copy_;
  std::vector<bool> wanted_;
  std::set<ir::NodeId> steps_;
};

}  // namespace

Result<ir::Graph> join_time_steps(const ir::Graph& graph) {
  STITCH_ASSIGN(ir::Graph result, split_cats_of_states(graph));
  bool is_joined = false;
  for (std::optional<Chain> chain = find_chain(result); chain.has_value(); chain = find_chain(result)) {
    is_joined = true;
    STITCH_ASSIGN(result, Joiner(result, *chain).run());
    // What was computed for each step is computed for all: the next layer of a stack then sees one sequence.
    STITCH_ASSIGN(result, join_parts(result));
    STITCH_ASSIGN(result, remove_dead_code(result));
  }
  return is_joined ? std::move(result) : graph;
}

}  // namespace stitch::plan
