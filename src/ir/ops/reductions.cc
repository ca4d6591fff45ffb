// SPDX-License-Identifier: Apache-2.0
// What falls together along axes: sums, products, extremes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

// The sum over the axes dim.
OpDef sum_def() {
  return reduction(ReductionRule::kNumber, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 0.0);
  });
}

// The mean over the axes dim.
OpDef mean_def() {
  return reduction(ReductionRule::kFloatingPoint, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 0.0) / static_cast<double>(elements.size());
  });
}

// The product over the axes dim.
OpDef prod_def() {
  return reduction(ReductionRule::kNumber, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 1.0, std::multiplies<>());
  });
}

// The largest element over the axes dim; NaN where there is one.
OpDef amax_def() {
  return reduction_of_some(ReductionRule::kAny, [](const Node&, std::span<const double> elements) {
    double largest = elements[0];
    for (const double element : elements) {
      largest = std::isnan(element) || element > largest ? element : largest;
    }
    return largest;
  });
}

// The smallest element over the axes dim; NaN where there is one.
OpDef amin_def() {
  return reduction_of_some(ReductionRule::kAny, [](const Node&, std::span<const double> elements) {
    double smallest = elements[0];
    for (const double element : elements) {
      smallest = std::isnan(element) || element < smallest ? element : smallest;
    }
    return smallest;
  });
}

// The variance over the axes dim: squared distances from the mean over (count - correction).
OpDef var_def() {
  return reduction(ReductionRule::kFloatingPoint, {{"correction", AttributeKind::kInt}},
                   [](const Node& node, std::span<const double> elements) {
                     const auto count = static_cast<double>(elements.size());
                     const double mean = std::accumulate(elements.begin(), elements.end(), 0.0) / count;
                     double squares = 0.0;
                     for (const double element : elements) {
                       squares += (element - mean) * (element - mean);
                     }
                     return squares / std::max(0.0, count - static_cast<double>(int_attribute(node, "correction")));
                   });
}

// The logarithm of the sum of the exponentials over the axes dim, as if none of them could overflow.
OpDef logsumexp_def() {
  return reduction(ReductionRule::kFloatingPoint, {}, [](const Node&, std::span<const double> elements) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double element : elements) {
      largest = std::isnan(element) || element > largest ? element : largest;
    }
    if (std::isinf(largest) || std::isnan(largest)) {
      return largest;
    }
    double sum = 0.0;
    for (const double element : elements) {
      sum += std::exp(element - largest);
    }
    return largest + std::log(sum);
  });
}

}  // namespace stitch::ir
