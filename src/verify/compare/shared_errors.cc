// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/shared_errors.h"

#include <algorithm>
#include <cmath>

namespace stitch::verify {
namespace {

using Products = std::array<std::array<double, kErrorRuns>, kErrorRuns>;

// Of the runs' errors with each other. What is not finite takes no part.
Products products_of(const TileTruth& truth, const std::vector<std::span<const double>>& runs) {
  Products products{};
  for (size_t i = 0; i < truth.reference.size(); ++i) {
    std::array<double, kErrorRuns> errors{};
    for (size_t run = 0; run < kErrorRuns; ++run) {
      const double error = runs[run][i] - truth.nearest(i, runs[run][i]);
      errors[run] = std::isfinite(error) ? error : 0;
    }
    for (size_t left = 0; left < kErrorRuns; ++left) {
      for (size_t right = left; right < kErrorRuns; ++right) {
        products[left][right] += errors[left] * errors[right];
      }
    }
  }
  for (size_t left = 0; left < kErrorRuns; ++left) {
    for (size_t right = 0; right < left; ++right) {
      products[left][right] = products[right][left];
    }
  }
  return products;
}

// A run without an error in one tile is no run without errors.
constexpr double kLeastSquare = 0x1p-20;  // relative to the widest run's

RunSpreads spreads_of(std::span<const RunOverlap> around) {
  RunSpreads logs{};
  for (const RunOverlap& each : around) {
    const double widest = *std::max_element(each.squares.begin(), each.squares.end());
    for (size_t run = 0; run < kErrorRuns && widest > 0; ++run) {
      const double square = std::max(each.squares[run], widest * kLeastSquare);
      logs[run] += std::log(square) / 2 / static_cast<double>(around.size());
    }
  }
  const double widest = *std::max_element(logs.begin(), logs.end());
  RunSpreads spreads{};
  for (size_t run = 0; run < kErrorRuns; ++run) {
    spreads[run] = std::max(kLeastSpread, std::exp(logs[run] - widest));
  }
  return spreads;
}

}  // namespace

RunOverlap measure_overlap(const TileTruth& truth, const std::vector<std::span<const double>>& runs) {
  const Products products = products_of(truth, runs);
  RunOverlap overlap;
  for (size_t run = 0; run < kErrorRuns; ++run) {
    overlap.squares[run] = products[run][run];
  }
  constexpr std::array<std::array<size_t, kErrorRuns>, 3> kPairings = {{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}}};
  double seen = 0;
  double possible = 0;
  for (const auto& [a, b, c, d] : kPairings) {
    const double common = products[a][c] - products[a][d] - products[b][c] + products[b][d];
    seen += common * common;
    possible += (overlap.squares[a] + overlap.squares[b]) * (overlap.squares[c] + overlap.squares[d]);
  }
  overlap.share = possible > 0 ? seen / possible : 0;
  return overlap;
}

SharedErrors shared_errors(const RunOverlap& own, std::span<const RunOverlap> around) {
  double mean = 0;
  for (const RunOverlap& each : around) {
    mean += each.share / static_cast<double>(around.size());
  }
  SharedErrors shared;
  const double share = std::max(own.share, mean);
  shared.numbers = share > 0 ? 1 / share : shared.numbers;
  shared.spreads = around.size() < static_cast<size_t>(kTypicalTiles) ? kEqualSpreads : spreads_of(around);
  return shared;
}

}  // namespace stitch::verify
