// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the tensor cores; policies and tiles of kernels/gemm/mma.cuh.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/gemm/mma.cuh"

namespace stitch {

template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_mma(const Conv2dShape& shape, const float* input, const float* weight,
                              const Epilogue& epilogue, cudaStream_t stream);

}  // namespace stitch
