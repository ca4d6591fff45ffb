// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/drafts.h"

#include <algorithm>
#include <functional>

#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

// An extent as a value, of indices counted from the end: it may follow the batch, and prepare() knows none.
bool is_extent(const ir::Graph& graph, const ir::Node& node) {
  return node.op == ir::Op::kFull && graph.type(node.outputs[0]).dtype == DataType::kInt64;
}

std::vector<Phase> phases_of(const ir::Graph& graph, const Users& users) {
  std::vector<bool> is_fixed(graph.values.size(), true);
  for (const ir::GraphInput& input : graph.inputs) {
    is_fixed[static_cast<size_t>(input.value.index)] =
        input.role == TensorRole::kParameter || input.role == TensorRole::kConstant;
  }
  std::vector<Phase> phases;
  for (const ir::Node& node : graph.nodes) {
    const bool has_fixed = std::all_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return !ir::is_tensor(operand) || is_fixed[static_cast<size_t>(std::get<ir::ValueId>(operand).index)];
    });
    const bool fixed = has_fixed && !is_extent(graph, node);
    const bool is_output = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](ir::ValueId output) { return users.is_output(output); });
    phases.push_back(fixed && !is_output ? Phase::kPrepare : Phase::kRun);
    for (const ir::ValueId output : node.outputs) {
      is_fixed[static_cast<size_t>(output.index)] = fixed && !is_output;
    }
  }
  return phases;
}

}  // namespace

Drafts::Drafts(const ir::Graph& graph)
    : graph_(graph), users_(graph), phases_(phases_of(graph, users_)), owners_(graph.nodes.size(), -1) {}

int Drafts::owner(ir::NodeId node) const { return owners_[static_cast<size_t>(node.index)]; }

int Drafts::source(ir::ValueId value) const {
  while (true) {
    const ir::NodeId producer = graph_.value(value).producer;
    if (!producer.is_valid()) {
      return -1;
    }
    if (const int number = owner(producer); number >= 0) {
      return number;
    }
    if (!kernels::is_view(graph_.node(producer))) {
      return -1;
    }
    value = ir::tensor_operand(graph_.node(producer), 0);
  }
}

int Drafts::add(Draft draft) {
  const int number = next_number_++;
  links_.add(number);
  replace(number, std::move(draft));
  return number;
}

bool Drafts::own(ir::NodeId node, int number) {
  int& owner = owners_[static_cast<size_t>(node.index)];
  const bool is_new = owner < 0;
  owner = number;
  if (!kernels::is_view(graph_.node(node)) && !kernels::is_generated(graph_.node(node))) {
    return false;
  }
  stored_.insert(graph_.node(node).outputs[0]);
  return is_new;
}

void Drafts::link(int number) {
  std::set<int> reads;
  for (const ir::NodeId node : drafts_.at(number).nodes) {
    for (const ir::Operand& operand : graph_.node(node).operands) {
      if (ir::is_tensor(operand)) {
        reads.insert(source(std::get<ir::ValueId>(operand)));
      }
    }
  }
  reads.erase(-1);
  reads.erase(number);
  links_.set_reads(number, reads);
}

void Drafts::link_readers(ir::NodeId node) {
  const auto placed = [this](ir::NodeId user) { return is_placed(user); };
  std::set<int> readers;
  for (const ir::NodeId user : users_.through_views(graph_.node(node).outputs[0], placed)) {
    readers.insert(owner(user));
  }
  readers.erase(-1);
  for (const int reader : readers) {
    link(reader);
  }
}

void Drafts::replace(int number, Draft draft) {
  std::vector<ir::NodeId> looked_through;
  for (const ir::NodeId node : draft.nodes) {
    if (own(node, number)) {
      looked_through.push_back(node);
    }
  }
  drafts_[number] = std::move(draft);
  link(number);
  for (const ir::NodeId node : looked_through) {
    link_readers(node);
  }
}

void Drafts::merge(int number, int absorbed, Draft merged) {
  drafts_.erase(absorbed);
  links_.merge(number, absorbed);
  replace(number, std::move(merged));
}

kernels::Group Drafts::group(const Draft& draft) const {
  const auto placed = [&](ir::NodeId node) { return is_placed(node) || draft.nodes.count(node) > 0; };
  std::vector<ir::ValueId> results;
  for (const ir::NodeId node : draft.nodes) {
    for (const ir::ValueId output : graph_.node(node).outputs) {
      bool is_wanted = false;
      for (const ir::NodeId user : users_.through_views(output, placed, &is_wanted)) {
        is_wanted = is_wanted || draft.nodes.count(user) == 0;
      }
      if (is_wanted) {
        results.push_back(output);
      }
    }
  }
  return kernels::make_group(graph_, draft.root, {draft.nodes.begin(), draft.nodes.end()}, stored_, results);
}

std::vector<int> Drafts::order() const {
  std::vector<int> by_root;
  for (const auto& [number, draft] : drafts_) {
    by_root.push_back(number);
  }
  std::sort(by_root.begin(), by_root.end(), [&](int a, int b) { return drafts_.at(a).root < drafts_.at(b).root; });
  std::vector<int> result;
  std::set<int> done;
  const std::function<void(int)> visit = [&](int number) {
    if (!done.insert(number).second) {
      return;
    }
    for (const int dependency : dependencies(number)) {
      visit(dependency);
    }
    result.push_back(number);
  };
  std::for_each(by_root.begin(), by_root.end(), visit);
  std::stable_sort(result.begin(), result.end(),
                   [&](int a, int b) { return drafts_.at(a).phase < drafts_.at(b).phase; });
  return result;
}

}  // namespace stitch::plan
