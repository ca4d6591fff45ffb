// SPDX-License-Identifier: Apache-2.0
// Judges the kernels of a family by the accept rule itself, at one length.
#pragma once

#include <string>
#include <vector>

#include "calibration/family.h"

namespace stitch::calibration {

struct Row {
  std::string family;
  std::string kernel;
  Expectation expectation = Expectation::kHonest;
  int64_t length = 0;
  double ratio = 0;    // the largest error over all regimes, as a multiple of the reference's own; the limit is 4
  std::string regime;  // where
  bool refused = false;
  int regimes_left_out = 0;
};

std::vector<Row> measure(const Family& family, int64_t length, int draws, uint64_t seed);

// The table of all rows: one line a kernel, one column a length, and the margin on its side of the limit.
std::string table(const std::vector<Row>& rows, const std::vector<int64_t>& lengths);

}  // namespace stitch::calibration
