// SPDX-License-Identifier: Apache-2.0
// How well two orders of the same things agree.
#pragma once

#include <vector>

namespace stitch::rubric {

// Spearman's rank correlation and Kendall's tau-b, both with ties (Kendall, Rank Correlation Methods, 1970, chapter 3).
// 0 where all values of one of the two are equal.
double spearman(const std::vector<double>& first, const std::vector<double>& second);
double kendall(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace stitch::rubric
