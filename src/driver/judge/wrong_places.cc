// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/wrong_places.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/compare/elements.h"
#include "verify/compare/refusal.h"

namespace stitch::driver {
namespace {

constexpr double kShareOfLargest = 1.0 / 8;

// 0 for equal numbers, infinite where one of them alone is not finite.
double distance(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) {
    return 0;
  }
  return std::isfinite(got) && std::isfinite(expected) ? std::abs(got - expected)
                                                       : std::numeric_limits<double>::infinity();
}

}  // namespace

WrongPlaces first_wrong_places(const verify::OutputReference& reference, const HostTensor& got, int draw, size_t most) {
  const int64_t count = reference.type.element_count();
  std::vector<double> ours(static_cast<size_t>(count));
  std::vector<double> theirs(static_cast<size_t>(count));
  verify::load_doubles(got, 0, count, ours.data());
  verify::load_doubles(reference.reference, 0, count, theirs.data());
  double largest = 0;
  bool has_other_pattern = false;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double apart = distance(ours[i], theirs[i]);
    has_other_pattern = has_other_pattern || std::isinf(apart);
    largest = std::isfinite(apart) ? std::max(largest, apart) : largest;
  }
  WrongPlaces places;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double apart = distance(ours[i], theirs[i]);
    const bool is_wrong = has_other_pattern ? std::isinf(apart) : apart > 0 && apart >= largest * kShareOfLargest;
    if (!is_wrong) {
      continue;
    }
    ++places.count;
    if (places.first.size() < most) {
      places.first.push_back({draw, reference.name, verify::index_text(static_cast<int64_t>(i), reference.type.shape),
                              ours[i], theirs[i]});
    }
  }
  return places;
}

}  // namespace stitch::driver
