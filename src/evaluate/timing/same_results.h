// SPDX-License-Identifier: Apache-2.0
// Whether a timed call gave what an untimed one gave on the same data. Not bit for bit: sums that finish in another
// order each time are honest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/tensor/host_tensor.h"

namespace stitch::evaluate {

// Returns a sentence about a difference, or nothing. Integers must be equal; floats may differ by 0.2 % (fp32) or 4 %
// (16 bits) of the value plus the whole tensor's root mean square; non-finite values must be at the same positions.
std::optional<std::string> find_difference(const std::vector<HostTensor>& timed,
                                           const std::vector<HostTensor>& untimed);

}  // namespace stitch::evaluate
