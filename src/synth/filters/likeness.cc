// SPDX-License-Identifier: Apache-2.0
#include "synth/filters/likeness.h"

#include <algorithm>

namespace stitch::synth {

double likeness(const std::vector<uint64_t>& one, const std::vector<uint64_t>& other) {
  size_t both = 0;
  for (size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    both += one[i] == other[j] ? 1 : 0;
    const bool is_behind = one[i] <= other[j];
    const bool is_ahead = other[j] <= one[i];
    i += is_behind ? 1 : 0;
    j += is_ahead ? 1 : 0;
  }
  const size_t all = one.size() + other.size();
  return all == 0 ? 0 : 2.0 * static_cast<double>(both) / static_cast<double>(all);
}

const char* to_string(Copy copy) {
  switch (copy) {
    case Copy::kText:
      return "exact_duplicate";
    case Copy::kOperators:
      return "same_operators";
    case Copy::kSyntax:
      break;
  }
  return "near_duplicate";
}

std::optional<Copied> KnownTasks::find(const std::string& digest, const std::string& signature,
                                       const std::vector<uint64_t>& subtrees) const {
  if (const auto found = by_digest_.find(digest); found != by_digest_.end()) {
    return Copied{Copy::kText, found->second, 1};
  }
  if (const auto found = by_signature_.find(signature); found != by_signature_.end()) {
    return Copied{Copy::kOperators, found->second, 1};
  }
  for (const auto& [name, tree] : trees_) {
    // Bags of other sizes cannot be that alike.
    const size_t least = std::min(tree.size(), subtrees.size());
    if (2.0 * static_cast<double>(least) > kMaxLikeness * static_cast<double>(tree.size() + subtrees.size())) {
      if (const double found = likeness(tree, subtrees); found > kMaxLikeness) {
        return Copied{Copy::kSyntax, name, found};
      }
    }
  }
  return std::nullopt;
}

void KnownTasks::add(const std::string& name, const std::string& digest, const std::string& signature,
                     std::vector<uint64_t> subtrees) {
  by_digest_.emplace(digest, name);
  by_signature_.emplace(signature, name);
  trees_.emplace_back(name, std::move(subtrees));
}

}  // namespace stitch::synth
