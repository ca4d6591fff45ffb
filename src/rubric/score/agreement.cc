// SPDX-License-Identifier: Apache-2.0
#include "rubric/score/agreement.h"

#include <cmath>
#include <cstddef>

namespace stitch::rubric {
namespace {

// Ranks from 1 on; equal values share the middle of theirs.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) {
    double below = 0;
    double equal = 0;
    for (const double other : values) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    result.push_back(below + (equal + 1) / 2);
  }
  return result;
}

}  // namespace

double spearman(const std::vector<double>& first, const std::vector<double>& second) {
  const std::vector<double> a = ranks(first);
  const std::vector<double> b = ranks(second);
  const double middle = (static_cast<double>(a.size()) + 1) / 2;
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    of_a += (a[i] - middle) * (a[i] - middle);
    of_b += (b[i] - middle) * (b[i] - middle);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0;
}

double kendall(const std::vector<double>& first, const std::vector<double>& second) {
  double agreeing = 0;
  double in_first = 0;
  double in_second = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const int a = (first[i] > first[k] ? 1 : 0) - (first[i] < first[k] ? 1 : 0);
      const int b = (second[i] > second[k] ? 1 : 0) - (second[i] < second[k] ? 1 : 0);
      agreeing += a * b;
      in_first += a != 0 ? 1 : 0;
      in_second += b != 0 ? 1 : 0;
    }
  }
  return in_first > 0 && in_second > 0 ? agreeing / std::sqrt(in_first * in_second) : 0;
}

}  // namespace stitch::rubric
