// SPDX-License-Identifier: Apache-2.0
// Draws beyond the planned ones, for calls that are to have contents nobody has seen.
#pragma once

#include <vector>

#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// As many of the regime of usual contents as memory and a second of the reference allow, four dozen at most. Contents
// that are made of a few draws have a few values at each place: whoever looks at one place could tell them from the
// rest.
Result<std::vector<verify::OracleDraw>> fresh_draws(verify::Oracle& oracle, const verify::OracleProgram& program);

}  // namespace stitch::evaluate
