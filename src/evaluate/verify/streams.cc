// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "evaluate/verify/correlation.h"

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
// Of products at one distance, beyond those of independent numbers: of 10^6 distances none is as far out in 10^20.
constexpr double kMaxSpreads = 12.0;
constexpr double kLeastAlike = 0.05;
constexpr size_t kMaxToTransform = size_t{1} << 15;

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
    // Half of them at least are left to compare, or they may come from a few numbers alone.
    if (distance + std::max(kMinToCompare, count / 2) <= count) {
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

// At every distance at once, where fewer numbers would do: a mirror image, or some of them, is as alike as less than
// kMaxAlike, and any place may be where they begin again.
struct AllDistances {
  std::vector<double> products;  // from -(count - 1) on
  std::vector<double> compared;  // elements
};

AllDistances at_all_distances(const Streams& ones, const Streams& others) {
  const auto present = [](const Streams& streams) {
    std::vector<double> found(streams.front().size());
    for (const auto& stream : streams) {
      for (size_t i = 0; i < stream.size(); ++i) {
        found[i] = stream[i] != 0 ? 1 : found[i];
      }
    }
    return Streams{found};
  };
  AllDistances all{products_at_all_distances(ones, others), products_at_all_distances(present(ones), present(others))};
  for (double& compared : all.compared) {
    compared = std::round(compared) * static_cast<double>(ones.size());
  }
  return all;
}

// Of products, in units of their spread if all numbers were independent.
double spreads_at(const AllDistances& all, size_t at) {
  return std::fabs(all.products[at]) / std::sqrt(all.compared[at]);
}

double likeness_at(const AllDistances& all, size_t at) { return std::fabs(all.products[at]) / all.compared[at]; }

// How far from `first` on, if anywhere, ours go with each other as nothing does in theirs. Few numbers may stand behind
// many elements, whose products then spread more; of too few of them nothing is said.
std::optional<int64_t> farthest_out(const AllDistances& ours, const AllDistances& theirs, int64_t first) {
  constexpr auto kLeast = static_cast<double>(kMinToCompare);
  const auto middle = static_cast<int64_t>(ours.products.size() / 2);
  double squares = 0.0, most = 0.0;
  std::vector<size_t> places;
  for (int64_t distance = first; distance <= middle; ++distance) {
    const auto at = static_cast<size_t>(distance + middle);
    if (distance != 0 && ours.compared[at] >= kLeast && theirs.compared[at] >= kLeast) {
      places.push_back(at);
      squares += spreads_at(theirs, at) * spreads_at(theirs, at);
      most = std::max(most, spreads_at(theirs, at));
    }
  }
  const double variance = std::max(1.0, squares / static_cast<double>(std::max<size_t>(places.size(), 1)));
  const double allowed = std::max(kMaxSpreads * std::sqrt(variance), 2.0 * most);
  for (const size_t at : places) {
    const bool are_enough = ours.compared[at] >= kLeast * variance;
    const double most_alike = std::max(kLeastAlike, kMaxTimesAlike * likeness_at(theirs, at));
    if (are_enough && spreads_at(ours, at) > allowed && likeness_at(ours, at) > most_alike) {
      return static_cast<int64_t>(at) - middle;
    }
  }
  return std::nullopt;
}

Streams cut(const Streams& streams) {
  Streams shorter;
  for (const auto& stream : streams) {
    shorter.emplace_back(stream.begin(),
                         stream.begin() + static_cast<int64_t>(std::min(stream.size(), kMaxToTransform)));
  }
  return shorter;
}

std::optional<std::string> goes_with_another(const Streams& all_ours, const Streams& all_theirs) {
  const Streams ours = cut(all_ours), theirs = cut(all_theirs);
  const auto within = farthest_out(at_all_distances(ours, ours), at_all_distances(theirs, theirs), 1);
  if (within) {
    return fmt::format("has numbers that follow from those {} places on", *within);
  }
  Streams ones, others;
  for (size_t pair = 0; pair < kPairs && 2 * pair + 1 < theirs.size(); ++pair) {
    ones.push_back(theirs[2 * pair]);
    others.push_back(theirs[2 * pair + 1]);
  }
  const AllDistances of_theirs = at_all_distances(ones, others);
  const auto farthest = -static_cast<int64_t>(ours.front().size());
  for (size_t related = 1; related < std::size(kRelatedCalls); ++related) {
    const auto found = farthest_out(at_all_distances({ours[0]}, {ours[related]}), of_theirs, farthest + 1);
    if (found) {
      return fmt::format("draws by {} numbers that follow from those {} places on", kRelatedCalls[related].name,
                         *found);
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
  for (const Form form : kForms) {
    found = found ? found : goes_with_another(deviations_of(got, form), deviations_of(wanted, form));
  }
  return found;
}

}  // namespace stitch::evaluate
