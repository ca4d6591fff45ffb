// SPDX-License-Identifier: Apache-2.0
// Convolutions over two or three axes, and their transposes.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

// convNd(x [n, c, spatial...], weight [out, c / groups, kernel...], bias [out] or none), zero padding.
OpDef convolution_def(size_t axes);
// conv_transposeNd(x [n, c, spatial...], weight [c, out / groups, kernel...], bias [out] or none).
OpDef transposed_convolution_def(size_t axes);

}  // namespace stitch::ir
