// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::Scalar;
using ir::ValueId;

struct BatchNorm {
  ir::Node node;  // operands in the new graph
  const ir::Node& old;
  std::string name;
  std::vector<int64_t> channel_shape;  // [1, C, 1, 1]: broadcasts over the input
  std::vector<int64_t> other_axes;     // all but the channel's
};

ValueId per_channel(NodeChain& chain, const BatchNorm& norm, const Operand& vector, const std::string& suffix) {
  return chain.add(ir::Op::kReshape, {vector}, suffix, {{"shape", norm.channel_shape}});
}

// (x - mean) * scale + bias, in this order: x * scale + (bias - mean * scale) cancels where the mean is large.
void add_result(GraphCopy& copy, NodeChain& chain, const BatchNorm& norm, ValueId mean, ValueId inverse_deviation) {
  const bool has_weight = ir::is_tensor(norm.node.operands[1]);
  const bool has_bias = ir::is_tensor(norm.node.operands[2]);
  const ValueId scale =
      has_weight ? chain.add(ir::Op::kMul, {inverse_deviation, norm.node.operands[1]}, "_scale") : inverse_deviation;
  const ValueId centre = per_channel(chain, norm, mean, "_mean_per_channel");
  const ValueId factor = per_channel(chain, norm, scale, "_scale_per_channel");
  const ValueId centred = chain.add(ir::Op::kSub, {norm.node.operands[0], centre}, "_centred");
  if (!has_bias) {
    copy.replace(norm.old.outputs[0], chain.add(ir::Op::kMul, {centred, factor}, ""));
    return;
  }
  const ValueId scaled = chain.add(ir::Op::kMul, {centred, factor}, "_scaled");
  const ValueId bias = per_channel(chain, norm, norm.node.operands[2], "_bias_per_channel");
  copy.replace(norm.old.outputs[0], chain.add(ir::Op::kAdd, {scaled, bias}, ""));
}

ValueId inverse_deviation_of(NodeChain& chain, const BatchNorm& norm, const Operand& variance) {
  const ValueId shifted =
      chain.add(ir::Op::kAdd, {variance, Scalar{ir::double_attribute(norm.node, "eps")}}, "_shifted");
  return chain.add(ir::Op::kRsqrt, {shifted}, "_inverse_deviation");
}

// running = (1 - momentum) * running + momentum * batch
ValueId moved_average(NodeChain& chain, const BatchNorm& norm, size_t operand, ValueId batch, const std::string& name) {
  const double momentum = ir::double_attribute(norm.node, "momentum");
  const ValueId kept = chain.add(ir::Op::kMul, {norm.node.operands[operand], Scalar{1.0 - momentum}}, name + "_kept");
  const ValueId added = chain.add(ir::Op::kMul, {batch, Scalar{momentum}}, name + "_added");
  return chain.add(ir::Op::kAdd, {kept, added}, name);
}

void decompose_training(GraphCopy& copy, NodeChain& chain, const BatchNorm& norm) {
  const auto reduced = [&](ir::Op op, const std::string& suffix, std::optional<int64_t> correction) {
    std::vector<std::pair<std::string, ir::Attribute>> attributes = {{"dim", norm.other_axes}};
    if (correction.has_value()) {
      attributes.emplace_back("correction", *correction);
    }
    attributes.emplace_back("keepdim", false);
    return chain.add(op, {norm.node.operands[0]}, suffix, attributes);
  };
  const ValueId mean = reduced(ir::Op::kMean, "_mean", std::nullopt);
  const ValueId variance = reduced(ir::Op::kVar, "_variance", 0);
  const ValueId inverse_deviation = inverse_deviation_of(chain, norm, variance);
  copy.replace(norm.old.outputs[1], mean);
  copy.replace(norm.old.outputs[2], inverse_deviation);
  if (ir::is_tensor(norm.node.operands[3]) && ir::is_tensor(norm.node.operands[4])) {
    copy.replace(norm.old.outputs[3], moved_average(chain, norm, 3, mean, "_running_mean"));
    const ValueId unbiased = reduced(ir::Op::kVar, "_unbiased_variance", 1);
    copy.replace(norm.old.outputs[4], moved_average(chain, norm, 4, unbiased, "_running_variance"));
  }
  add_result(copy, chain, norm, mean, inverse_deviation);
}

Result<void> decompose_node(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  const std::vector<int64_t>& shape = from.type(ir::tensor_operand(old, 0)).shape;
  BatchNorm norm{copy.mapped(old), old, from.value(old.outputs[0]).name, std::vector<int64_t>(shape.size(), 1), {}};
  norm.channel_shape[1] = shape[1];
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != 1) {
      norm.other_axes.push_back(static_cast<int64_t>(axis));
    }
  }
  NodeChain chain(copy, norm.name, old.location);
  if (ir::bool_attribute(old, "training")) {
    decompose_training(copy, chain, norm);
  } else {
    const ValueId inverse_deviation = inverse_deviation_of(chain, norm, norm.node.operands[4]);
    add_result(copy, chain, norm, ir::tensor_operand(norm.node, 3), inverse_deviation);
  }
  return chain.result();
}

}  // namespace

Result<ir::Graph> decompose_batch_norm(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.op == ir::Op::kBatchNorm) {
      STITCH_TRY(decompose_node(copy, graph, node));
    } else {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
