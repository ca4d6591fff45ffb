// SPDX-License-Identifier: Apache-2.0
// Exact and near copies among tasks: the same text, the same operators in the same graph, or nearly the same syntax
// tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stitch::synth {

// What two sorted bags have in common: 2 |both| / (|one| + |other|), Dice's coefficient, 0 to 1. Of two empty ones 0.
double likeness(const std::vector<uint64_t>& one, const std::vector<uint64_t>& other);
// As CUDA Agent's filter: what is more alike goes.
inline constexpr double kMaxLikeness = 0.9;

enum class Copy { kText, kOperators, kSyntax };
const char* to_string(Copy copy);

struct Copied {
  Copy copy = Copy::kText;
  std::string of{};     // the name of the one that was there before
  double likeness = 1;  // of the syntax trees
};

// Tasks that are known by now.
class KnownTasks {
 public:
  std::optional<Copied> find(const std::string& digest, const std::string& signature,
                             const std::vector<uint64_t>& subtrees) const;
  void add(const std::string& name, const std::string& digest, const std::string& signature,
           std::vector<uint64_t> subtrees);

 private:
  std::map<std::string, std::string> by_digest_;
  std::map<std::string, std::string> by_signature_;
  std::vector<std::pair<std::string, std::vector<uint64_t>>> trees_;
};

}  // namespace stitch::synth
