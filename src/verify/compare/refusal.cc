// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/refusal.h"

#include <fmt/core.h>

#include <cmath>

#include "verify/compare/constants.h"

namespace stitch::verify {

std::string index_text(int64_t element, const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t axis = shape.size(); axis > 0; --axis) {
    const int64_t extent = shape[axis - 1];
    text = fmt::format("{}{}{}", element % extent, text.empty() ? "" : ",", text);
    element /= extent;
  }
  return "[" + text + "]";
}

namespace {

std::string lost_message(const Refusal& refusal, const std::string& output, const std::vector<int64_t>& shape) {
  return fmt::format(
      "{} of {} elements of {} between {:.3g} and {:.3g} are off by more than an eighth of their size, though the "
      "reference's own runs agree about them: got {:.9g}, expected {:.9g} at {}",
      refusal.refused, refusal.known, output, refusal.magnitude, std::ldexp(refusal.magnitude, kMagnitudeOctaves),
      refusal.got, refusal.expected, index_text(refusal.element, shape));
}

}  // namespace

std::string message(const Refusal& refusal, const std::string& output, const std::vector<int64_t>& shape) {
  if (refusal.known > 0) {
    return lost_message(refusal, output, shape);
  }
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements *= extent;
  }
  std::string text = fmt::format(
      "{} of {} elements of {} refused, the worst at {} (tile {}): got {:.9g}, expected {:.9g}", refusal.refused,
      elements, output, index_text(refusal.element, shape), refusal.tile, refusal.got, refusal.expected);
  if (std::isfinite(refusal.ratio)) {
    text += fmt::format(", {:.3g} times the reference's own error over {} elements ({:g} allowed)", refusal.ratio,
                        refusal.erring, kErrorMultiple);
  }
  return text;
}

}  // namespace stitch::verify
