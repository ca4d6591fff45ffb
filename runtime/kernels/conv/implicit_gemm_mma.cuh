// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the tensor cores; policies and tiles of kernels/gemm/mma.cuh, m over output
// channels, n over output pixels.
#pragma once

#include "kernels/conv/operand.cuh"
#include "kernels/conv/transposed.cuh"
#include "kernels/gemm/mma.cuh"

namespace stitch {

using MmaTileTall = MmaTile<160, 64, 32, 2, 2, 3>;  // 128 threads, 84 KB: between 128 and 160 output channels

namespace conv_detail {

// Behind the tiles in shared memory.
template <typename Window, int kDepth, bool kTransposed = Window::transposed>
struct Tables {
  WindowTable<typename ConvProblem<Window>::Input, kDepth> input;
};
template <typename Window, int kDepth>
struct Tables<Window, kDepth, true> {
  WindowTable<typename ConvProblem<Window>::Input, kDepth> input;
  WindowTable<TransposedWeight<Window, float>, kDepth> weight;
};

template <typename Math, typename Tile, typename Window, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Math, Tile>::kBlocks)
    conv_mma_kernel(GemmShape shape, typename ConvProblem<Window>::Input input, const float* weight, BlockRaster raster,
                    Epilogue epilogue) {
  using Input = typename ConvProblem<Window>::Input;
  extern __shared__ __align__(16) float shared_tiles[];
  auto& tables = *reinterpret_cast<Tables<Window, Tile::k>*>(shared_tiles + Tile::shared_bytes / sizeof(float));
  const BlockPlace place = raster.place();
  const int64_t matrix = place.split * shape.batch + place.batch;
  input.start(place.batch, shape.k);
  tables.input.fill(input);
  if constexpr (Window::transposed) {
    using Weight = TransposedWeight<Window, float>;
    const Weight weights(weight, place.batch, shape.k / Weight::Grid::taps, shape.m);
    tables.weight.fill(weights);
    __syncthreads();
    MmaGather<Tile::m, Tile::k, Tile::threads, Weight> lhs_operand(weights, tables.weight, place.row, shape.m,
                                                                   place.k_end);
    MmaGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, tables.input, place.column, shape.n,
                                                                  place.k_end);
    mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, matrix, epilogue);
  } else {
    const OperandView<float> weights{weight + place.batch * shape.m * shape.k, shape.k, 1, shape.m, kWide};
    __syncthreads();
    MmaAsyncOperand<Tile::m, Tile::k, Tile::threads, Layout::kContiguousK, kWide> lhs_operand(weights, place.row,
                                                                                              place.k_end);
    MmaGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, tables.input, place.column, shape.n,
                                                                  place.k_end);
    mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, matrix, epilogue);
  }
}

template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_mma(const ConvShape& shape, const float* input, const float* weight, const Epilogue& epilogue,
                       int64_t splits, cudaStream_t stream) {
  using Problem = ConvProblem<Window>;
  GemmShape gemm = Problem::gemm_shape(shape);
  gemm.epilogue_vectorised = splits > 1 && gemm.n % 4 == 0;
  const BlockRaster raster(gemm, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  if (!WindowTable<typename Problem::Input, Tile::k>::reaches(input_planes(shape))) {
    return cudaErrorInvalidValue;  // images beyond 2^30 pixels for all channels of a tile
  }
  auto kernel = conv_mma_kernel<Math, Tile, Window, false, Epilogue>;
  if constexpr (!Window::transposed) {
    if (copies_wide(StridedMatrix<float>{weight, 0, gemm.k, 1}, gemm.k)) {
      kernel = conv_mma_kernel<Math, Tile, Window, true, Epilogue>;
    }
  }
  constexpr int kSharedBytes = Tile::shared_bytes + static_cast<int>(sizeof(Tables<Window, Tile::k>));
  const cudaError_t error = allow_shared_memory(kernel, kSharedBytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, kSharedBytes, stream>>>(
      gemm, Problem::input(shape, input), weight, raster, epilogue);
  return cudaGetLastError();
}

}  // namespace conv_detail

template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_mma(const ConvShape& shape, const float* input, const float* weight, const Epilogue& epilogue,
                            cudaStream_t stream) {
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return conv_detail::launch_mma<Math, Tile, Window>(shape, input, weight, by_pixel, 1, stream);
}

// Many input channels, few output pixels. scratch: splits * conv_partial_elements<Window>(shape) * 4 bytes.
template <typename Math, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_mma_split_k(const ConvShape& shape, const float* input, const float* weight,
                                    const Epilogue& epilogue, int64_t splits, void* scratch, cudaStream_t stream) {
  const GemmShape gemm = ConvProblem<Window>::gemm_shape(shape);
  const StorePartial store{static_cast<float*>(scratch), gemm.m, gemm.n};
  const cudaError_t error = conv_detail::launch_mma<Math, Tile, Window>(shape, input, weight, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return launch_join_splits(gemm, static_cast<const float*>(scratch), by_pixel, splits, stream);
}

}  // namespace stitch
