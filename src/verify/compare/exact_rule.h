// SPDX-License-Identifier: Apache-2.0
// Integers and booleans: equal, or wrong.
#pragma once

#include "verify/compare/compare_output.h"

namespace stitch::verify {

// An element on which the reference's own runs differ (a comparison of floats at its edge) may have any of their
// values; such elements count towards ill-conditioning, so they cannot be many.
OutputComparison compare_exactly(const OutputReference& reference, const HostTensor& got);

// Adds a refused element whose error has no measure. The first one added is kept as the worst.
void refuse_exactly(OutputComparison& result, Refusal refusal);

}  // namespace stitch::verify
