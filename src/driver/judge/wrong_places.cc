// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/wrong_places.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "verify/compare/elements.h"
#include "verify/compare/refusal.h"

namespace stitch::driver {
namespace {

constexpr double kShareOfLargest = 1.0 / 8;
constexpr double kUnsteady = 1e-5;  // relative

// 0 for equal numbers, infinite where one of them alone is not finite.
double distance(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) {
    return 0;
  }
  return std::isfinite(got) && std::isfinite(expected) ? std::abs(got - expected)
                                                       : std::numeric_limits<double>::infinity();
}

// NaNs of other bits are other values: memory that nobody wrote is full of them.
bool are_apart(double one, double other) {
  if (std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(other)) {
    return false;
  }
  const bool is_close = std::abs(one - other) <= kUnsteady * std::max(std::abs(one), std::abs(other));
  return !is_close;
}

std::vector<double> doubles_of(const HostTensor& tensor, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  verify::load_doubles(tensor, 0, count, values.data());
  return values;
}

}  // namespace

WrongPlaces first_unsteady_places(const verify::OutputReference& reference, const HostTensor& got,
                                  const HostTensor& again, int draw, size_t most) {
  const int64_t count = reference.type.element_count();
  const std::vector<double> ours = doubles_of(got, count);
  const std::vector<double> repeated = doubles_of(again, count);
  const std::vector<double> theirs = doubles_of(reference.reference, count);
  WrongPlaces places;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (!are_apart(ours[i], repeated[i])) {
      continue;
    }
    ++places.count;
    if (places.first.size() < most) {
      places.first.push_back({draw, reference.name, verify::index_text(static_cast<int64_t>(i), reference.type.shape),
                              ours[i], theirs[i], false});
    }
  }
  return places;
}

WrongPlaces first_wrong_places(const verify::OutputReference& reference, const HostTensor& got, int draw, size_t most) {
  const int64_t count = reference.type.element_count();
  const std::vector<double> ours = doubles_of(got, count);
  const std::vector<double> theirs = doubles_of(reference.reference, count);
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
