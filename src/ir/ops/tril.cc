// SPDX-License-Identifier: Apache-2.0
// The triangle on and below the diagonal that lies `diagonal` columns right of the main one; zero elsewhere.
#include "ir/ops/support/triangle.h"

namespace stitch::ir {

OpDef tril_def() {
  return triangle([](int64_t distance) { return distance <= 0; });
}

}  // namespace stitch::ir
