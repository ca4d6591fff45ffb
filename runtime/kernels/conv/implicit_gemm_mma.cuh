// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the tensor cores; policies and tiles of kernels/gemm/mma.cuh, m over output
// channels, n over output pixels.
#pragma once

#include "kernels/conv/operand.cuh"
#include "kernels/gemm/mma.cuh"

namespace stitch {

using MmaTileTall = MmaTile<160, 64, 32, 2, 2, 3>;  // 128 threads, 84 KB: between 128 and 160 output channels

namespace conv_detail {

template <typename Math, typename Tile, typename Window, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Math, Tile>::kBlocks)
    conv2d_mma_kernel(GemmShape shape, ConvInput<Window> input, const float* weight, BlockRaster raster,
                      Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  auto& table = *reinterpret_cast<WindowTable<Window, Tile::k>*>(shared_tiles + Tile::shared_bytes / sizeof(float));
  const BlockPlace place = raster.place();
  input.data += place.batch * (shape.k / Window::taps) * input.plane_stride;
  const OperandView<float> weights{weight + place.batch * shape.m * shape.k, shape.k, 1, shape.m, kWide};
  table.fill(input);
  __syncthreads();
  MmaAsyncOperand<Tile::m, Tile::k, Tile::threads, Layout::kContiguousK, kWide> operand_a(weights, place.row,
                                                                                          place.k_end);
  MmaGather<Tile::n, Tile::k, Tile::threads, Window> operand_b(input, table, place.column, shape.n, place.k_end);
  mma_block<Math, Tile>(operand_a, operand_b, shared_tiles, shape, place, place.split * shape.batch + place.batch,
                        epilogue);
}

template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_mma(const Conv2dShape& shape, const float* input, const float* weight, const Epilogue& epilogue,
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
  const bool wide = copies_wide(StridedMatrix<float>{weight, 0, gemm.k, 1}, gemm.k);
  const auto kernel = wide ? conv2d_mma_kernel<Math, Tile, Window, true, Epilogue>
                           : conv2d_mma_kernel<Math, Tile, Window, false, Epilogue>;
  constexpr int kSharedBytes = Tile::shared_bytes + static_cast<int>(sizeof(WindowTable<Window, Tile::k>));
  const cudaError_t error = allow_shared_memory(kernel, kSharedBytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, kSharedBytes, stream>>>(
      gemm, conv_input<Window>(shape, input), weight, raster, epilogue);
  return cudaGetLastError();
}

}  // namespace conv_detail

template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_mma(const Conv2dShape& shape, const float* input, const float* weight,
                              const Epilogue& epilogue, cudaStream_t stream) {
  const ConvEpilogue<Epilogue> by_pixel{epilogue, PixelIndex(shape), shape.out_channels / shape.groups};
  return conv_detail::launch_mma<Math, Tile, Window>(shape, input, weight, by_pixel, 1, stream);
}

// Many input channels, few output pixels. scratch: splits * out_channels * batch * out_height * out_width * 4 bytes.
template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv2d_mma_split_k(const Conv2dShape& shape, const float* input, const float* weight,
                                      const Epilogue& epilogue, int64_t splits, void* scratch, cudaStream_t stream) {
  const GemmShape gemm = conv_gemm_shape(shape, Window::taps);
  const StorePartial store{static_cast<float*>(scratch), gemm.m, gemm.n};
  const cudaError_t error = conv_detail::launch_mma<Math, Tile, Window>(shape, input, weight, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const ConvEpilogue<Epilogue> by_pixel{epilogue, PixelIndex(shape), gemm.m};
  return launch_join_splits(gemm, static_cast<const float*>(scratch), by_pixel, splits, stream);
}

}  // namespace stitch
