// SPDX-License-Identifier: Apache-2.0
// Of how few random numbers the errors of a tile are made. All elements of a row may share one (the rounding of a score
// that outweighs the others), and then four runs say as little about a fifth as four numbers do, however long the row.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "verify/compare/constants.h"
#include "verify/compare/tile_budget.h"

namespace stitch::verify {

// Each run's usual error as a share of the widest run's.
using RunSpreads = std::array<double, kErrorRuns>;
inline constexpr RunSpreads kEqualSpreads = {1, 1, 1, 1};

struct SharedErrors {
  double numbers = std::numeric_limits<double>::infinity();  // independent ones, in effect
  RunSpreads spreads = kEqualSpreads;
};

// What the first kErrorRuns runs of a tile have in common.
struct RunOverlap {
  // For independent runs of covariances s_r^2 C the mean of ((e1 - e2) . (e3 - e4))^2 is (s1^2 + s2^2) (s3^2 + s4^2)
  // tr(C^2), and that of (|e1|^2 + |e2|^2) (|e3|^2 + |e4|^2) the same with tr(C)^2: `share` is the one over the other,
  // each summed over the three ways to pair the runs. An error that all runs have alike counts in the second only.
  double share = 0;
  std::array<double, kErrorRuns> squares{};  // |e_r|^2
};
// `runs` are kErrorRuns at least.
RunOverlap measure_overlap(const TileTruth& truth, const std::vector<std::span<const double>>& runs);

// Of a tile that overlaps like `own`, among tiles that overlap like `around`, itself among them. As few numbers as
// either says: four runs may overlap little by chance in the very tile where they err little by chance.
// Spreads are the runs' mean errors over `around`, geometric, since tiles differ by orders of magnitude; equal where
// there are fewer than kTypicalTiles.
SharedErrors shared_errors(const RunOverlap& own, std::span<const RunOverlap> around);

}  // namespace stitch::verify
