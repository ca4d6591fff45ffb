// SPDX-License-Identifier: Apache-2.0
// Where and by how much an output was refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stitch::verify {

struct Refusal {
  int64_t element = 0;  // the worst one, row-major
  int64_t tile = 0;
  double got = 0;
  double expected = 0;
  double ratio = 0;     // error as a multiple of the reference's own; infinite where a pattern or an integer differs
  int64_t refused = 0;  // how many elements of the output were
  int64_t erring = 0;   // elements that the reference's own error was taken from
};

// "[3,17]" for element `element` of `shape`.
std::string index_text(int64_t element, const std::vector<int64_t>& shape);
// "312 of 65536 elements of output 0 refused, the worst at [3,17] (tile 0): got 1.5, expected 1.25, 31 times the
// reference's own error over 512 elements (4 allowed)"
std::string message(const Refusal& refusal, const std::string& output, const std::vector<int64_t>& shape);

}  // namespace stitch::verify
