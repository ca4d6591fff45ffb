// SPDX-License-Identifier: Apache-2.0
// GEMM of fp32's class and little depth by wgmma (sm_90a): what it writes takes longer than what it multiplies. Both
// operands are planes (kernels/gemm/planes.cuh). A block keeps its 64 rows of lhs in shared memory, the whole depth of
// them, and walks along the columns of rhs, whose planes the copy engine brings while sums are stored in whole lines.
#pragma once

#include "kernels/gemm/wgmma_chunks.cuh"

namespace stitch {

// kChunks: of 32 along K, at most.
template <int kChunks>
struct ThinTile {
  static constexpr int groups_m = 1, columns = 64, chunks = kChunks;
  static constexpr int stages = kChunks <= 2 ? 3 : 2;
  static constexpr int multipliers = 256, threads = multipliers + kWarpThreads;
  static constexpr int m = 64, n = 128;
  static constexpr int lhs_blocks = 0, rhs_blocks = n / PlaneBlock::rows;  // of a stage
  static constexpr int stage_bytes = rhs_blocks * PlaneBlock::bytes;
  static constexpr int stage_stride = n + 8;  // of the staged sums: four rows of a fragment in different banks
  static constexpr int lhs_at = stages * stage_bytes;
  static constexpr int staged_at = lhs_at + kChunks * PlaneBlock::bytes;
  static constexpr int plain_at = staged_at + m * stage_stride * 4;
  static constexpr int ring_bytes = plain_at + kPlainSliceFloats<m, n> * 4;
  static constexpr int alignment = 1024;
  static constexpr int shared_bytes = alignment + ring_bytes + (2 * stages + 1) * 8 + 2 * 4;
  static_assert(2 * (shared_bytes + 1024) <= 228 * 1024, "two blocks run on a multiprocessor");
};

namespace wgmma_detail {

template <typename Tile>
struct ThinRing : Ring<Tile> {
  uint64_t* held;  // lhs is there
  int* is_lost;    // of every other tile: whether it is multiplied again

  __device__ __forceinline__ explicit ThinRing(unsigned char* shared) : Ring<Tile>(shared) {
    held = this->empty + Tile::stages;
    is_lost = reinterpret_cast<int*>(held + 1);
  }
  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) {
      is_lost[0] = is_lost[1] = 0;
      ptx::mbarrier_init(held, 1);
    }
    Ring<Tile>::init();
  }
  __device__ __forceinline__ float* staged() const { return reinterpret_cast<float*>(this->stages + Tile::staged_at); }
  __device__ __forceinline__ float* plain() const { return reinterpret_cast<float*>(this->stages + Tile::plain_at); }
};

// What a block walks along: tiles of columns.
struct ThinWalk {
  uint32_t row_tiles;
  uint32_t spans;
  uint32_t span_tiles;  // of columns
  uint32_t column_tiles;

  template <typename Tile>
  __device__ __forceinline__ BlockPlace first(const GemmShape& shape) const {
    const uint32_t span = blockIdx.x % spans;
    const uint32_t row = blockIdx.x / spans % row_tiles;
    return {blockIdx.x / spans / row_tiles,       0, int64_t{row} * Tile::m,
            int64_t{span} * span_tiles * Tile::n, 0, shape.k};
  }
  __device__ __forceinline__ int tiles() const {
    const uint32_t rest = column_tiles - blockIdx.x % spans * span_tiles;
    return static_cast<int>(rest < span_tiles ? rest : span_tiles);
  }
};

// By one thread.
template <typename Tile>
__device__ __forceinline__ void bring_thin(const ThinRing<Tile>& ring, const ChunkWork& work, const SplitMatrix& lhs,
                                           BlockPlace place, int tiles) {
  const GemmShape& shape = work.shape;
  const auto chunks = static_cast<int>(ceil_divide(shape.k, PlaneBlock::k));
  const PlaneRows lhs_rows(lhs, place.batch, shape.m, shape.k, place.row, 1);
  const auto lhs_bytes = static_cast<uint32_t>(chunks * PlaneBlock::bytes);
  ptx::mbarrier_arrive_expecting(ring.held, lhs_bytes);
  ptx::bulk_copy(ring.stages + Tile::lhs_at, lhs_rows.first, lhs_bytes, ring.held);
  RingPlace<Tile::stages> at;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const KeptRows<Tile> rhs{PlaneRows(work.kept, place.batch, shape.n, shape.k, place.column, Tile::rhs_blocks), true};
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk) {
      ring.wait_until_empty(at);
      rhs(ring, at.stage, chunk);
      at.next();
    }
    place.column += Tile::n;
  }
}

// All chunks of a tile. Each is promoted.
template <typename Tile>
__device__ __forceinline__ void multiply_thin(float (&sums)[Tile::columns / 2], const ThinRing<Tile>& ring,
                                              RingPlace<Tile::stages>& at, int chunks) {
  const int rhs_at = static_cast<int>(threadIdx.x) / 128 * Tile::columns * PlaneBlock::row_bytes;
#pragma unroll 1
  for (int chunk = 0; chunk < chunks; ++chunk) {
    float partial[Tile::columns / 2];
    ring.wait_until_full(at);
    issue_chunk<Tile::columns>(partial, LhsStage(ring.stages + Tile::lhs_at + chunk * PlaneBlock::bytes),
                               ring.stage(at.stage) + rhs_at);
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(partial);
    ring.release(at.stage);
    at.next();
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) {
      sums[i] += partial[i];
    }
  }
}

// Stores a tile by all threads that multiply. `parity`: of the tile's number.
template <typename Tile, typename Epilogue>
__device__ __forceinline__ void store_thin(const float (&sums)[Tile::columns / 2], const ThinRing<Tile>& ring,
                                           const ChunkWork& work, const BlockPlace& place, int parity,
                                           const Epilogue& epilogue) {
  ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();  // the tile before has been stored
  if (threadIdx.x == 0) {
    ring.is_lost[parity ^ 1] = 0;
  }
  if (is_any_nan(sums)) {
    ring.is_lost[parity] = 1;
  }
  stage_chunks<Tile>(sums, ring.staged());
  ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
  if (ring.is_lost[parity] != 0) {
    multiply_plainly<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers, kMultipliersMeet>(
        ring.staged(), ring.plain(), work.lhs_view(place.batch), work.rhs_view(place.batch), place);
    ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
  }
  apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers>(
      ring.staged(), [](int row) { return row; }, work.shape, place, place.batch, epilogue);
}

template <typename Tile, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 2)
    gemm_thin_planes_kernel(ChunkWork work, SplitMatrix lhs, ThinWalk walk, Epilogue epilogue) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char shared_thin[];
  const ThinRing<Tile> ring(shared_thin);
  ring.init();
  const GemmShape& shape = work.shape;
  BlockPlace place = walk.first<Tile>(shape);
  const int tiles = walk.tiles();
  if (threadIdx.x >= Tile::multipliers) {
    if (threadIdx.x == Tile::multipliers) {
      bring_thin<Tile>(ring, work, lhs, place, tiles);
    }
    return;
  }
  const GroupPlace<Tile> own;
  const float* lhs_unscale = lhs.unscale_of(place.batch, shape.m);
  float of_row[2];
  bool has_row[2];  // what planes have beside their rows may be anything
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t row = place.row + own.row + half * 8;
    has_row[half] = row < shape.m;
    of_row[half] = has_row[half] ? lhs_unscale[row] : 0.0f;
  }
  const auto chunks = static_cast<int>(ceil_divide(shape.k, PlaneBlock::k));
  ptx::mbarrier_wait(ring.held, 0);
  RingPlace<Tile::stages> at;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    float sums[Tile::columns / 2] = {};
    multiply_thin<Tile>(sums, ring, at, chunks);
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) {
      sums[i] = has_row[i / 2 % 2] ? sums[i] * of_row[i / 2 % 2] : 0.0f;
    }
    unscale_columns<Tile>(sums, work.kept.unscale_of(place.batch, shape.n), shape.n, place.column + own.column);
    store_thin<Tile>(sums, ring, work, place, tile % 2, epilogue);
    place.column += Tile::n;
  }
#endif
}

template <typename Tile, typename Epilogue>
cudaError_t launch_thin_planes(const ChunkWork& work, const SplitMatrix& lhs, const Epilogue& epilogue,
                               cudaStream_t stream) {
  constexpr int64_t kEnoughBlocks = 4096;
  constexpr int64_t kLeastTiles = 4;  // of a walk, which repay its rows
  const GemmShape& shape = work.shape;
  const int64_t row_tiles = ceil_divide(shape.m, Tile::m);
  const int64_t column_tiles = ceil_divide(shape.n, Tile::n);
  const int64_t wanted = ceil_divide(column_tiles, ceil_divide(kEnoughBlocks, row_tiles * shape.batch));
  const int64_t span_tiles = wanted > kLeastTiles ? wanted : kLeastTiles;
  const int64_t spans = ceil_divide(column_tiles, span_tiles);
  const ThinWalk walk{static_cast<uint32_t>(row_tiles), static_cast<uint32_t>(spans), static_cast<uint32_t>(span_tiles),
                      static_cast<uint32_t>(column_tiles)};
  const auto kernel = gemm_thin_planes_kernel<Tile, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(spans * row_tiles * shape.batch);
  kernel<<<blocks, Tile::threads, Tile::shared_bytes, stream>>>(work, lhs, walk, epilogue);
  return cudaGetLastError();
}

}  // namespace wgmma_detail

// Splits both operands first. scratch: split_bytes() of lhs and of rhs. shape.k: at most 32 * kChunks.
template <int kChunks, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_thin_planes(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                    const StridedMatrix<float>& rhs, const Epilogue& epilogue, void* scratch,
                                    cudaStream_t stream) {
  if (shape.batch * shape.m * shape.n == 0) {
    return cudaSuccess;
  }
  if (shape.k > kChunks * PlaneBlock::k) {
    return cudaErrorInvalidValue;
  }
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
  using Tile = ThinTile<kChunks>;
  const wgmma_detail::ChunkWork work{shape,
                                     lhs,
                                     rhs,
                                     split_matrix(rhs_memory, shape.batch, shape.n, shape.k),
                                     BlockRaster(shape, Tile::m, Tile::n, PlaneBlock::k, 1),
                                     0};
  return wgmma_detail::launch_thin_planes<Tile>(work, split_matrix(lhs_memory, shape.batch, shape.m, shape.k), epilogue,
                                                stream);
}

}  // namespace stitch
