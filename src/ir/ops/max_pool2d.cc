// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

namespace stitch::ir {

OpDef max_pool2d_def() { return max_pool_def(2, false); }

}  // namespace stitch::ir
