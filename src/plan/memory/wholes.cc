// SPDX-License-Identifier: Apache-2.0
#include "plan/memory/wholes.h"

#include "base/error/check.h"
#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

// Bytes of the concatenation `whole` before its first element of `part`.
int64_t bytes_before(const ir::Graph& graph, ir::ValueId part, ir::ValueId whole) {
  const ir::Node& node = graph.node(graph.value(whole).producer);
  const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
  int64_t before = 0;
  for (const ir::Operand& operand : node.operands) {
    const auto each = std::get<ir::ValueId>(operand);
    if (each != part) {
      before += graph.type(each).shape[axis];
      continue;
    }
    for (size_t behind = axis + 1; behind < graph.type(whole).shape.size(); ++behind) {
      before *= graph.type(whole).shape[behind];
    }
    return before * element_bytes(graph.type(whole).dtype);
  }
  STITCH_CHECK(false) << graph.value(part).name << " is no part of " << graph.value(whole).name;
  return 0;
}

}  // namespace

Wholes::Wholes(const Plan& plan) : plan_(plan) {
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    buffers_.emplace(plan.buffers[number].value, static_cast<int>(number));
  }
}

int Wholes::holder_of(int buffer) const {
  const std::optional<ir::ValueId> whole = plan_.buffers[static_cast<size_t>(buffer)].whole;
  return whole.has_value() ? holder_of(buffers_.at(*whole)) : buffer;
}

int64_t Wholes::start_of(int buffer, const ir::Graph& graph) const {
  const Buffer& part = plan_.buffers[static_cast<size_t>(buffer)];
  return part.whole.has_value()
             ? bytes_before(graph, part.value, *part.whole) + start_of(buffers_.at(*part.whole), graph)
             : 0;
}

}  // namespace stitch::plan
