// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

namespace stitch::ir {

OpDef max_pool3d_def() { return max_pool_def(3, false); }

}  // namespace stitch::ir
