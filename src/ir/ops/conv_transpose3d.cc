// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/convolution.h"

namespace stitch::ir {

OpDef conv_transpose3d_def() { return transposed_convolution_def(3); }

}  // namespace stitch::ir
