// SPDX-License-Identifier: Apache-2.0
// Numbers of the standard normal distribution, one for each element.
#include "ir/ops/support/random.h"

namespace stitch::ir {

OpDef normal_def() { return random_numbers(); }

}  // namespace stitch::ir
