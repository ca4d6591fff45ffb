// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

namespace stitch::ir {

OpDef adaptive_avg_pool2d_def() { return adaptive_avg_pool_def(2); }

}  // namespace stitch::ir
