// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/convolution.h"

namespace stitch::ir {

OpDef conv2d_def() { return convolution_def(2); }

}  // namespace stitch::ir
