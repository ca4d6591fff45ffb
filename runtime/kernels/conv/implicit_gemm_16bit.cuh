// SPDX-License-Identifier: Apache-2.0
// Convolution of operands stored in 16 bits as an implicit GEMM on the tensor cores, with fp32 sums (mma.m16n8k16,
// sm_80 and later). Tiles hold 32-bit words, each two neighbours along k, as in kernels/gemm/mma_16bit.cuh: the words
// of a window are put together while it is gathered, those of weights lie in memory as they are. Tiles of
// kernels/gemm/mma.cuh, m over output channels, n over output pixels, k over words.
#pragma once

#include "kernels/conv/operand_16bit.cuh"
#include "kernels/conv/transposed.cuh"
#include "kernels/gemm/mma_16bit.cuh"

namespace stitch {

namespace conv_detail {

// Bits only: what they mean is the policy's business.
template <typename Window>
using BitsProblem = ConvProblem<Window, uint16_t>;

template <typename Window, int kWords, bool kTransposed = Window::transposed>
struct PairTables {
  WindowTable<typename BitsProblem<Window>::Input, 2 * kWords> input;
};
template <typename Window, int kWords>
struct PairTables<Window, kWords, true> {
  WindowTable<typename BitsProblem<Window>::Input, 2 * kWords> input;
  WindowTable<TransposedWeight<Window, uint16_t>, 2 * kWords> weight;
};

// shape.k counts words; `depth` is the number of elements along k.
template <typename Math, typename Tile, typename Window, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Math, Tile>::kBlocks)
    conv_16bit_kernel(GemmShape shape, int64_t depth, typename BitsProblem<Window>::Input input, const uint16_t* weight,
                      BlockRaster raster, Epilogue epilogue) {
  using Input = typename BitsProblem<Window>::Input;
  extern __shared__ __align__(16) float shared_tiles[];
  auto& tables = *reinterpret_cast<PairTables<Window, Tile::k>*>(shared_tiles + Tile::shared_bytes / sizeof(float));
  const BlockPlace place = raster.place();
  const int64_t matrix = place.split * shape.batch + place.batch;
  const int64_t last = 2 * place.k_end < depth ? 2 * place.k_end : depth;
  input.start(place.batch, depth);
  tables.input.fill(input);
  if constexpr (Window::transposed) {
    using Weight = TransposedWeight<Window, uint16_t>;
    const Weight weights(weight, place.batch, depth / Weight::Grid::taps, shape.m);
    tables.weight.fill(weights);
    __syncthreads();
    MmaPairGather<Tile::m, Tile::k, Tile::threads, Weight> lhs_operand(weights, tables.weight, place.row, shape.m,
                                                                       last);
    MmaPairGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, tables.input, place.column, shape.n, last);
    mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, matrix, epilogue);
  } else {
    __syncthreads();
    MmaPairGather<Tile::n, Tile::k, Tile::threads, Input> rhs_operand(input, tables.input, place.column, shape.n, last);
    const uint16_t* weights = weight + place.batch * shape.m * depth;
    if constexpr (kWide) {
      const OperandView<float> words{reinterpret_cast<const float*>(weights), shape.k, 1, shape.m, true};
      MmaAsyncOperand<Tile::m, Tile::k, Tile::threads, Layout::kContiguousK, true> lhs_operand(words, place.row,
                                                                                               place.k_end);
      mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, matrix, epilogue);
    } else {
      MmaPairRows<Tile::m, Tile::k, Tile::threads> lhs_operand(weights, depth, place.row, shape.m, last);
      mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, matrix, epilogue);
    }
  }
}

template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_16bit(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                         int64_t splits, cudaStream_t stream) {
  using Problem = BitsProblem<Window>;
  using Math = mma_detail::Pairs<T>;
  static_assert(sizeof(T) == sizeof(uint16_t), "two operands are one word");
  GemmShape gemm = Problem::gemm_shape(shape);
  gemm.epilogue_vectorised = splits > 1 && gemm.n % 4 == 0;
  const int64_t depth = gemm.k;
  gemm.k = ceil_divide(depth, 2);
  const BlockRaster raster(gemm, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  if (!WindowTable<typename Problem::Input, 2 * Tile::k>::reaches(input_planes(shape))) {
    return cudaErrorInvalidValue;  // images beyond 2^30 pixels for all channels of a tile
  }
  auto kernel = conv_16bit_kernel<Math, Tile, Window, false, Epilogue>;
  if constexpr (!Window::transposed) {
    const StridedMatrix<float> words{reinterpret_cast<const float*>(weight), 0, gemm.k, 1};
    if (depth % 2 == 0 && copies_wide(words, gemm.k)) {
      kernel = conv_16bit_kernel<Math, Tile, Window, true, Epilogue>;
    }
  }
  constexpr int kSharedBytes = Tile::shared_bytes + static_cast<int>(sizeof(PairTables<Window, Tile::k>));
  const cudaError_t error = allow_shared_memory(kernel, kSharedBytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, kSharedBytes, stream>>>(
      gemm, depth, Problem::input(shape, reinterpret_cast<const uint16_t*>(input)),
      reinterpret_cast<const uint16_t*>(weight), raster, epilogue);
  return cudaGetLastError();
}

}  // namespace conv_detail

template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_conv_mma_16bit(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                                  cudaStream_t stream) {
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return conv_detail::launch_16bit<Tile, Window>(shape, input, weight, by_pixel, 1, stream);
}

// Many input channels, few output pixels. scratch: splits * conv_partial_elements<Window>(shape) * 4 bytes.
template <typename Tile, typename Window, typename T, typename Epilogue>
cudaError_t launch_conv_mma_16bit_split_k(const ConvShape& shape, const T* input, const T* weight,
                                          const Epilogue& epilogue, int64_t splits, void* scratch,
                                          cudaStream_t stream) {
  const GemmShape gemm = ConvProblem<Window>::gemm_shape(shape);
  const StorePartial store{static_cast<float*>(scratch), gemm.m, gemm.n};
  const cudaError_t error = conv_detail::launch_16bit<Tile, Window>(shape, input, weight, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const auto by_pixel = ConvProblem<Window>::finish(shape, epilogue);
  return launch_join_splits(gemm, static_cast<const float*>(scratch), by_pixel, splits, stream);
}

}  // namespace stitch
