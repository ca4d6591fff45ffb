// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "kernels/builtin_templates.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/library.h"
#include "kernels/conv/problem.h"
#include "plan/cost/fitted.h"
#include "plan/layout/channels_last.h"
#include "plan/layout/forms.h"

namespace stitch::plan {
namespace {

using ir::NodeId;
using ir::ValueId;

// Whether cuDNN with channels last, nothing turned, is the fastest way to compute a convolution, or a way at all where
// libraries are wanted anyhow.
class Wishes {
 public:
  Wishes(const ir::Graph& graph, const PlanOptions& options) : graph_(graph), options_(options) {
    for (size_t i = 0; i < graph.values.size(); ++i) {
      stored_.insert(ValueId{static_cast<int32_t>(i)});
    }
  }

  bool wants_last(NodeId id) const {
    const ir::Node& node = graph_.node(id);
    const kernels::KernelTemplate* kernel = kernels::template_for(graph_, node);
    if (kernel == nullptr) {
      return false;
    }
    const kernels::Group group = kernels::make_group(graph_, id, {id}, stored_, {node.outputs[0]});
    double last = std::numeric_limits<double>::infinity();
    double first = last;
    for (const Setting& setting : kernel->library_space(group, options_.limits, options_.math)) {
      if (kernels::takes_channels_last(setting)) {
        kernels::Work work = kernel->work(group, setting);
        work.launches = 1;
        work.serial_bytes = 0;
        last = std::min(last, estimated_us(*kernel, setting, work, options_.limits));
      } else {
        first = std::min(first, time_of(*kernel, group, setting));
      }
    }
    for (const Setting& setting : kernel->space(group, options_.limits, options_.math)) {
      first = std::min(first, time_of(*kernel, group, setting));
    }
    const bool has_it = last < std::numeric_limits<double>::infinity();
    return options_.libraries == Libraries::kOn ? has_it : last < first;
  }

 private:
  double time_of(const kernels::KernelTemplate& kernel, const kernels::Group& group, const Setting& setting) const {
    const auto measured =
        options_.measured ? options_.measured(step_signature(group, kernel.name()), setting) : std::optional<double>();
    return measured.value_or(estimated_us(kernel, setting, kernel.work(group, setting), options_.limits));
  }

  const ir::Graph& graph_;
  const PlanOptions& options_;
  std::set<ValueId> stored_;
};

// Values that may be kept, narrowed down until all that is left is of use.
class Chooser {
 public:
  Chooser(const ir::Graph& graph, const PlanOptions& options) : graph_(graph), readers_(graph.values.size()) {
    const Wishes wishes(graph, options);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const NodeId id{static_cast<int32_t>(i)};
      const ir::Node& node = graph.node(id);
      forms_.push_back(last_form(graph, node));
      if (forms_.back() == LastForm::kConvolution && wishes.wants_last(id)) {
        wishing_.insert(id);
      }
      for (const ir::Operand& operand : node.operands) {
        if (ir::is_tensor(operand)) {
          readers_[index(std::get<ValueId>(operand))].push_back(id);
        }
      }
    }
    for (const ir::GraphOutput& output : graph.outputs) {
      outputs_.insert(output.value);
    }
  }

  ChannelsLast choose() {
    for (size_t before = banned_.size() + 1; before != banned_.size();) {
      before = banned_.size();
      spread();
      ban_useless();
    }
    drop_losses();
    ChannelsLast chosen;
    for (const ValueId value : kept_) {
      chosen.values.insert(graph_.value(value).name);
    }
    for (const NodeId id : wishing_) {
      const ir::Node& node = graph_.node(id);
      if (is_kept(node.outputs[0]) || is_kept(ir::tensor_operand(node, 0))) {
        chosen.convolutions.insert(graph_.value(node.outputs[0]).name);
      }
    }
    return chosen;
  }

 private:
  static size_t index(ValueId value) { return static_cast<size_t>(value.index); }
  LastForm form(NodeId id) const { return forms_[static_cast<size_t>(id.index)]; }
  bool is_kept(ValueId value) const { return kept_.count(value) > 0; }
  bool reads_kept(const ir::Node& node) const {
    return std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && is_kept(std::get<ValueId>(operand));
    });
  }
  static bool is_image_form(LastForm form) {
    return form == LastForm::kElementwise || form == LastForm::kSoftmax || form == LastForm::kCat;
  }

  // From the convolutions that wish it, through every node that can go on.
  void spread() {
    kept_.clear();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const NodeId id{static_cast<int32_t>(i)};
      const ir::Node& node = graph_.node(id);
      if (!node.outputs.empty() && banned_.count(node.outputs[0]) == 0 && can_keep(id, node)) {
        kept_.insert(node.outputs[0]);
      }
    }
  }

  bool can_keep(NodeId id, const ir::Node& node) const {
    switch (form(id)) {
      case LastForm::kConvolution:
        return wishing_.count(id) > 0;
      case LastForm::kElementwise:
      case LastForm::kSoftmax:
        return reads_kept(node) && std::all_of(node.operands.begin(), node.operands.end(), [&](const auto& operand) {
                 return !ir::is_tensor(operand) || is_kept(std::get<ValueId>(operand)) ||
                        is_small_beside(graph_.type(std::get<ValueId>(operand)), graph_.type(node.outputs[0]));
               });
      case LastForm::kCat:
        return std::all_of(node.operands.begin(), node.operands.end(),
                           [&](const auto& operand) { return is_kept(std::get<ValueId>(operand)); });
      case LastForm::kPool:
        return reads_kept(node);
      case LastForm::kReduction:
        return reads_kept(node) &&
               graph_.type(node.outputs[0]).shape.size() == graph_.type(ir::tensor_operand(node, 0)).shape.size();
      case LastForm::kNone:
        break;
    }
    return false;
  }

  // Of no use is what only passes through pointwise work to where channels come first: a convolution turns its sums
  // while it stores them.
  void ban_useless() {
    std::set<ValueId> useful;
    for (auto id = static_cast<int32_t>(graph_.nodes.size()) - 1; id >= 0; --id) {
      const ir::Node& node = graph_.node(NodeId{id});
      if (node.outputs.empty() || !is_kept(node.outputs[0])) {
        continue;
      }
      const std::vector<NodeId>& readers = readers_[index(node.outputs[0])];
      const bool is_read_so = std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
        return gains_from(reader, node.outputs[0]) ||
               (is_image_form(form(reader)) && useful.count(graph_.node(reader).outputs[0]) > 0);
      });
      if (is_read_so) {
        useful.insert(node.outputs[0]);
      } else if (is_image_form(form(NodeId{id})) || form(NodeId{id}) == LastForm::kConvolution) {
        banned_.insert(node.outputs[0]);
      }
    }
  }

  // Convolutions that need not turn it, and whatever makes less of it.
  bool gains_from(NodeId reader, ValueId value) const {
    const ir::Node& node = graph_.node(reader);
    if (form(reader) == LastForm::kConvolution) {
      return wishing_.count(reader) > 0 && ir::tensor_operand(node, 0) == value;
    }
    return form(reader) == LastForm::kPool || form(reader) == LastForm::kReduction ||
           (form(reader) == LastForm::kSoftmax && (is_kept(node.outputs[0]) || is_turned_on_the_way(node)));
  }

  // A softmax over channels that come last reads rows, and turns them while it writes.
  bool is_turned_on_the_way(const ir::Node& softmax) const {
    constexpr int64_t kMaxChannels = 256;
    return ir::int_attribute(softmax, "dim") == 1 && graph_.type(softmax.outputs[0]).shape[1] <= kMaxChannels;
  }

  bool is_shown_first(ValueId value) const {
    const std::vector<NodeId>& readers = readers_[index(value)];
    return outputs_.count(value) > 0 || std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
             const ir::Node& node = graph_.node(reader);
             return !gains_from(reader, value) && !is_kept(node.outputs[0]);
           });
  }

  // Passes over `value` that are saved where it is kept, in its own size: turning it back, and turning it for every
  // convolution that reads it; lost: turning it for the others, and pointwise work that a convolution did while
  // storing.
  double gain(ValueId value) const {
    constexpr double kPasses = 2;  // a read and a write
    const NodeId producer = graph_.value(value).producer;
    const std::vector<NodeId>& readers = readers_[index(value)];
    const auto saved = std::count_if(readers.begin(), readers.end(), [&](NodeId reader) {
      return form(reader) == LastForm::kConvolution && gains_from(reader, value);
    });
    double passes = static_cast<double>(saved);
    passes += form(producer) == LastForm::kConvolution ? 1.0 : 0.0;
    passes -= is_shown_first(value) ? 1.0 : 0.0;
    const bool is_read_by_images =
        std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return is_image_form(form(reader)); });
    const bool moves_into_reader =
        readers.size() == 1 && form(readers[0]) != LastForm::kConvolution && !is_shown_first(value);
    if (form(producer) == LastForm::kElementwise && !is_read_by_images && !moves_into_reader) {
      passes -= 1.0;
    }
    return kPasses * passes * static_cast<double>(graph_.type(value).bytes());
  }

  // Values that are kept together stand or fall together.
  void drop_losses() {
    std::map<ValueId, ValueId> parents;
    for (const ValueId value : kept_) {
      parents[value] = value;
    }
    const auto root = [&](ValueId value) {
      while (parents.at(value) != value) {
        value = parents.at(value) = parents.at(parents.at(value));
      }
      return value;
    };
    for (const ValueId value : kept_) {
      for (const ir::Operand& operand : graph_.node(graph_.value(value).producer).operands) {
        if (ir::is_tensor(operand) && is_kept(std::get<ValueId>(operand))) {
          parents[root(value)] = root(std::get<ValueId>(operand));
        }
      }
    }
    std::map<ValueId, double> gains;
    for (const ValueId value : kept_) {
      gains[root(value)] += gain(value);
    }
    std::erase_if(kept_, [&](ValueId value) { return gains.at(root(value)) <= 0; });
  }

  const ir::Graph& graph_;
  std::vector<LastForm> forms_;               // by node
  std::vector<std::vector<NodeId>> readers_;  // by value
  std::set<NodeId> wishing_;
  std::set<ValueId> outputs_;
  std::set<ValueId> kept_;
  std::set<ValueId> banned_;
};

}  // namespace

ChannelsLast choose_channels_last(const ir::Graph& graph, const PlanOptions& options) {
  if (options.like != nullptr) {
    return kept_channels_last(options.like->graph);
  }
  return options.libraries == Libraries::kOff ? ChannelsLast{} : Chooser(graph, options).choose();
}

}  // namespace stitch::plan
