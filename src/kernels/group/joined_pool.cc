// SPDX-License-Identifier: Apache-2.0
#include "kernels/group/joined_pool.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/graph/op.h"

namespace stitch::kernels {

const ir::Node* only_node_beside_root(const Group& group) {
  const ir::Node* found = nullptr;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (id == group.root || is_view(node) || is_generated(node) || is_elementwise(node)) {
      continue;
    }
    if (found != nullptr) {
      return nullptr;
    }
    found = &node;
  }
  return found;
}

bool is_max_pool(const ir::Node& node) { return node.op == ir::Op::kMaxPool2d || node.op == ir::Op::kMaxPool3d; }

bool has_whole_windows(const ir::Graph& graph, const ir::Node& pool) {
  const auto are_all = [](const std::vector<int64_t>& numbers, int64_t wanted) {
    return std::all_of(numbers.begin(), numbers.end(), [&](int64_t number) { return number == wanted; });
  };
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  if (pool.outputs.size() != 1 || ir::ints_attribute(pool, "stride") != kernel ||
      !are_all(ir::ints_attribute(pool, "padding"), 0) ||
      (is_max_pool(pool) && !are_all(ir::ints_attribute(pool, "dilation"), 1))) {
    return false;
  }
  const std::vector<int64_t>& in = graph.type(ir::tensor_operand(pool, 0)).shape;
  const std::vector<int64_t>& out = graph.type(pool.outputs[0]).shape;
  const size_t first = in.size() - kernel.size();
  for (size_t axis = 0; axis < kernel.size(); ++axis) {
    if (out[first + axis] * kernel[axis] > in[first + axis]) {
      return false;
    }
  }
  return true;
}

int64_t window_divisor(const ir::Node& pool) {
  if (is_max_pool(pool)) {
    return 1;
  }
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  const int64_t wanted = ir::int_attribute(pool, "divisor_override");
  return wanted != 0 ? wanted : std::accumulate(kernel.begin(), kernel.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace stitch::kernels
