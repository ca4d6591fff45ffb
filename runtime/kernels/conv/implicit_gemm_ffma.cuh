// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit GEMM on the ordinary fp32 pipes: the input window is gathered while a tile is loaded.
// Tile: one of kernels/gemm/ffma.cuh, m over output channels, n over output pixels.
#pragma once

#include "kernels/conv/operand.cuh"
#include "kernels/conv/transposed.cuh"
#include "kernels/gemm/ffma.cuh"

namespace stitch {

namespace conv_detail {

template <typename Tile, typename Window, typename T, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 512 / Tile::threads)
    conv_ffma_kernel(GemmShape shape, typename ConvProblem<Window, T>::Input input, const T* weight, bool aligned,
                     BlockRaster raster, Epilogue epilogue) {
  using Input = typename ConvProblem<Window, T>::Input;
  __shared__ WindowTable<Input, Tile::k> table;
  const BlockPlace place = raster.place();
  const int64_t matrix = place.split * shape.batch + place.batch;
  input.start(place.batch, shape.k);
  table.fill(input);
  if constexpr (Window::transposed) {
    using Weight = TransposedWeight<Window, T>;
    __shared__ WindowTable<Weight, Tile::k> weight_table;
    const Weight weights(weight, place.batch, shape.k / Weight::Grid::taps, shape.m);
    weight_table.fill(weights);
    __syncthreads();
    FfmaGather<Tile::m, Tile::k, Tile::threads, Weight> lhs_operand(weights, weight_table, place.row, shape.m,
                                                                    place.k_end);
    FfmaGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, table, place.column, shape.n, place.k_end);
    ffma_block<Tile>(lhs_operand, rhs_operand, shape, place, matrix, epilogue);
  } else {
    const OperandView<T> weights{weight + place.batch * shape.m * shape.k, shape.k, 1, shape.m, aligned};
    FfmaOperand<Tile::m, Tile::k, Tile::threads, Layout::kContiguousK, T, ffma_detail::NoTransform> lhs_operand(
        weights, place.row, place.k_end, ffma_detail::NoTransform{});
    __syncthreads();
    FfmaGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, table, place.column, shape.n, place.k_end);
    ffma_block<Tile>(lhs_operand, rhs_operand, shape, place, matrix, epilogue);
  }
}

template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_ffma(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                        int64_t splits, cudaStream_t stream) {
  using Problem = ConvProblem<Window, T>;
  GemmShape gemm = Problem::gemm_shape(shape);
  gemm.epilogue_vectorised = splits > 1 && gemm.n % 4 == 0;
  const BlockRaster raster(gemm, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  if (!WindowTable<typename Problem::Input, Tile::k>::reaches(input_planes(shape))) {
    return cudaErrorInvalidValue;  // images beyond 2^30 pixels for all channels of a tile
  }
  conv_ffma_kernel<Tile, Window, T, Epilogue><<<static_cast<unsigned>(raster.blocks()), Tile::threads, 0, stream>>>(
      gemm, Problem::input(shape, input), weight, lanes_aligned(weight, gemm.k), raster, epilogue);
  return cudaGetLastError();
}

}  // namespace conv_detail

template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_conv_ffma(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                             cudaStream_t stream) {
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return conv_detail::launch_ffma<Tile, Window>(shape, input, weight, by_pixel, 1, stream);
}

// Many input channels, few output pixels. scratch: splits * conv_partial_elements<Window>(shape) * 4 bytes.
template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_conv_ffma_split_k(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                                     int64_t splits, void* scratch, cudaStream_t stream) {
  const GemmShape gemm = ConvProblem<Window>::gemm_shape(shape);
  const StorePartial store{static_cast<float*>(scratch), gemm.m, gemm.n};
  const cudaError_t error = conv_detail::launch_ffma<Tile, Window>(shape, input, weight, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return launch_join_splits(gemm, static_cast<const float*>(scratch), by_pixel, splits, stream);
}

}  // namespace stitch
