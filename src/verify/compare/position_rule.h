// SPDX-License-Identifier: Apache-2.0
// Checks on an output of positions that the values standing there cannot make.
#pragma once

#include "verify/compare/compare_output.h"

namespace stitch::verify {

// Refuses in `result` positions that a sort or top-k names twice in one line, which a tie of values would hide, and
// equal values out of their order where a stable sort was asked for.
void judge_positions(const OutputReference& reference, const HostTensor& got, OutputComparison& result);

}  // namespace stitch::verify
