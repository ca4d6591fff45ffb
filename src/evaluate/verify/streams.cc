// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace stitch::evaluate {
namespace {

using Streams = std::vector<std::vector<double>>;

// How alike two streams may be: 1 where one is the other, and as a normal number of spread 1/sqrt(n) where the n
// numbers behind them are independent. Of fewer elements nothing is said; where few numbers stand behind many elements,
// the eager module's own calls are as alike, and this many times that is allowed.
constexpr double kMaxAlike = 0.5;
constexpr double kMaxTimesAlike = 3.0;
constexpr size_t kMinToCompare = 512;
constexpr size_t kMaxToCompare = size_t{1} << 18;
constexpr size_t kPairs = 4;  // of the eager module's calls

// Numbers that are added to an input of either sign show in elements, those that it is multiplied by in their sizes.
using Form = double (*)(double);
constexpr Form kForms[] = {[](double value) { return value; }, [](double value) { return std::fabs(value); }};

// Each element of each run, in that form, beside its mean over all runs, in units of its spread over them; 0 where it
// has none.
Streams deviations_of(const Streams& runs, Form form) {
  const size_t count = std::min(runs.front().size(), kMaxToCompare);
  const auto number = static_cast<double>(runs.size());
  Streams deviations(runs.size(), std::vector<double>(count));
  for (size_t i = 0; i < count; ++i) {
    double mean = 0.0, squares = 0.0;
    for (const auto& run : runs) {
      mean += form(run[i]) / number;
    }
    for (const auto& run : runs) {
      squares += (form(run[i]) - mean) * (form(run[i]) - mean) / number;
    }
    const double spread = std::sqrt(squares);
    for (size_t run = 0; run < runs.size() && spread > 0; ++run) {
      deviations[run][i] = (form(runs[run][i]) - mean) / spread;
    }
  }
  return deviations;
}

// The correlation of one stream with another that is `distance` places on. A NaN is like nothing, nor are a few
// elements.
double likeness(const std::vector<double>& one, const std::vector<double>& other, int64_t distance) {
  const auto count = static_cast<int64_t>(one.size());
  double product = 0.0, first = 0.0, second = 0.0;
  size_t compared = 0;
  for (int64_t i = std::max<int64_t>(0, -distance); i < std::min(count, count - distance); ++i) {
    const double a = one[static_cast<size_t>(i)], b = other[static_cast<size_t>(i + distance)];
    product += a * b;
    first += a * a;
    second += b * b;
    compared += a != 0 && b != 0 ? 1 : 0;
  }
  return compared >= kMinToCompare ? std::fabs(product) / std::sqrt(first * second) : 0.0;
}

std::vector<int64_t> distances_of(size_t count, size_t row) {
  std::vector<int64_t> distances;
  const auto add = [&](size_t distance) {
    // At least so many elements are left to compare.
    if (distance + kMinToCompare <= count) {
      distances.push_back(static_cast<int64_t>(distance));
    }
  };
  for (size_t distance = 1; distance < count; distance *= 2) {
    add(distance);
  }
  for (const size_t distance : {size_t{3}, row, 2 * row}) {
    add(distance);
  }
  return distances;
}

double most_alike(const Streams& wanted, int64_t distance, bool in_itself) {
  double most = 0.0;
  for (size_t pair = 0; pair < kPairs && 2 * pair + 1 < wanted.size(); ++pair) {
    const auto& other = wanted[2 * pair + (in_itself ? 0 : 1)];
    most = std::max(most, likeness(wanted[2 * pair], other, distance));
  }
  return most;
}

bool is_too_alike(double alike, double most) { return alike > std::max(kMaxAlike, kMaxTimesAlike * most); }

// In one call from some place on.
std::optional<std::string> repeats_itself(const Streams& ours, const Streams& theirs,
                                          const std::vector<int64_t>& distances) {
  for (const int64_t distance : distances) {
    if (is_too_alike(likeness(ours[0], ours[0], distance), most_alike(theirs, distance, true))) {
      return fmt::format("repeats its numbers {} places on", distance);
    }
  }
  return std::nullopt;
}

// In a related call, at the same places or some places on.
std::optional<std::string> repeats_in(size_t related, const Streams& ours, const Streams& theirs,
                                      const std::vector<int64_t>& distances) {
  const char* name = kRelatedCalls[related].name;
  if (is_too_alike(likeness(ours[0], ours[related], 0), most_alike(theirs, 0, false))) {
    return fmt::format("draws much the same numbers by {}", name);
  }
  for (const int64_t distance : distances) {
    for (const int64_t on : {distance, -distance}) {
      if (is_too_alike(likeness(ours[0], ours[related], -on), most_alike(theirs, -on, false))) {
        return fmt::format("draws by {} the same numbers {} places on", name, on);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_form(const Streams& got, const Streams& wanted, size_t row, Form form) {
  const Streams ours = deviations_of(got, form), theirs = deviations_of(wanted, form);
  const std::vector<int64_t> distances = distances_of(ours.front().size(), row);
  std::optional<std::string> found = repeats_itself(ours, theirs, distances);
  for (size_t related = 1; related < std::size(kRelatedCalls) && !found; ++related) {
    found = repeats_in(related, ours, theirs, distances);
  }
  return found;
}

}  // namespace

std::optional<std::string> find_repetition(const Streams& got, const Streams& wanted, size_t row) {
  if (got.size() < std::size(kRelatedCalls) || got.front().size() < kMinToCompare) {
    return std::nullopt;
  }
  std::optional<std::string> found;
  for (const Form form : kForms) {
    found = found ? found : find_in_form(got, wanted, row, form);
  }
  return found;
}

}  // namespace stitch::evaluate
