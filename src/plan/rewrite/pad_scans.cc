// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using Users = std::map<ir::ValueId, std::vector<const ir::Node*>>;

Users users_of(const ir::Graph& graph) {
  Users users;
  for (const ir::Node& node : graph.nodes) {
    for (const ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        users[std::get<ir::ValueId>(operand)].push_back(&node);
      }
    }
  }
  return users;
}

bool is_output(const ir::Graph& graph, ir::ValueId value) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const ir::GraphOutput& output) { return output.value == value; });
}

// Whether scans alone read the value, as it is or sliced.
bool is_scanned_only(const ir::Graph& graph, const Users& users, ir::ValueId value, bool may_be_sliced) {
  const auto found = users.find(value);
  return found != users.end() && !is_output(graph, value) &&
         std::all_of(found->second.begin(), found->second.end(), [&](const ir::Node* user) {
           return ir::find_op(user->op)->family == ir::OpFamily::kScan ||
                  (may_be_sliced && user->op == ir::Op::kSlice &&
                   is_scanned_only(graph, users, user->outputs[0], false));
         });
}

ir::Node pad_node(ir::ValueId x, size_t rank, size_t axis, int64_t before, int64_t after, double value,
                  const std::string& location) {
  std::vector<int64_t> befores(rank, 0);
  std::vector<int64_t> afters(rank, 0);
  befores[axis] = before;
  afters[axis] = after;
  return {ir::Op::kPad,
          {x},
          {{"before", befores}, {"after", afters}, {"mode", std::string("constant")}, {"value", value}},
          {},
          location};
}

// cat(full, x), for `node` of the new graph.
std::optional<ir::Node> pad_for_cat(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != ir::Op::kCat || node.operands.size() != 2) {
    return std::nullopt;
  }
  const ir::NodeId first = graph.value(ir::tensor_operand(node, 0)).producer;
  if (!first.is_valid() || graph.node(first).op != ir::Op::kFull) {
    return std::nullopt;
  }
  const std::vector<int64_t>& shape = graph.type(ir::tensor_operand(node, 0)).shape;
  const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
  return pad_node(ir::tensor_operand(node, 1), shape.size(), axis, shape[axis], 0,
                  ir::double_attribute(graph.node(first), "value"), node.location);
}

// The beginning of such a pad, for `node` of the new graph.
std::optional<ir::Node> pad_for_slice(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != ir::Op::kSlice || ir::int_attribute(node, "start") != 0 || ir::int_attribute(node, "step") != 1) {
    return std::nullopt;
  }
  const ir::ValueId whole = ir::tensor_operand(node, 0);
  const ir::NodeId producer = graph.value(whole).producer;
  if (!producer.is_valid() || graph.node(producer).op != ir::Op::kPad ||
      ir::string_attribute(graph.node(producer), "mode") != "constant") {
    return std::nullopt;
  }
  const ir::Node& pad = graph.node(producer);
  const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
  const int64_t before = ir::ints_attribute(pad, "before")[axis];
  const std::vector<int64_t>& shape = graph.type(whole).shape;
  const int64_t end = ir::int_attribute(node, "end");
  if (before == 0 || ir::ints_attribute(pad, "after")[axis] != 0 || end <= before || end > shape[axis]) {
    return std::nullopt;
  }
  return pad_node(ir::tensor_operand(pad, 0), shape.size(), axis, before, end - shape[axis],
                  ir::double_attribute(pad, "value"), node.location);
}

// The value a scan of one element leaves every later one with.
std::optional<double> identity_of(ir::Op op) {
  return op == ir::Op::kCumsum ? std::optional(0.0) : op == ir::Op::kCumprod ? std::optional(1.0) : std::nullopt;
}

// What is scanned when cat(full, scan(x)) becomes scan(pad(x)), for `node` of the new graph: the full is one element
// that changes no result.
std::optional<ir::Node> pad_under_scan(const ir::Graph& graph, const ir::Node& node) {
  std::optional<ir::Node> pad = pad_for_cat(graph, node);
  const ir::NodeId producer = graph.value(ir::tensor_operand(node, 1)).producer;
  if (!pad.has_value() || !producer.is_valid()) {
    return std::nullopt;
  }
  const ir::Node& scan = graph.node(producer);
  const int64_t dim = ir::int_attribute(node, "dim");
  const auto axis = static_cast<size_t>(dim);
  const std::optional<double> identity = identity_of(scan.op);
  if (!identity || ir::double_attribute(*pad, "value") != *identity || ir::int_attribute(scan, "dim") != dim ||
      ir::ints_attribute(*pad, "before")[axis] != 1) {
    return std::nullopt;
  }
  const ir::ValueId scanned = ir::tensor_operand(scan, 0);
  const size_t rank = graph.type(scanned).shape.size();
  const ir::NodeId before = graph.value(scanned).producer;
  if (before.is_valid() && graph.node(before).op == ir::Op::kSlice) {
    // All but some at the end: padding takes those away.
    const ir::Node& slice = graph.node(before);
    const ir::ValueId whole = ir::tensor_operand(slice, 0);
    if (ir::int_attribute(slice, "dim") == dim && ir::int_attribute(slice, "start") == 0 &&
        ir::int_attribute(slice, "step") == 1) {
      return pad_node(whole, rank, axis, 1, graph.type(scanned).shape[axis] - graph.type(whole).shape[axis], *identity,
                      scan.location);
    }
  }
  return pad_node(scanned, rank, axis, 1, 0, *identity, scan.location);
}

// Whether `node` was replaced by a scan that begins with the element put before it.
Result<bool> put_under_scan(GraphCopy& copy, const ir::Graph& graph, const Users& users, const ir::Node& old) {
  if (old.op != ir::Op::kCat || old.operands.size() != 2 || is_output(graph, ir::tensor_operand(old, 1)) ||
      users.at(ir::tensor_operand(old, 1)).size() != 1) {
    return false;
  }
  const ir::Node node = copy.mapped(old);
  std::optional<ir::Node> pad = pad_under_scan(copy.graph(), node);
  if (!pad.has_value()) {
    return false;
  }
  ir::Node scan = copy.graph().node(copy.graph().value(ir::tensor_operand(node, 1)).producer);
  STITCH_ASSIGN(const ir::ValueId padded,
                copy.add(std::move(*pad), copy.graph().value(ir::tensor_operand(node, 1)).name + "_later"));
  scan.operands[0] = padded;
  scan.outputs.clear();
  STITCH_ASSIGN(const ir::ValueId now, copy.add(std::move(scan), graph.value(old.outputs[0]).name));
  copy.replace(old.outputs[0], now);
  return true;
}

}  // namespace

Result<ir::Graph> pad_before_scans(const ir::Graph& graph) {
  const Users users = users_of(graph);
  GraphCopy copy(graph);
  for (const ir::Node& old : graph.nodes) {
    STITCH_ASSIGN(const bool is_done, put_under_scan(copy, graph, users, old));
    if (is_done) {
      continue;
    }
    const bool is_cat = old.op == ir::Op::kCat;
    std::optional<ir::Node> pad;
    if (is_cat || old.op == ir::Op::kSlice) {
      if (is_scanned_only(graph, users, old.outputs[0], is_cat)) {
        pad = is_cat ? pad_for_cat(copy.graph(), copy.mapped(old)) : pad_for_slice(copy.graph(), copy.mapped(old));
      }
    }
    if (!pad.has_value()) {
      STITCH_TRY(copy.keep(old));
      continue;
    }
    STITCH_ASSIGN(const ir::ValueId now, copy.add(std::move(*pad), graph.value(old.outputs[0]).name));
    copy.replace(old.outputs[0], now);
  }
  return copy.finish();
}

}  // namespace stitch::plan
