// SPDX-License-Identifier: Apache-2.0
// Looks for texts at which an answer ends, in an answer that comes in pieces.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stitch::completions {

class StopFinder {
 public:
  explicit StopFinder(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  // What can be told of the answer now: what may be the beginning of a stop is held back.
  std::string push(const std::string& piece);
  // What was held back, once nothing follows.
  std::string finish() { return is_found_ ? "" : std::exchange(held_, {}); }
  // The first stop has come: it and what follows are no part of the answer.
  bool is_found() const { return is_found_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool is_found_ = false;
};

}  // namespace stitch::completions
