// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "plan/layout/channels_last.h"
#include "plan/layout/forms.h"
#include "plan/rewrite/node_chain.h"

namespace stitch::plan {
namespace {

using ir::Operand;
using ir::ValueId;

using Attributes = std::vector<std::pair<std::string, ir::Attribute>>;

class Keeper {
 public:
  Keeper(const ir::Graph& from, const ChannelsLast& kept)
      : from_(from), kept_(kept), copy_(from), readers_(from.values.size()) {
    for (const ir::Node& node : from.nodes) {
      for (const Operand& operand : node.operands) {
        if (ir::is_tensor(operand)) {
          readers_[static_cast<size_t>(std::get<ValueId>(operand).index)].push_back(last_form(from, node));
        }
      }
    }
  }

  Result<ir::Graph> run() {
    for (const ir::Node& node : from_.nodes) {
      STITCH_TRY(add(node));
    }
    for (const ir::GraphOutput& output : from_.outputs) {
      STITCH_TRY(show_first(output.value));
    }
    return copy_.finish();
  }

 private:
  const std::string& name(ValueId old) const { return from_.value(old).name; }
  size_t rank(ValueId old) const { return from_.type(old).shape.size(); }
  bool is_last(const Operand& old) const { return ir::is_tensor(old) && last_.count(std::get<ValueId>(old)) > 0; }
  bool is_kept(const ir::Node& node) const { return kept_.values.count(name(node.outputs[0])) > 0; }

  Result<void> add(const ir::Node& node) {
    const LastForm form = last_form(from_, node);
    const bool reads_last = std::any_of(node.operands.begin(), node.operands.end(),
                                        [&](const Operand& operand) { return is_last(operand); });
    if (form == LastForm::kConvolution && kept_.convolutions.count(name(node.outputs[0])) > 0) {
      return add_convolution(node);
    }
    if (reads_last && form == LastForm::kPool) {
      return add_pool(node);
    }
    if (reads_last && form == LastForm::kReduction) {
      return add_reduction(node);
    }
    const bool is_image_form = form == LastForm::kElementwise || form == LastForm::kSoftmax || form == LastForm::kCat;
    if (reads_last && is_image_form && is_kept(node)) {
      return add_image(node, form);
    }
    for (const Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        STITCH_TRY(show_first(std::get<ValueId>(operand)));
      }
    }
    return copy_.keep(node);
  }

  // Lets nodes without a form of their own see a kept value with channels first.
  Result<void> show_first(ValueId old) {
    const auto found = last_.find(old);
    if (found == last_.end() || !shown_.insert(old).second) {
      return {};
    }
    NodeChain chain(copy_, name(old), {});
    copy_.replace(old, chain.add(ir::Op::kPermute, {found->second}, kFirstSuffix,
                                 {{"dims", kernels::to_channels_first(rank(old))}}));
    return chain.result();
  }

  ValueId turned(NodeChain& chain, ValueId value, size_t value_rank, const std::string& suffix) {
    return chain.add(ir::Op::kPermute, {value}, suffix, {{"dims", kernels::to_channels_last(value_rank)}});
  }

  Result<void> add_convolution(const ir::Node& node) {
    const ValueId output = node.outputs[0];
    const size_t axes = rank(output);
    for (const Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        STITCH_TRY(show_first(std::get<ValueId>(operand)));
      }
    }
    ir::Node made = copy_.mapped(node);
    NodeChain chain(copy_, name(output), node.location);
    const ValueId weight = turned(chain, ir::tensor_operand(made, 1), axes, "_weight" + std::string(kLastSuffix));
    made.operands[1] = chain.add(ir::Op::kPermute, {weight}, "_weight", {{"dims", kernels::to_channels_first(axes)}});
    STITCH_TRY(chain.result());
    if (!is_kept(node)) {
      STITCH_ASSIGN(const ValueId result, copy_.add(std::move(made), name(output)));
      copy_.replace(output, result);
      return {};
    }
    const bool has_bias = made.operands.size() > 2 && ir::is_tensor(made.operands[2]);
    const Operand bias = has_bias ? made.operands[2] : Operand{ir::Absent{}};
    if (has_bias) {
      made.operands[2] = ir::Absent{};
    }
    const ValueId sums = chain.add(made.op, made.operands, kSumsSuffix, made.attributes);
    ValueId last = turned(chain, sums, axes, has_bias ? std::string(kSumsSuffix) + "_turned" : kLastSuffix);
    if (has_bias) {  // of one axis: along the channels, which are the last one now
      const ValueId turned_sums = last;
      last = chain.add(ir::Op::kAdd, {turned_sums, bias}, kLastSuffix);
      // Where reductions and others read it, adding twice is cheaper than a pass for it.
      if (is_read_by(output, true) && is_read_by(output, false)) {
        to_reduce_[output] = chain.add(ir::Op::kAdd, {turned_sums, bias}, "_to_reduce");
      }
    }
    last_[output] = last;
    return chain.result();
  }

  bool is_read_by(ValueId old, bool reductions) const {
    const std::vector<LastForm>& forms = readers_[static_cast<size_t>(old.index)];
    return std::any_of(forms.begin(), forms.end(),
                       [&](LastForm form) { return (form == LastForm::kReduction) == reductions; });
  }

  // Pointwise operators, softmax and cat: the same node on permuted operands.
  Result<void> add_image(const ir::Node& node, LastForm form) {
    const ValueId output = node.outputs[0];
    NodeChain chain(copy_, name(output), node.location);
    std::vector<Operand> operands;
    for (const Operand& operand : node.operands) {
      operands.push_back(ir::is_tensor(operand) ? Operand{as_last(chain, std::get<ValueId>(operand), rank(output))}
                                                : operand);
    }
    Attributes attributes = node.attributes;
    for (auto& [key, attribute] : attributes) {
      if (form != LastForm::kElementwise && key == "dim") {
        attribute = last_axis(std::get<int64_t>(attribute), rank(output));
      }
    }
    last_[output] = chain.add(node.op, operands, kLastSuffix, attributes);
    return chain.result();
  }

  // An operand of an image: kept, or small and broadcast from the last axis on.
  ValueId as_last(NodeChain& chain, ValueId old, size_t axes) {
    if (const auto found = last_.find(old); found != last_.end()) {
      return found->second;
    }
    const std::vector<int64_t>& shape = from_.type(old).shape;
    ValueId value = copy_.mapped(old);
    if (shape.empty()) {
      return value;
    }
    if (shape.size() < axes) {
      std::vector<int64_t> widened(axes - shape.size(), 1);
      widened.insert(widened.end(), shape.begin(), shape.end());
      value = chain.add(ir::Op::kReshape, {value}, "_" + name(old), {{"shape", widened}});
    }
    return turned(chain, value, axes, "_" + name(old) + kLastSuffix);
  }

  // Images of channels: (image, 1, y, x, channel), under windows of one channel.
  Result<void> add_pool(const ir::Node& node) {
    const ValueId output = node.outputs[0];
    const ValueId input = last_.at(ir::tensor_operand(node, 0));
    NodeChain chain(copy_, name(output), node.location);
    const auto with_plane = [](std::vector<int64_t> shape) {
      shape.insert(shape.begin() + 1, 1);
      return shape;
    };
    const ValueId planes =
        chain.add(ir::Op::kReshape, {input}, "_planes", {{"shape", with_plane(copy_.graph().type(input).shape)}});
    Attributes attributes = node.attributes;
    for (auto& [key, attribute] : attributes) {
      if (auto* numbers = std::get_if<std::vector<int64_t>>(&attribute)) {
        numbers->push_back(key == "padding" ? 0 : 1);
      }
    }
    const ir::Op op = node.op == ir::Op::kMaxPool2d ? ir::Op::kMaxPool3d : ir::Op::kAvgPool3d;
    const ValueId pooled = chain.add(op, {planes}, "_pooled", attributes);
    STITCH_TRY(chain.result());
    const std::vector<int64_t>& of_planes = copy_.graph().type(pooled).shape;
    std::vector<int64_t> shape = {of_planes[0]};
    shape.insert(shape.end(), of_planes.begin() + 2, of_planes.end());
    last_[output] = chain.add(ir::Op::kReshape, {pooled}, kLastSuffix, {{"shape", shape}});
    return chain.result();
  }

  Result<void> add_reduction(const ir::Node& node) {
    const ValueId output = node.outputs[0];
    const ValueId input = ir::tensor_operand(node, 0);
    NodeChain chain(copy_, name(output), node.location);
    const std::vector<int64_t>& old_axes = ir::ints_attribute(node, "dim");
    std::vector<int64_t> axes;
    for (const int64_t axis : old_axes) {
      axes.push_back(last_axis(axis, rank(input)));
    }
    std::sort(axes.begin(), axes.end());
    Attributes attributes = node.attributes;
    for (auto& [key, attribute] : attributes) {
      if (key == "dim") {
        attribute = axes;
      }
    }
    std::vector<Operand> operands = node.operands;
    const auto own_copy = to_reduce_.find(input);
    operands[0] = own_copy == to_reduce_.end() ? last_.at(input) : own_copy->second;
    if (rank(output) == rank(input)) {
      last_[output] = chain.add(node.op, operands, kLastSuffix, attributes);
      return chain.result();
    }
    const std::vector<int64_t> order = order_of_rest(old_axes, rank(input));
    const bool is_ordered = std::is_sorted(order.begin(), order.end());
    const ValueId reduced = chain.add(node.op, operands, is_ordered ? "" : "_reduced", attributes);
    copy_.replace(output, is_ordered ? reduced : chain.add(ir::Op::kPermute, {reduced}, "", {{"dims", order}}));
    return chain.result();
  }

  // Where each axis that a reduction leaves lies among those that it leaves with channels last.
  static std::vector<int64_t> order_of_rest(const std::vector<int64_t>& reduced, size_t axes) {
    std::vector<int64_t> places;
    for (int64_t axis = 0; axis < static_cast<int64_t>(axes); ++axis) {
      if (std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) {
        places.push_back(last_axis(axis, axes));
      }
    }
    std::vector<int64_t> order;
    for (const int64_t place : places) {
      order.push_back(std::count_if(places.begin(), places.end(), [&](int64_t other) { return other < place; }));
    }
    return order;
  }

  const ir::Graph& from_;
  const ChannelsLast& kept_;
  GraphCopy copy_;
  std::vector<std::vector<LastForm>> readers_;  // by old value
  std::map<ValueId, ValueId> last_;             // old values that lie with channels last, as they lie
  std::map<ValueId, ValueId> to_reduce_;        // of those, copies that reductions compute for themselves
  std::set<ValueId> shown_;                     // of those, the ones that are there with channels first too, as views
};

// `name` without `suffix`; empty where it has another end.
std::string without(const std::string& name, std::string_view suffix) {
  const bool has_it = name.size() > suffix.size() && name.ends_with(suffix);
  return has_it ? name.substr(0, name.size() - suffix.size()) : std::string();
}

}  // namespace

Result<ir::Graph> keep_channels_last(const ir::Graph& graph, const ChannelsLast& kept) {
  if (kept.values.empty() && kept.convolutions.empty()) {
    return graph;
  }
  return Keeper(graph, kept).run();
}

ChannelsLast kept_channels_last(const ir::Graph& graph) {
  ChannelsLast kept;
  for (const ir::Value& value : graph.values) {
    if (const std::string name = without(value.name, kLastSuffix); !name.empty()) {
      kept.values.insert(name);
    }
  }
  for (const ir::Node& node : graph.nodes) {
    if (kernels::is_convolution(node) && kernels::kept_weight(graph, node).has_value()) {
      const std::string& made = graph.value(node.outputs[0]).name;
      const std::string of_sums = without(made, kSumsSuffix);
      kept.convolutions.insert(of_sums.empty() ? made : of_sums);
    }
  }
  return kept;
}

}  // namespace stitch::plan
