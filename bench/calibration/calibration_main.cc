// SPDX-License-Identifier: Apache-2.0
// Prints the calibration of the accept rule as Markdown. Exit status 1 when an honest kernel is refused or a bug
// passes.
#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "calibration/measure.h"

int main(int argc, char** argv) {
  using stitch::calibration::Expectation;
  const std::vector<int64_t> lengths{16, 64, 256, 1024, 4096, 16384};
  constexpr int kDraws = 5;
  const uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  std::vector<stitch::calibration::Row> rows;
  for (const auto& family : stitch::calibration::all_families()) {
    for (const int64_t length : lengths) {
      auto measured = stitch::calibration::measure(family, length, kDraws, seed);
      rows.insert(rows.end(), measured.begin(), measured.end());
      if (!family.has_length) {
        break;
      }
    }
  }
  fmt::print("{}", stitch::calibration::table(rows, lengths));
  int misjudged = 0;
  for (const auto& row : rows) {
    const bool wrong = (row.expectation == Expectation::kHonest && row.refused) ||
                       (row.expectation == Expectation::kBug && !row.refused);
    if (wrong || row.regimes_left_out > 0) {
      fmt::print("\n{}, {}, K = {}: {:.3g} in regime {}{}{}\n", row.family, row.kernel, row.length, row.ratio,
                 row.regime, wrong ? ", misjudged" : "", row.regimes_left_out > 0 ? ", a regime left out" : "");
    }
    misjudged += wrong ? 1 : 0;
  }
  fmt::print("\nSeed {}, {} draws in each of four regimes; {} of {} misjudged.\n", seed, kDraws, misjudged,
             rows.size());
  return misjudged == 0 ? 0 : 1;
}
