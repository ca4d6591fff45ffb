// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the ordinary fp32 pipes: the input window is gathered while a tile is loaded.
// Tile: one of kernels/gemm/ffma.cuh, m over output channels, n over output pixels.
#pragma once

#include "kernels/conv/operand.cuh"
#include "kernels/gemm/ffma.cuh"

namespace stitch {

namespace conv_detail {

template <typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 512 / Tile::threads)
    conv2d_ffma_kernel(GemmShape shape, ConvInput<Window> input, const float* weight, bool aligned, BlockRaster raster,
                       Epilogue epilogue) {
  __shared__ WindowTable<Window, Tile::k> table;
  const BlockPlace place = raster.place();
  input.data += place.batch * (shape.k / Window::taps) * input.plane_stride;
  const OperandView<float> weights{weight + place.batch * shape.m * shape.k, shape.k, 1, shape.m, aligned};
  FfmaOperand<Tile::m, Tile::k, Tile::threads, Layout::kContiguousK, float, ffma_detail::NoTransform> operand_a(
      weights, place.row, place.k_end, ffma_detail::NoTransform{});
  table.fill(input);
  __syncthreads();
  FfmaGather<Tile::n, Tile::k, Tile::threads, Window> operand_b(input, table, place.column, shape.n, place.k_end);
  ffma_block<Tile>(operand_a, operand_b, shape, place, place.split * shape.batch + place.batch, epilogue);
}

template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_ffma(const Conv2dShape& shape, const float* input, const float* weight, const Epilogue& epilogue,
                        int64_t splits, cudaStream_t stream) {
  GemmShape gemm = conv_gemm_shape(shape, Window::taps);
  gemm.epilogue_vectorised = splits > 1 && gemm.n % 4 == 0;
  const BlockRaster raster(gemm, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  if (!WindowTable<Window, Tile::k>::reaches(shape)) {
    return cudaErrorInvalidValue;  // images beyond 2^30 pixels for all channels of a tile
  }
  conv2d_ffma_kernel<Tile, Window, Epilogue><<<static_cast<unsigned>(raster.blocks()), Tile::threads, 0, stream>>>(
      gemm, conv_input<Window>(shape, input), weight, lanes_aligned(weight, gemm.k), raster, epilogue);
  return cudaGetLastError();
}

}  // namespace conv_detail

template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_ffma(const Conv2dShape& shape, const float* input, const float* weight,
                               const Epilogue& epilogue, cudaStream_t stream) {
  const ConvEpilogue<Epilogue> by_pixel{epilogue, PixelIndex(shape), shape.out_channels / shape.groups};
  return conv_detail::launch_ffma<Tile, Window>(shape, input, weight, by_pixel, 1, stream);
}

// Many input channels, few output pixels. scratch: splits * out_channels * batch * out_height * out_width * 4 bytes.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_ffma_split_k(const Conv2dShape& shape, const float* input, const float* weight,
                                       const Epilogue& epilogue, int64_t splits, void* scratch, cudaStream_t stream) {
  const GemmShape gemm = conv_gemm_shape(shape, Window::taps);
  const StorePartial store{static_cast<float*>(scratch), gemm.m, gemm.n};
  const cudaError_t error = conv_detail::launch_ffma<Tile, Window>(shape, input, weight, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const ConvEpilogue<Epilogue> by_pixel{epilogue, PixelIndex(shape), gemm.m};
  return launch_join_splits(gemm, static_cast<const float*>(scratch), by_pixel, splits, stream);
}

}  // namespace stitch
