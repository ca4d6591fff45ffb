// SPDX-License-Identifier: Apache-2.0
// Whoever draws answers for a trainer elsewhere than in its own process.
#pragma once

#include <span>
#include <vector>

#include "base/error/result.h"
#include "train/sampler/sample.h"

namespace stitch::train {

class Drawer {
 public:
  virtual ~Drawer() = default;
  // From here on, draws are of this policy. Of one run a version is always the same weights.
  virtual Result<void> use(const Decoder& policy, int64_t version) = 0;
  // As sample() without a mask: in the order of the requests, and the same again for the same seed and stream.
  virtual Result<std::vector<Sample>> draw(std::span<const SampleRequest> requests, const SampleSettings& settings) = 0;
};

}  // namespace stitch::train
