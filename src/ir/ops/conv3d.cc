// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/convolution.h"

namespace stitch::ir {

OpDef conv3d_def() { return convolution_def(3); }

}  // namespace stitch::ir
