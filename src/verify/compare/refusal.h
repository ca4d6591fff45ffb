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
  // Refused for small numbers that are lost: how many the reference knows, of this magnitude up to the next. Else 0.
  int64_t known = 0;
  double magnitude = 0;
};

// "[3,17]" for element `element` of `shape`.
std::string index_text(int64_t element, const std::vector<int64_t>& shape);
// "312 of 65536 elements of output 0 refused, the worst at [3,17] (tile 0): got 1.5, expected 1.25, 31 times the
// reference's own error over 512 elements (4 allowed)"
// "1890 of 2048 elements of output 0 between 5.96e-08 and 9.54e-07 are off by more than an eighth of their size, though
// the reference's own runs agree about them: got 0, expected 7.4e-08 at [3,17]"
std::string message(const Refusal& refusal, const std::string& output, const std::vector<int64_t>& shape);

}  // namespace stitch::verify
