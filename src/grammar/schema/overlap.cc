// SPDX-License-Identifier: Apache-2.0
#include "grammar/schema/overlap.h"

#include <algorithm>
#include <string_view>

namespace stitch::grammar {
namespace {

constexpr int kMaxLooks = 8;  // at alternatives within alternatives: schemas may refer to themselves

// What kind of JSON a text is, by its first byte.
char sort_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::kLiteral:
      return std::string_view("\"{[tfn").find(node.literal.front()) == std::string_view::npos ? '0'
                                                                                              : node.literal.front();
    case NodeKind::kString:
      return '"';
    case NodeKind::kInteger:
    case NodeKind::kNumber:
      return '0';
    case NodeKind::kArray:
      return '[';
    default:
      return '{';
  }
}

bool overlaps(const Grammar& grammar, NodeId left, NodeId right, int looks);

// Not where both require a property that cannot be the same in both.
bool objects_overlap(const Grammar& grammar, const Node& left, const Node& right, int looks) {
  for (const Property& mine : left.properties) {
    for (const Property& other : right.properties) {
      const bool in_both = mine.key == other.key && mine.is_required && other.is_required;
      if (in_both && !overlaps(grammar, mine.value, other.value, looks - 1)) {
        return false;
      }
    }
  }
  return true;
}

bool overlaps(const Grammar& grammar, NodeId left, NodeId right, int looks) {
  const Node& one = grammar.nodes[left];
  const Node& other = grammar.nodes[right];
  if (left == right || looks == 0) {
    return true;
  }
  if (one.kind == NodeKind::kAnyOf || other.kind == NodeKind::kAnyOf) {
    const bool is_first = one.kind == NodeKind::kAnyOf;
    const std::vector<NodeId>& children = is_first ? one.children : other.children;
    return std::any_of(children.begin(), children.end(),
                       [&](NodeId child) { return overlaps(grammar, child, is_first ? right : left, looks - 1); });
  }
  if (sort_of(one) != sort_of(other)) {
    return false;
  }
  if (one.kind == NodeKind::kLiteral && other.kind == NodeKind::kLiteral) {
    return one.literal == other.literal || sort_of(one) == '0' || sort_of(one) == '{' || sort_of(one) == '[';
  }
  if (one.kind == NodeKind::kInteger && other.kind == NodeKind::kInteger) {
    return one.least <= other.most && other.least <= one.most;
  }
  return one.kind != NodeKind::kObject || other.kind != NodeKind::kObject ||
         objects_overlap(grammar, one, other, looks);
}

}  // namespace

bool may_overlap(const Grammar& grammar, NodeId left, NodeId right) {
  return overlaps(grammar, left, right, kMaxLooks);
}

}  // namespace stitch::grammar
