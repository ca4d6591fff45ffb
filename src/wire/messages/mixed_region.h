// SPDX-License-Identifier: Apache-2.0
// How the supervisor asks the keeper for contents that nobody has seen: an element-wise mix of two regions.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/messages/tensor_argument.h"

namespace stitch::wire {

// Three regions of one size. The seed determines which elements of `to` come from `first`, and which from `second`.
struct MixedRegion {
  Region first{};
  Region second{};
  Region to{};
  uint64_t width = 0;  // of an element, in bytes: 2, 4 or 8
  uint64_t seed = 0;
};

Json to_json(const std::vector<MixedRegion>& mixes);
Result<std::vector<MixedRegion>> mixed_regions_from_json(const Json& arguments, const char* key);

}  // namespace stitch::wire
