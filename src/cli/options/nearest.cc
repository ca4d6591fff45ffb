// SPDX-License-Identifier: Apache-2.0
#include "cli/options/nearest.h"

#include <algorithm>

#include "base/text/edit_distance.h"

namespace stitch::cli {

std::string did_you_mean(const std::string& given, const std::vector<std::string>& words) {
  const auto distance = [&](const std::string& word) {
    // A beginning is a word broken off, however much is missing.
    const bool is_beginning = given.size() > 2 && word.starts_with(given);
    return is_beginning ? size_t{1} : edit_distance(given, word);
  };
  const auto nearest = std::min_element(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    return distance(a) < distance(b);
  });
  if (nearest == words.end() || distance(*nearest) > std::max<size_t>(1, given.size() / 3)) {
    return {};
  }
  return " (did you mean " + *nearest + "?)";
}

}  // namespace stitch::cli
