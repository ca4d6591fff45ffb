// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

namespace stitch::ir {

OpDef adaptive_max_pool2d_with_indices_def() { return adaptive_max_pool_def(2, true); }

}  // namespace stitch::ir
