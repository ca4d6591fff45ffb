// SPDX-License-Identifier: Apache-2.0
// What the draws of one output in one regime say together: a single one may be too far from the baseline of mode
// kernelbench, or err to one side, by chance.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "verify/compare/compare_output.h"

namespace stitch::verify {

struct DrawRefusal {
  std::string message;
  double ratio = 0;
};

class OutputDraws {
 public:
  // Judges a draw by its comparison and by those before it.
  std::optional<DrawRefusal> take(const OutputReference& reference, const OutputComparison& comparison);
  // Of a small output, whose draws count alike.
  void observe_small(const OutputReference& reference, const HostTensor& got);
  // What the draws that observe_small() saw err by to one side.
  std::optional<DrawRefusal> together() const;

 private:
  std::optional<DrawRefusal> take_one_way(const OutputReference& reference, const OneWay& found);

  // Too far from the baseline, by their distances: repeated contents have the same.
  std::set<double> distances_;
  size_t far_ = 0;
  size_t judged_ = 0;
  // Those whose errors go one way farther than is allowed, of as many.
  size_t beyond_ = 0;
  size_t judged_one_way_ = 0;
  std::optional<OneWayErrors> small_;
  std::string name_;
  std::vector<int64_t> shape_;
};

}  // namespace stitch::verify
