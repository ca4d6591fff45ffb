// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/ulp_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stitch::verify {
namespace {

constexpr int kDroppedBits = 48;     // 52 bits of fraction, four of them kept
constexpr int kExponentBias = 1023;  // of a double

}  // namespace

void UlpHistogram::add(double ulps) {
  ++total_;
  maximum_ = std::max(maximum_, ulps);
  // The exponent and the first four bits of the fraction, read off the representation, number the bucket.
  const auto prefix = static_cast<int64_t>(std::bit_cast<uint64_t>(ulps) >> kDroppedBits);
  constexpr int64_t kFirst = static_cast<int64_t>(kExponentBias + kMinExponent) * kBucketsPerOctave;
  const int64_t bucket = std::clamp<int64_t>(prefix - kFirst + 1, 0, static_cast<int64_t>(counts_.size()) - 1);
  ++counts_[static_cast<size_t>(bucket)];
}

void UlpHistogram::add_to_bucket(int64_t bucket, int64_t count) {
  counts_[static_cast<size_t>(std::clamp<int64_t>(bucket, 0, static_cast<int64_t>(counts_.size()) - 1))] += count;
  total_ += count;
}

void UlpHistogram::raise_maximum(double ulps) { maximum_ = std::max(maximum_, ulps); }

void UlpHistogram::merge(const UlpHistogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  total_ += other.total_;
  maximum_ = std::max(maximum_, other.maximum_);
}

double UlpHistogram::percentile(double share) const {
  const auto wanted = static_cast<int64_t>(std::ceil(share * static_cast<double>(total_)));
  int64_t seen = counts_[0];
  if (total_ == 0 || seen >= wanted) {
    return 0;
  }
  for (int i = 1; i < static_cast<int>(counts_.size()); ++i) {
    seen += counts_[static_cast<size_t>(i)];
    if (seen >= wanted) {
      const int octave = (i - 1) / kBucketsPerOctave;
      const int step = (i - 1) % kBucketsPerOctave;
      const double upper = std::ldexp(1.0 + (step + 1.0) / kBucketsPerOctave, octave + kMinExponent);
      return std::min(upper, maximum_);
    }
  }
  return maximum_;
}

}  // namespace stitch::verify
