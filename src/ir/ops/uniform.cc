// SPDX-License-Identifier: Apache-2.0
// Numbers uniform in [0, 1), one for each element.
#include "ir/ops/support/random.h"

namespace stitch::ir {

OpDef uniform_def() { return random_numbers(); }

}  // namespace stitch::ir
