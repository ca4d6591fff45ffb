// SPDX-License-Identifier: Apache-2.0
// A JSON schema as nodes, each of which says what a text may be that keeps to it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace stitch::grammar {

using NodeId = uint32_t;

enum class NodeKind : uint8_t {
  kLiteral,  // these bytes
  kString,   // JSON's, of `least` to `most` characters
  kInteger,  // from `least` to `most`, without a fraction or an exponent
  kNumber,   // JSON's
  kObject,   // these properties in any order, those that are required among them, and no other
  kMap,      // an object of any keys, whose values are children[0]
  kArray,    // of `least` to `most` items, which are children[0]
  kAnyOf,    // one of the children
};

inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kMostOfInteger = 999'999'999'999'999'999;  // 18 digits, which an int64 holds
inline constexpr size_t kMaxProperties = 63;                        // of one object: a bit each
inline constexpr int kMaxDepth = 64;                                // of values within values, the outermost being 1

struct Property {
  std::string key;  // as JSON, in quotes
  NodeId value = 0;
  bool is_required = false;
};

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  std::string literal{};
  int64_t least = 0;
  int64_t most = kUnlimited;
  std::vector<Property> properties{};
  std::vector<NodeId> children{};
  int depth = kMaxDepth + 1;  // of its shallowest text
};

inline constexpr NodeId kAnyString = 0;  // of every grammar: what keys of a map are

struct Grammar {
  std::vector<Node> nodes;
  NodeId root = 0;
};

}  // namespace stitch::grammar
