// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the ordinary fp32 pipes: the input window is gathered while a tile is loaded.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/gemm/ffma.cuh"

namespace stitch {

// Tile: one of kernels/gemm/ffma.cuh, m over output channels, n over output pixels.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_ffma(const Conv2dShape& shape, const float* input, const float* weight,
                               const Epilogue& epilogue, cudaStream_t stream);

}  // namespace stitch
