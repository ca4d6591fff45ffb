// SPDX-License-Identifier: Apache-2.0
// The oracle's four regimes, as it makes them, for tensors of this program.
#pragma once

#include <string>
#include <vector>

#include "calibration/family.h"

namespace stitch::calibration {

const std::vector<std::string>& regimes();
// Transforms the first `inputs` tensors.
void apply_regime(const std::string& regime, int draw, size_t inputs, Sample& sample, Random& random);
// Every finite non-zero element moved to a neighbour.
Sample perturbed(const Sample& sample, Random& random);

}  // namespace stitch::calibration
