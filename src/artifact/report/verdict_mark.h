// SPDX-License-Identifier: Apache-2.0
// What every verdict of this process says of the cage that its candidate ran in, where that was not a whole one.
#pragma once

#include <string>

namespace stitch {

// "reduced: ..." or "none: ...". Set before the first verdict.
void mark_verdicts(const std::string& cage);
// Empty: nothing needs to be said.
const std::string& verdict_mark();

}  // namespace stitch
