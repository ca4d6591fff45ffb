// SPDX-License-Identifier: Apache-2.0
// GEMM of fp32's class on Hopper's tensor cores (sm_90a): operands in two fp16 planes each (kernels/gemm/planes.cuh),
// three products, sums as in kernels/gemm/wgmma_mainloop.cuh. What two planes cannot hold, a second kernel computes.
#pragma once

#include "kernels/gemm/epilogue.cuh"
#include "kernels/gemm/mma.cuh"
#include "kernels/gemm/wgmma_mainloop.cuh"

namespace stitch {

using PlaneTileBroad = PlaneTile<2, 4, 1>;   // 193 KB of shared memory
using PlaneTileSquare = PlaneTile<1, 6, 2>;  // the same

namespace wgmma_detail {

// Lays the sums down as a matrix, without their scales.
template <typename Tile>
__device__ __forceinline__ void stage_sums(const Promoted<Tile>& promoted, float* staged, const float* lhs_unscale,
                                           const float* rhs_unscale, const GemmShape& shape, const BlockPlace& place) {
  const int lane = static_cast<int>(threadIdx.x % kWarpThreads);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = static_cast<int>(threadIdx.x / kWarpThreads) * 16 + half * 8 + lane / 4;
    const float of_row = place.row + row < shape.m ? lhs_unscale[place.row + row] : 1.0f;
#pragma unroll
    for (int part = 0; part < Tile::parts; ++part) {
#pragma unroll
      for (int j = 0; j < Tile::columns / 8; ++j) {
        const int column = part * Tile::columns + j * 8 + lane % 4 * 2;
        Lanes<float, 2> pair;
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int64_t at = place.column + column + e;
          const float of_column = at < shape.n ? __ldg(rhs_unscale + at) : 1.0f;
          pair[e] = promoted[part][j * 4 + half * 2 + e] * of_row * of_column;
        }
        store_lanes(staged + row * Tile::stage_stride + column, pair);
      }
    }
  }
}

// Leaves out what the repair computes: a row or column that was not split makes NaN of its products, nothing else does.
template <typename Epilogue>
struct StoreNumbers {
  Epilogue epilogue;

  __device__ __forceinline__ void operator()(int64_t batch, int64_t row, int64_t column, float value) const {
    if (!isnan(value)) {
      epilogue(batch, row, column, value);
    }
  }
  template <int kLanes>
    requires requires(const Epilogue& of, const Lanes<float, kLanes>& values) {
      of.template lanes<kLanes>(0, 0, 0, values);
    }
  __device__ __forceinline__ void lanes(int64_t batch, int64_t row, int64_t column,
                                        const Lanes<float, kLanes>& values) const {
    bool any = false;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      any = any || isnan(values[lane]);
    }
    if (!any) {
      epilogue.template lanes<kLanes>(batch, row, column, values);
      return;
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      (*this)(batch, row, column + lane, values[lane]);
    }
  }
};

template <typename Tile, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_planes_kernel(GemmShape shape, SplitMatrix lhs, SplitMatrix rhs, BlockRaster raster, Epilogue epilogue) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char shared_stages[];
  constexpr int kBringRegisters = 24, kMultiplyRegisters = 240;
  const Ring<Tile> ring(shared_stages);
  ring.init();
  const BlockPlace place = raster.place();
  const DepthRange depth{static_cast<int>(place.k_begin / PlaneBlock::k),
                         static_cast<int>(ceil_divide(place.k_end, PlaneBlock::k))};
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    if (threadIdx.x == Tile::multipliers) {
      const PlaneRows lhs_rows(lhs, place.batch, shape.m, shape.k, place.row, Tile::lhs_blocks);
      const PlaneRows rhs_rows(rhs, place.batch, shape.n, shape.k, place.column, Tile::rhs_blocks);
      bring(ring, lhs_rows, rhs_rows, depth);
    }
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    Promoted<Tile> promoted = {};
    multiply_depth<Tile>(promoted, ring, static_cast<int>(threadIdx.x / 128), depth);
    ptx::barrier_of_threads<1, Tile::multipliers>();
    auto* staged = reinterpret_cast<float*>(ring.stages);
    stage_sums<Tile>(promoted, staged, lhs.unscale_of(place.batch, shape.m), rhs.unscale_of(place.batch, shape.n),
                     shape, place);
    ptx::barrier_of_threads<1, Tile::multipliers>();
    apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers>(
        staged, [](int row) { return row; }, shape, place, place.batch, StoreNumbers<Epilogue>{epilogue});
  }
#endif
}

// The repair's: rows and columns that two planes do not hold.
template <typename Epilogue>
struct StoreUnsplit {
  Epilogue epilogue;
  const float* lhs_unscale;
  const float* rhs_unscale;

  __device__ __forceinline__ void operator()(int64_t batch, int64_t row, int64_t column, float value) const {
    if (isnan(lhs_unscale[row]) || isnan(rhs_unscale[column])) {
      epilogue(batch, row, column, value);
    }
  }
};

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Tf32x3, Tile>::kBlocks)
    repair_unsplit_kernel(GemmShape shape, StridedMatrix<float> lhs, StridedMatrix<float> rhs, SplitMatrix split_lhs,
                          SplitMatrix split_rhs, BlockRaster raster, Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  static_assert(Tile::m <= Tile::threads && Tile::n <= Tile::threads);
  const BlockPlace place = raster.place();
  const float* lhs_unscale = split_lhs.unscale_of(place.batch, shape.m);
  const float* rhs_unscale = split_rhs.unscale_of(place.batch, shape.n);
  const int64_t row = place.row + threadIdx.x;
  const int64_t column = place.column + threadIdx.x;
  const bool in_row = threadIdx.x < Tile::m && row < shape.m && isnan(lhs_unscale[row]);
  const bool in_column = threadIdx.x < Tile::n && column < shape.n && isnan(rhs_unscale[column]);
  if (__syncthreads_or(in_row || in_column) == 0) {
    return;
  }
  const OperandView<float> lhs_view{batch_start(lhs, place.batch, shape.levels()), lhs.row_stride, lhs.column_stride,
                                    shape.m, kWide};
  const OperandView<float> rhs_view{batch_start(rhs, place.batch, shape.levels()), rhs.column_stride, rhs.row_stride,
                                    shape.n, kWide};
  MmaAsyncOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, kWide> lhs_operand(lhs_view, place.row, place.k_end);
  MmaAsyncOperand<Tile::n, Tile::k, Tile::threads, kRhsLayout, kWide> rhs_operand(rhs_view, place.column, place.k_end);
  const StoreUnsplit<Epilogue> store{epilogue, lhs_unscale, rhs_unscale};
  mma_block<Tf32x3, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, place.batch, store);
}

template <typename Tile, typename Epilogue>
cudaError_t launch_planes(const GemmShape& shape, const SplitMatrix& lhs, const SplitMatrix& rhs,
                          const BlockRaster& raster, const Epilogue& epilogue, cudaStream_t stream) {
  int device = 0;
  int shared_bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (shared_bytes < Tile::shared_bytes) {
    return cudaSuccess;  // a device without wgmma
  }
  const auto kernel = gemm_planes_kernel<Tile, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(shape, lhs, rhs, raster,
                                                                                                epilogue);
  return cudaGetLastError();
}

template <Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_repair(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                          const SplitMatrix& split_lhs, const SplitMatrix& split_rhs, const Epilogue& epilogue,
                          cudaStream_t stream) {
  using Tile = MmaTileLarge;
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, 1);
  const bool wide = copies_wide(lhs, kLhsLayout == Layout::kContiguousK ? lhs.row_stride : lhs.column_stride) &&
                    copies_wide(rhs, kRhsLayout == Layout::kContiguousK ? rhs.column_stride : rhs.row_stride);
  const auto kernel = wide ? repair_unsplit_kernel<Tile, kLhsLayout, kRhsLayout, true, Epilogue>
                           : repair_unsplit_kernel<Tile, kLhsLayout, kRhsLayout, false, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(
      shape, lhs, rhs, split_lhs, split_rhs, raster, epilogue);
  return cudaGetLastError();
}

}  // namespace wgmma_detail

// split_lhs: rows of m; split_rhs: rows of n, both of what lhs and rhs are, by launch_split().
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_split(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                              const SplitMatrix& split_lhs, const SplitMatrix& split_rhs, const Epilogue& epilogue,
                              cudaStream_t stream) {
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, 1);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const cudaError_t error = wgmma_detail::launch_planes<Tile>(shape, split_lhs, split_rhs, raster, epilogue, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return wgmma_detail::launch_repair<kLhsLayout, kRhsLayout>(shape, lhs, rhs, split_lhs, split_rhs, epilogue, stream);
}

// Splits both operands first. scratch: split_bytes() of lhs and of rhs. On a device without wgmma no row is split, and
// the repair computes all of the product.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_planes(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                               const Epilogue& epilogue, void* scratch, cudaStream_t stream) {
  auto* lhs_memory = static_cast<unsigned char*>(scratch);
  auto* rhs_memory = lhs_memory + split_bytes(shape.batch, shape.m, shape.k);
  cudaError_t error = launch_split<kLhsLayout>(lhs, shape.batch, shape.levels(), shape.m, shape.k, lhs_memory, stream);
  if (error == cudaSuccess) {
    error =
        launch_split<kRhsLayout>(transposed(rhs), shape.batch, shape.levels(), shape.n, shape.k, rhs_memory, stream);
  }
  if (error != cudaSuccess) {
    return error;
  }
  return launch_gemm_split<Tile, kLhsLayout, kRhsLayout>(
      shape, lhs, rhs, split_matrix(lhs_memory, shape.batch, shape.m, shape.k),
      split_matrix(rhs_memory, shape.batch, shape.n, shape.k), epilogue, stream);
}

// Of one matrix whose rhs launch_split_rhs() split before. scratch: split_bytes() of lhs.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_kept_planes(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                    const StridedMatrix<float>& rhs, const Epilogue& epilogue, const void* split_rhs,
                                    void* scratch, cudaStream_t stream) {
  const cudaError_t error = launch_split<kLhsLayout>(lhs, 1, BatchLevels{}, shape.m, shape.k, scratch, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_gemm_split<Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, split_matrix(scratch, 1, shape.m, shape.k),
                                                         split_matrix(split_rhs, 1, shape.n, shape.k), epilogue,
                                                         stream);
}

}  // namespace stitch
