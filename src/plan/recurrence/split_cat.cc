// SPDX-License-Identifier: Apache-2.0
#include "plan/recurrence/split_cat.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "ir/graph/op.h"
#include "plan/recurrence/producers.h"
#include "plan/rewrite/graph_copy.h"

namespace stitch::plan {
namespace {

using ir::NodeId;
using ir::Operand;
using ir::ValueId;

// A linear of two tensors side by side.
struct Cell {
  NodeId linear;
  std::array<ValueId, 2> parts;
  int64_t boundary = 0;  // columns of the weight that belong to the first part
  size_t state = 0;      // which part is the state
};

// What cells of one layer have in common: weight, bias (invalid where there is none), boundary, state.
using Layer = std::tuple<ValueId, ValueId, int64_t, size_t>;

class CellFinder {
 public:
  explicit CellFinder(const ir::Graph& graph) : graph_(graph) {}

  // By linear: the cells that belong to a layer of at least two, of which one starts from the other's result.
  std::map<NodeId, Cell> repeated() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      add(NodeId{static_cast<int32_t>(i)});
    }
    std::map<NodeId, Cell> result;
    for (const auto& [layer, cells] : layers_) {
      if (chained_.count(layer) > 0) {
        for (const Cell& cell : cells) {
          result.emplace(cell.linear, cell);
        }
      }
    }
    return result;
  }

 private:
  // The cell that ends with this activation. A part of it may be what an earlier cell of the layer ended with.
  void add(NodeId id) {
    const ir::Node& act = graph_.node(id);
    if (act.op != ir::Op::kTanh && act.op != ir::Op::kRelu) {
      return;
    }
    const NodeId linear = graph_.value(ir::tensor_operand(act, 0)).producer;
    std::optional<Cell> cell = linear.is_valid() ? cell_of(linear) : std::nullopt;
    if (!cell.has_value()) {
      return;
    }
    const ir::Node& node = graph_.node(linear);
    const ValueId* bias = std::get_if<ValueId>(&node.operands[2]);
    for (cell->state = 0; cell->state < 2; ++cell->state) {
      const ValueId state = cell->parts[cell->state];
      if (graph_.type(state).shape != graph_.type(act.outputs[0]).shape) {
        continue;
      }
      const Layer layer{ir::tensor_operand(node, 1), bias == nullptr ? ValueId{} : *bias, cell->boundary, cell->state};
      layers_[layer].push_back(*cell);
      if (ends_.count({layer, through_reshapes(graph_, state)}) > 0) {
        chained_.insert(layer);
      }
      ends_.insert({layer, act.outputs[0]});
    }
  }

  std::optional<Cell> cell_of(NodeId id) const {
    const ir::Node& linear = graph_.node(id);
    const ir::Node* cat = linear.op == ir::Op::kLinear ? producer_of(graph_, ir::tensor_operand(linear, 0)) : nullptr;
    if (cat == nullptr || cat->op != ir::Op::kCat || cat->operands.size() != 2) {
      return std::nullopt;
    }
    Cell cell{id, {ir::tensor_operand(*cat, 0), ir::tensor_operand(*cat, 1)}};
    const auto& shape = graph_.type(cell.parts[0]).shape;
    if (shape.size() != 2 || ir::int_attribute(*cat, "dim") != 1) {
      return std::nullopt;
    }
    cell.boundary = shape[1];
    return cell;
  }

  const ir::Graph& graph_;
  std::map<Layer, std::vector<Cell>> layers_;
  std::set<std::pair<Layer, ValueId>> ends_;  // results of cells
  std::set<Layer> chained_;
};

class Splitter {
 public:
  Splitter(const ir::Graph& graph, std::map<NodeId, Cell> cells)
      : graph_(graph), cells_(std::move(cells)), copy_(graph) {}

  Result<ir::Graph> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto cell = cells_.find(NodeId{static_cast<int32_t>(i)});
      STITCH_TRY(cell == cells_.end() ? copy_.keep(graph_.nodes[i]) : split(graph_.nodes[i], cell->second));
    }
    return copy_.finish();
  }

 private:
  Result<void> split(const ir::Node& node, const Cell& cell) {
    const std::string& name = graph_.value(node.outputs[0]).name;
    const ValueId weight = ir::tensor_operand(node, 1);
    const int64_t columns = graph_.type(weight).shape[1];
    STITCH_ASSIGN(const ValueId first_weight, columns_of(weight, 0, cell.boundary));
    STITCH_ASSIGN(const ValueId second_weight, columns_of(weight, cell.boundary, columns));
    const Operand bias =
        ir::is_tensor(node.operands[2]) ? Operand(copy_.mapped(std::get<ValueId>(node.operands[2]))) : node.operands[2];
    // The bias goes with the input's share, which is computed for all steps at once.
    const auto bias_of = [&](size_t part) { return part == cell.state ? Operand(ir::Absent{}) : bias; };
    STITCH_ASSIGN(const ValueId first, linear(node, cell.parts[0], first_weight, bias_of(0)));
    STITCH_ASSIGN(const ValueId second, linear(node, cell.parts[1], second_weight, bias_of(1)));
    STITCH_ASSIGN(const ValueId sum, copy_.add({ir::Op::kAdd, {first, second}, {}, {}, node.location}, name));
    copy_.replace(node.outputs[0], sum);
    return {};
  }

  Result<ValueId> linear(const ir::Node& node, ValueId part, ValueId weight, const Operand& bias) {
    return copy_.add({ir::Op::kLinear, {copy_.mapped(part), weight, bias}, {}, {}, node.location},
                     graph_.value(part).name + "_share");
  }

  // One node for all cells, so that their weights are one value.
  Result<ValueId> columns_of(ValueId weight, int64_t begin, int64_t end) {
    const auto made = columns_.find({weight, begin});
    if (made != columns_.end()) {
      return made->second;
    }
    STITCH_ASSIGN(const ValueId columns,
                  copy_.add({ir::Op::kSlice,
                             {copy_.mapped(weight)},
                             {{"dim", int64_t{1}}, {"start", begin}, {"end", end}, {"step", int64_t{1}}},
                             {},
                             {}},
                            graph_.value(weight).name + "_columns"));
    columns_.emplace(std::pair(weight, begin), columns);
    return columns;
  }

  const ir::Graph& graph_;
  const std::map<NodeId, Cell> cells_;
  GraphCopy copy_;
  std::map<std::pair<ValueId, int64_t>, ValueId> columns_;
};

}  // namespace

Result<ir::Graph> split_cats_of_states(const ir::Graph& graph) {
  std::map<NodeId, Cell> cells = CellFinder(graph).repeated();
  return cells.empty() ? graph : Splitter(graph, std::move(cells)).run();
}

}  // namespace stitch::plan
