// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/abba.h"

#include <fmt/format.h>

#include "evaluate/timing/series.h"

namespace stitch::evaluate {
namespace {

constexpr uint64_t kOrderSeed = 20260102;
constexpr size_t kMinFours = 3;

// Drift that meets both alike is what the order is for: only what spoils the comparison itself is a refusal.
std::string refusal_of_one(std::span<const double> samples_us, const char* whose) {
  const TwoModes modes = find_two_modes(samples_us);
  return modes.found ? fmt::format("the {}'s times are of two kinds, near {:.4g} us and near {:.4g} us", whose,
                                   modes.low, modes.high)
                     : std::string();
}

}  // namespace

std::vector<Turn> abba_order(int fours) {
  std::vector<Turn> order;
  for (int i = 0; i < fours; ++i) {
    order.insert(order.end(), {Turn::kCandidate, Turn::kBaseline, Turn::kBaseline, Turn::kCandidate});
  }
  return order;
}

Speedup compare_abba(std::span<const double> candidate_us, std::span<const double> baseline_us) {
  Speedup speedup;
  const size_t fours = candidate_us.size() / 2;
  if (candidate_us.size() != baseline_us.size() || candidate_us.size() % 2 != 0 || fours < kMinFours) {
    speedup.refusal = fmt::format("{} and {} blocks are not at least {} times A B B A", candidate_us.size(),
                                  baseline_us.size(), kMinFours);
    return speedup;
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < candidate_us.size(); i += 2) {
    const double ours = candidate_us[i] + candidate_us[i + 1];
    const double theirs = baseline_us[i] + baseline_us[i + 1];
    if (!(ours > 0 && theirs > 0 && ours < 1e300 && theirs < 1e300)) {
      speedup.refusal = "a block has no time above zero";
      return speedup;
    }
    ratios.push_back(theirs / ours);
  }
  speedup.median = median(ratios);
  const Interval interval = bootstrap_median(ratios, kOrderSeed);
  speedup.low = interval.low;
  speedup.high = interval.high;
  speedup.refusal = refusal_of_one(candidate_us, "candidate");
  if (speedup.refusal.empty()) {
    speedup.refusal = refusal_of_one(baseline_us, "baseline");
  }
  return speedup;
}

}  // namespace stitch::evaluate
