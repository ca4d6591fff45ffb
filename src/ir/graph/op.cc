// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/op.h"

#include <unordered_map>

namespace stitch::ir {

const char* to_string(Op op) { return kOpNames[index_of(op)]; }

std::optional<Op> op_from_string(std::string_view name) {
  static const auto ops = [] {
    std::unordered_map<std::string_view, Op> by_name;
    for (size_t i = 0; i < kOpCount; ++i) {
      by_name.emplace(kOpNames[i], static_cast<Op>(i));
    }
    return by_name;
  }();
  const auto found = ops.find(name);
  return found == ops.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (size_t i = 1; i < kOpCount; ++i) {
    ops.push_back(static_cast<Op>(i));
  }
  return ops;
}

}  // namespace stitch::ir
