// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/measure.h"
#include "verify/compare/constants.h"

namespace stitch::calibration {
namespace {

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) {
    return "inf";
  }
  return ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.2g}", ratio);
}

const Row* find(const std::vector<Row>& rows, const Row& like, int64_t length) {
  for (const Row& row : rows) {
    if (row.family == like.family && row.kernel == like.kernel && (row.length == length || row.length == 0)) {
      return &row;
    }
  }
  return nullptr;
}

std::string margin_text(const std::vector<Row>& rows, const Row& like) {
  double least = std::numeric_limits<double>::infinity();
  for (const Row& row : rows) {
    if (row.family == like.family && row.kernel == like.kernel) {
      const double margin = like.expectation == Expectation::kHonest
                                ? verify::kErrorMultiple / std::max(row.ratio, 1e-9)
                                : row.ratio / verify::kErrorMultiple;
      least = std::min(least, margin);
    }
  }
  return like.expectation == Expectation::kReported ? "" : ratio_text(least);
}

// The first row of each kernel that is expected to do `expectation`.
std::vector<const Row*> kernels_of(const std::vector<Row>& rows, Expectation expectation) {
  std::vector<const Row*> firsts;
  for (const Row& row : rows) {
    const bool known = std::any_of(firsts.begin(), firsts.end(), [&](const Row* first) {
      return first->family == row.family && first->kernel == row.kernel;
    });
    if (row.expectation == expectation && !known) {
      firsts.push_back(&row);
    }
  }
  return firsts;
}

}  // namespace

std::string table(const std::vector<Row>& rows, const std::vector<int64_t>& lengths) {
  std::string text;
  for (const auto& [expectation, title] :
       {std::pair{Expectation::kHonest, "Honest kernels: largest error (at most 4 is accepted)"},
        std::pair{Expectation::kBug, "Planted bugs: largest error (above 4 is refused)"},
        std::pair{Expectation::kReported, "Neither: right on some data, not on all"}}) {
    text += fmt::format("\n**{}**\n\n| family | kernel |", title);
    std::string rule = "|---|---|";
    for (const int64_t length : lengths) {
      text += fmt::format(" K = {} |", length);
      rule += "---|";
    }
    text += " margin |\n" + rule + "---|\n";
    for (const Row* kernel : kernels_of(rows, expectation)) {
      text += fmt::format("| {} | {} |", kernel->family, kernel->kernel);
      for (const int64_t length : lengths) {
        const Row* cell = find(rows, *kernel, length);
        text += fmt::format(" {} |", cell == nullptr ? "" : ratio_text(cell->ratio));
      }
      text += fmt::format(" {} |\n", margin_text(rows, *kernel));
    }
  }
  return text;
}

}  // namespace stitch::calibration
