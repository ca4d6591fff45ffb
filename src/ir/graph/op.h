// SPDX-License-Identifier: Apache-2.0
// Which operators there are, by name. The enumerators are made of the names in ops.def: `conv2d` is Op::kConv2d.
// Names are for what people read and write: IR text, JSON, messages. Sources that name no operator get by with
// ir/graph/graph.h, which declares Op, so that a new operator does not compile them anew.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stitch::ir {

enum class Op : uint16_t {
  kOpaque,  // what the importer has no operator for: carried along to be reported, never planned
#define STITCH_OP_NAME(enumerator, name) enumerator,
#include "ir/graph/op_names.def"
#undef STITCH_OP_NAME
};

inline constexpr std::array kOpNames = {
    "opaque",
#define STITCH_OP_NAME(enumerator, name) #name,
#include "ir/graph/op_names.def"
#undef STITCH_OP_NAME
};
inline constexpr size_t kOpCount = kOpNames.size();

constexpr size_t index_of(Op op) { return static_cast<size_t>(op); }

// The operator of a name that stands in our source, for tables; another name does not compile.
consteval Op op_named(std::string_view name) {
  for (size_t i = 0; i < kOpCount; ++i) {
    if (name == kOpNames[i]) {
      return static_cast<Op>(i);
    }
  }
  __builtin_unreachable();
}

const char* to_string(Op op);
// Nothing when there is no such operator.
std::optional<Op> op_from_string(std::string_view name);
// All but kOpaque, in the order of ops.def.
std::vector<Op> all_ops();

}  // namespace stitch::ir
