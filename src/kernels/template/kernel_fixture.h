// SPDX-License-Identifier: Apache-2.0
// For tests alone: the text of a program, all of which is one group, and the kernel that is asked about it.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/text/parser.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

enum class RootNode { kFirst, kLast };

// All nodes of `graph`, which outlives it; of the program's results, the first `results`.
inline Group group_of_all(const ir::Graph& graph, RootNode root = RootNode::kFirst, size_t results = 1) {
  std::set<ir::ValueId> stored;
  for (const ir::GraphInput& input : graph.inputs) {
    stored.insert(input.value);
  }
  std::vector<ir::NodeId> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    nodes.push_back(ir::NodeId{static_cast<int>(i)});
  }
  std::vector<ir::ValueId> outputs;
  for (size_t i = 0; i < results; ++i) {
    outputs.push_back(graph.outputs[i].value);
  }
  return make_group(graph, root == RootNode::kFirst ? nodes.front() : nodes.back(), nodes, stored, outputs);
}

class AskedKernel {
 public:
  AskedKernel(const std::string& text, std::unique_ptr<KernelTemplate> kernel, RootNode root = RootNode::kFirst)
      : graph_(ir::parse(text, "sample").value()), group_(group_of_all(graph_, root)), kernel_(std::move(kernel)) {}
  AskedKernel(const AskedKernel&) = delete;  // the group is of this graph
  AskedKernel& operator=(const AskedKernel&) = delete;

  const ir::Graph& graph() const { return graph_; }
  const Group& group() const { return group_; }

  std::vector<Setting> space(MathMode math = MathMode::kFp32,
                             const DeviceLimits& limits = known_devices().front()) const {
    return kernel_->space(group_, limits, math);
  }
  bool offers(const Setting& setting, MathMode math = MathMode::kFp32,
              const DeviceLimits& limits = known_devices().front()) const {
    const std::vector<Setting> offered = space(math, limits);
    return std::find(offered.begin(), offered.end(), setting) != offered.end();
  }
  std::vector<Setting> libraries(MathMode math) const {
    return kernel_->library_space(group_, known_devices().front(), math);
  }
  bool allows(const Setting& setting) const { return kernel_->allows(group_, setting); }
  Work work(const Setting& setting) const { return kernel_->work(group_, setting); }
  StepShape shape(const Setting& setting) const { return kernel_->shape(group_, setting).value(); }
  const KernelTemplate& kernel() const { return *kernel_; }

 private:
  ir::Graph graph_;
  Group group_;
  std::unique_ptr<KernelTemplate> kernel_;
};

// The variants of `settings` that begin with `family`.
inline std::vector<std::string> variants_of(const std::vector<Setting>& settings, const std::string& family = "") {
  std::vector<std::string> names;
  for (const Setting& setting : settings) {
    if (setting.variant.starts_with(family)) {
      names.push_back(setting.variant);
    }
  }
  return names;
}

}  // namespace stitch::kernels
