// SPDX-License-Identifier: Apache-2.0
// Percentiles of errors in units in the last place, in constant memory: sixteen buckets to each power of two.
#pragma once

#include <array>
#include <cstdint>

namespace stitch::verify {

class UlpHistogram {
 public:
  // `ulps` is finite and not negative.
  void add(double ulps);
  // `count` of them at once that all fall into `bucket`, as the oracle counts them where they lie.
  void add_to_bucket(int64_t bucket, int64_t count);
  void raise_maximum(double ulps);
  void merge(const UlpHistogram& other);
  // The error that `share` (0 ... 1) of the elements stay within, at most 7 % too large. 0 when nothing was added.
  double percentile(double share) const;
  double maximum() const { return maximum_; }

 private:
  static constexpr int kBucketsPerOctave = 16;
  static constexpr int kMinExponent = -6;  // errors below 2^-6 units count as none
  static constexpr int kOctaves = 70;
  std::array<int64_t, 1 + kBucketsPerOctave * kOctaves> counts_{};
  int64_t total_ = 0;
  double maximum_ = 0;
};

}  // namespace stitch::verify
