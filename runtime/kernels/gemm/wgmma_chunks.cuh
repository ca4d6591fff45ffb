// SPDX-License-Identifier: Apache-2.0
// GEMM of fp32's class by wgmma in one launch (sm_90a): a block splits what it multiplies into two fp16 parts itself,
// in chunks of 32 along K (kernels/gemm/chunks.cuh), or takes an rhs that was split before as planes
// (kernels/gemm/planes.cuh). For products that are too small, or of operands too large, for launches that split first.
//
// Blocks that share the depth of a tile either are a cluster, whose blocks add each a part of the tile's rows in the
// order of their parts of K, or write partial sums as in kernels/gemm/split_k.cuh. A tile with operands that two parts
// do not hold is multiplied again in plain fp32.
#pragma once

#include "kernels/gemm/chunks.cuh"
#include "kernels/gemm/epilogue.cuh"
#include "kernels/gemm/mma.cuh"
#include "kernels/gemm/plain_tile.cuh"
#include "kernels/gemm/split_k.cuh"
#include "kernels/gemm/wgmma_mainloop.cuh"
#include "ptx/cluster.cuh"

namespace stitch {

// kGroupsM x kGroupsN warpgroups multiply 64 x kColumns each. kBlocks: that run on a multiprocessor at once. kKept: rhs
// was split before. kBrought: chunks of what is split that lie in shared memory first; 0: two, in registers.
template <int kGroupsM, int kGroupsN, int kColumns, int kStages, int kBlocks, int kBrought, bool kKept>
struct ChunkTile {
  static constexpr int groups_m = kGroupsM, columns = kColumns, stages = kStages, blocks = kBlocks, brought = kBrought;
  static constexpr int multipliers = 128 * kGroupsM * kGroupsN;  // threads
  static constexpr int m = 64 * kGroupsM, n = kColumns * kGroupsN, k = PlaneBlock::k;
  static constexpr int lhs_blocks = m / PlaneBlock::rows, rhs_blocks = n / PlaneBlock::rows;
  static constexpr int stage_bytes = (lhs_blocks + rhs_blocks) * PlaneBlock::bytes;
  static constexpr int stage_stride = n + 8;         // of the staged sums: four rows of a fragment in different banks
  static constexpr int plain_at = m * stage_stride;  // floats
  static constexpr int finish_bytes = (plain_at + kPlainSliceFloats<m, n>)*4;
  static constexpr int brought_at = kStages * stage_bytes,
                       brought_bytes = kBrought * (kKept ? m : m + n) * PlaneBlock::k * 4;
  static constexpr int all_stages = brought_at + brought_bytes;
  static constexpr int ring_bytes = all_stages > finish_bytes ? all_stages : finish_bytes;
  static constexpr int alignment = 1024;
  static constexpr int shared_bytes = alignment + ring_bytes + 2 * kStages * 8 + kStages * (m + n) * 4 + 16;
};

using ChunkTileSquare = ChunkTile<2, 1, 128, 3, 1, 3, false>;
using ChunkTileKept = ChunkTile<1, 2, 64, 5, 1, 8, true>;
using ChunkTileSmallKept = ChunkTile<1, 2, 64, 4, 2, 0, true>;

namespace wgmma_detail {

template <typename Tile, bool kKept>
struct ChunkThreads {
  static constexpr int kSplitters = chunk_detail::kSplitters * (kKept ? 1 : 2);
  static constexpr int kAll = Tile::multipliers + kSplitters;
  static constexpr int kBlocks = kKept ? Tile::blocks : 1;
  static constexpr int kAhead = Tile::brought == 0 ? 2 : Tile::brought;  // chunks on their way to a splitter
  // What a block has when it begins is all that its warpgroups can share out.
  static constexpr int kRegisters = 65536 / (kAll * kBlocks) / 8 * 8;
  static constexpr int kWanted = kBlocks == 2 ? 80 : 168;
  static constexpr int kMultiplyRegisters = kWanted > kRegisters ? kWanted : kRegisters;
  static constexpr int kLeft = (kRegisters * kAll - kMultiplyRegisters * Tile::multipliers) / kSplitters / 8 * 8;
  static constexpr int kSplitRegisters = kLeft < kRegisters ? kLeft : kRegisters;
  static_assert(kSplitRegisters >= 24);
};

template <typename Tile>
struct ChunkRing : Ring<Tile> {
  float* unscale;  // a stage: of the rows of lhs, and of rhs
  int* is_lost;    // whether the tile is multiplied again

  __device__ __forceinline__ explicit ChunkRing(unsigned char* shared) : Ring<Tile>(shared) {
    unscale = reinterpret_cast<float*>(this->empty + Tile::stages);
    is_lost = reinterpret_cast<int*>(unscale + Tile::stages * (Tile::m + Tile::n));
  }

  // A stage is full by one arrival a warp that splits, and that of the copies.
  __device__ __forceinline__ void init(int arrivals) const {
    if (threadIdx.x == 0) {
      *is_lost = 0;
      for (int stage = 0; stage < Tile::stages; ++stage) {
        ptx::mbarrier_init(this->full + stage, arrivals);
        ptx::mbarrier_init(this->empty + stage, Tile::multipliers / kWarpThreads);
      }
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

  __device__ __forceinline__ float* lhs_unscale(int stage) const { return unscale + stage * (Tile::m + Tile::n); }
  __device__ __forceinline__ float* rhs_unscale(int stage) const { return lhs_unscale(stage) + Tile::m; }
};

// Copies planes of an rhs that was split before, by one thread.
template <typename Tile>
struct KeptRows {
  PlaneRows rows;
  bool copies;

  __device__ __forceinline__ void operator()(const Ring<Tile>& ring, int stage, int64_t k_block) const {
    if (copies) {
      ptx::mbarrier_arrive_expecting(ring.full + stage, static_cast<uint32_t>(rows.blocks) * PlaneBlock::bytes);
      unsigned char* to = ring.stage(stage) + Tile::lhs_blocks * PlaneBlock::bytes;
#pragma unroll
      for (int block = 0; block < Tile::rhs_blocks; ++block) {
        if (block < rows.blocks) {
          ptx::bulk_copy(to + block * PlaneBlock::bytes, rows.first + block * rows.stride + k_block * PlaneBlock::bytes,
                         PlaneBlock::bytes, ring.full + stage);
        }
      }
    }
  }
};

// Fills stages with the rows of one operand. at_stage(ring, stage, block of K): what else is done when one is empty.
template <typename Tile, int kAhead, bool kIsLhs, typename Rows, typename AtStage>
__device__ __forceinline__ void split_depth(const ChunkRing<Tile>& ring, Rows& rows, const DepthRange& depth,
                                            const AtStage& at_stage) {
  RingPlace<Tile::stages> place;
#pragma unroll
  for (int ahead = 0; ahead < kAhead; ++ahead) {
    rows.load(ahead);
  }
#pragma unroll 1
  for (int begin = depth.begin; begin < depth.end; begin += kAhead) {
#pragma unroll
    for (int ahead = 0; ahead < kAhead; ++ahead) {
      const int k_block = begin + ahead;
      if (k_block < depth.end) {
        ring.wait_until_empty(place);
        at_stage(ring, place.stage, k_block);
        rows.split(ahead, ring.stage(place.stage) + (kIsLhs ? 0 : Tile::lhs_blocks * PlaneBlock::bytes),
                   kIsLhs ? ring.lhs_unscale(place.stage) : ring.rhs_unscale(place.stage));
        ptx::wgmma_publish_operands();
        __syncwarp();
        if (threadIdx.x % kWarpThreads == 0) {
          ptx::mbarrier_arrive(ring.full + place.stage);
        }
        place.next();
      }
    }
  }
  if (rows.has_lost()) {
    *ring.is_lost = 1;
  }
}

template <int kColumns>
__device__ __forceinline__ void multiply_slice(float (&sums)[kColumns / 2], uint64_t lhs, uint64_t rhs,
                                               bool accumulate) {
  if constexpr (kColumns == 64) {
    ptx::wgmma_m64n64k16_f16(sums, lhs, rhs, accumulate);
  } else {
    ptx::wgmma_m64n128k16_f16(sums, lhs, rhs, accumulate);
  }
}

// All products of a chunk, small ones first.
template <int kColumns>
__device__ __forceinline__ void issue_chunk(float (&partial)[kColumns / 2], const LhsStage& lhs,
                                            const unsigned char* rhs_rows) {
  const uint64_t rhs = ptx::wgmma_operand(rhs_rows);
  ptx::wgmma_forget(partial);
  ptx::wgmma_fence();
#pragma unroll
  for (int slice = 0; slice < 2; ++slice) {
    multiply_slice<kColumns>(partial, lhs.slice(0, slice), rhs + 4 + slice * 2, slice > 0);
    multiply_slice<kColumns>(partial, lhs.slice(1, slice), rhs + slice * 2, true);
  }
#pragma unroll
  for (int slice = 0; slice < 2; ++slice) {
    multiply_slice<kColumns>(partial, lhs.slice(0, slice), rhs + slice * 2, true);
  }
  ptx::wgmma_commit();
}

// Where a warpgroup's sums lie in the tile.
template <typename Tile>
struct GroupPlace {
  int row;     // of this thread, and 8 further
  int column;  // and every 8 from it on

  __device__ __forceinline__ GroupPlace() {
    const int group = static_cast<int>(threadIdx.x) / 128;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    row = group % Tile::groups_m * 64 + static_cast<int>(threadIdx.x) / kWarpThreads % 4 * 16 + lane / 4;
    column = group / Tile::groups_m * Tile::columns + lane % 4 * 2;
  }
};

// Multiplies all chunks of the depth. Partial sums of a chunk are scaled as they are promoted; those of an rhs that was
// split before, at the end.
template <typename Tile, bool kKept>
__device__ __forceinline__ void multiply_chunks(float (&promoted)[Tile::columns / 2], const ChunkRing<Tile>& ring,
                                                const DepthRange& depth) {
  const int group = static_cast<int>(threadIdx.x) / 128;
  const GroupPlace<Tile> own;
  const int lhs_at = group % Tile::groups_m * PlaneBlock::bytes;
  const int rhs_at =
      Tile::lhs_blocks * PlaneBlock::bytes + group / Tile::groups_m * Tile::columns * PlaneBlock::row_bytes;
  RingPlace<Tile::stages> place;
  float partial[Tile::columns / 2];
#pragma unroll 1
  for (int k_block = depth.begin; k_block < depth.end; ++k_block) {
    ring.wait_until_full(place);
    const unsigned char* stage = ring.stage(place.stage);
    issue_chunk<Tile::columns>(partial, LhsStage(stage + lhs_at), stage + rhs_at);
    const float* of_rows = ring.lhs_unscale(place.stage) + own.row;
    const float* of_columns = ring.rhs_unscale(place.stage) + own.column;
    const float of_row[2] = {of_rows[0], of_rows[8]};
    ptx::wgmma_wait<0>();
    ptx::wgmma_pin(partial);
#pragma unroll
    for (int j = 0; j < Tile::columns / 8; ++j) {
      Lanes<float, 2> of_pair = {1.0f, 1.0f};
      if constexpr (!kKept) {
        of_pair = load_lanes<2>(of_columns + j * 8);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float sum = partial[j * 4 + i];
        float& to = promoted[j * 4 + i];
        to = kKept ? fmaf(sum, of_row[i / 2], to) : fmaf(sum * of_row[i / 2], of_pair[i % 2], to);
      }
    }
    __syncwarp();  // all lanes have read their scales
    ring.release(place.stage);
    place.next();
  }
}

// The scales of an rhs that was split before. What its planes have beside its columns may be anything.
template <typename Tile>
__device__ __forceinline__ void unscale_columns(float (&promoted)[Tile::columns / 2], const float* unscale, int64_t n,
                                                int64_t column) {
#pragma unroll
  for (int j = 0; j < Tile::columns / 8; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int64_t at = column + j * 8 + e;
      const float of_column = at < n ? __ldg(unscale + at) : 0.0f;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float& sum = promoted[j * 4 + half * 2 + e];
        sum = at < n ? sum * of_column : 0.0f;
      }
    }
  }
}

template <typename Tile>
__device__ __forceinline__ void stage_chunks(const float (&promoted)[Tile::columns / 2], float* staged) {
  const GroupPlace<Tile> own;
#pragma unroll
  for (int j = 0; j < Tile::columns / 8; ++j) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Lanes<float, 2> pair = {promoted[j * 4 + half * 2], promoted[j * 4 + half * 2 + 1]};
      store_lanes(staged + (own.row + half * 8) * Tile::stage_stride + own.column + j * 8, pair);
    }
  }
}

template <int kCount>
__device__ __forceinline__ bool is_any_nan(const float (&sums)[kCount]) {
  bool any = false;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    any = any || isnan(sums[i]);
  }
  return any;
}

// Adds the sums that the blocks of a cluster have staged, each block those of its own rows, in the order of the blocks.
template <typename Tile, int kSplits>
__device__ __forceinline__ void add_cluster_rows(float* rows) {
  constexpr int kLanes = 4;
  constexpr int kGroups = Tile::n / kLanes;
#pragma unroll 2
  for (int group = threadIdx.x; group < Tile::m / kSplits * kGroups; group += Tile::multipliers) {
    float* own = rows + group / kGroups * Tile::stage_stride + group % kGroups * kLanes;
    Lanes<float, kLanes> parts[kSplits];
#pragma unroll
    for (int split = 0; split < kSplits; ++split) {
      ptx::cluster_load(ptx::cluster_address(own, split), parts[split].values);
    }
#pragma unroll
    for (int split = 1; split < kSplits; ++split) {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        parts[0][lane] += parts[split][lane];
      }
    }
    store_lanes(own, parts[0]);
  }
}

// What a kernel takes besides its operands.
struct ChunkWork {
  GemmShape shape;
  StridedMatrix<float> lhs;
  StridedMatrix<float> rhs;
  SplitMatrix kept;  // rhs, where it was split before
  BlockRaster raster;
  int64_t split_length;  // of K, of the blocks of one blockIdx.y

  __device__ __forceinline__ BlockPlace place() const {
    BlockPlace place = raster.place();
    place.split = blockIdx.y;
    const int64_t end = place.k_end;
    place.k_begin = place.split * split_length < end ? place.split * split_length : end;
    place.k_end = place.k_begin + split_length < end ? place.k_begin + split_length : end;
    return place;
  }
  __device__ __forceinline__ OperandView<float> lhs_view(int64_t batch) const {
    return {batch_start(lhs, batch, shape.levels()), lhs.row_stride, lhs.column_stride, shape.m, false};
  }
  __device__ __forceinline__ OperandView<float> rhs_view(int64_t batch) const {
    return {batch_start(rhs, batch, shape.levels()), rhs.column_stride, rhs.row_stride, shape.n, false};
  }
};

constexpr int kMultipliersMeet = 1, kAllMeet = 2;  // barriers

// By all threads that split.
template <typename Tile, bool kKept, Layout kLhsLayout, Layout kRhsLayout, bool kWide>
__device__ __forceinline__ void split_operands(const ChunkRing<Tile>& ring, const ChunkWork& work,
                                               const BlockPlace& place, const DepthRange& depth) {
  using Threads = ChunkThreads<Tile, kKept>;
  using LhsRows = chunk_detail::ChunkRows<Tile::m, kLhsLayout, kWide, Threads::kAhead, (Tile::brought > 0)>;
  auto* brought = reinterpret_cast<float*>(ring.stages + Tile::brought_at);
  const int thread = static_cast<int>(threadIdx.x) - Tile::multipliers;
  if constexpr (kKept) {
    const KeptRows<Tile> kept{
        PlaneRows(work.kept, place.batch, work.shape.n, work.shape.k, place.column, Tile::rhs_blocks), thread == 0};
    LhsRows rows(work.lhs_view(place.batch), place.row, place.k_begin, place.k_end, thread, brought);
    split_depth<Tile, Threads::kAhead, true>(ring, rows, depth, kept);
  } else {
    using RhsRows = chunk_detail::ChunkRows<Tile::n, kRhsLayout, kWide, Threads::kAhead, (Tile::brought > 0)>;
    const auto nothing = [](const Ring<Tile>&, int, int64_t) {};
    if (thread < chunk_detail::kSplitters) {
      LhsRows rows(work.lhs_view(place.batch), place.row, place.k_begin, place.k_end, thread, brought);
      split_depth<Tile, Threads::kAhead, true>(ring, rows, depth, nothing);
    } else {
      RhsRows rows(work.rhs_view(place.batch), place.column, place.k_begin, place.k_end,
                   thread - chunk_detail::kSplitters, brought + Tile::brought * Tile::m * PlaneBlock::k);
      split_depth<Tile, Threads::kAhead, false>(ring, rows, depth, nothing);
    }
  }
}

// By all threads that multiply; the others have split all there is to split once these meet them.
template <typename Tile, bool kKept, int kCluster, typename Epilogue>
__device__ __forceinline__ void finish_chunks(float (&promoted)[Tile::columns / 2], const ChunkRing<Tile>& ring,
                                              const ChunkWork& work, const BlockPlace& place,
                                              const Epilogue& epilogue) {
  if constexpr (kKept) {
    unscale_columns<Tile>(promoted, work.kept.unscale_of(place.batch, work.shape.n), work.shape.n,
                          place.column + GroupPlace<Tile>().column);
  }
  if (is_any_nan(promoted)) {
    *ring.is_lost = 1;
  }
  ptx::barrier_of_threads<kAllMeet, ChunkThreads<Tile, kKept>::kAll>();
  auto* staged = reinterpret_cast<float*>(ring.stages);
  if (*ring.is_lost != 0) {
    multiply_plainly<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers, kMultipliersMeet>(
        staged, staged + Tile::plain_at, work.lhs_view(place.batch), work.rhs_view(place.batch), place);
  } else {
    stage_chunks<Tile>(promoted, staged);
  }
  const auto same_row = [](int row) { return row; };
  if constexpr (kCluster == 1) {
    ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
    const int64_t matrix = place.split * work.shape.batch + place.batch;
    apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers>(staged, same_row, work.shape, place, matrix,
                                                                            epilogue);
  } else {
    constexpr int kRows = Tile::m / kCluster;
    ptx::cluster_arrive();
    ptx::cluster_wait();
    const int first = static_cast<int>(ptx::cluster_rank()) * kRows;
    add_cluster_rows<Tile, kCluster>(staged + first * Tile::stage_stride);
    ptx::cluster_arrive();
    ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
    BlockPlace own = place;
    own.row += first;
    apply_epilogue<kRows, Tile::n, Tile::stage_stride, Tile::multipliers>(staged + first * Tile::stage_stride, same_row,
                                                                          work.shape, own, place.batch, epilogue);
    ptx::cluster_wait();
  }
}

template <typename Tile, bool kKept, Layout kLhsLayout, Layout kRhsLayout, bool kWide, int kCluster, typename Epilogue>
__global__ void __launch_bounds__(ChunkThreads<Tile, kKept>::kAll, ChunkThreads<Tile, kKept>::kBlocks)
    gemm_chunks_kernel(ChunkWork work, Epilogue epilogue) {
#ifdef STITCH_HAS_WGMMA
  using Threads = ChunkThreads<Tile, kKept>;
  extern __shared__ __align__(1024) unsigned char shared_chunks[];
  const ChunkRing<Tile> ring(shared_chunks);
  ring.init(Threads::kSplitters / kWarpThreads + (kKept ? 1 : 0));
  const BlockPlace place = work.place();
  const DepthRange depth{static_cast<int>(ceil_divide(place.k_begin, PlaneBlock::k)),
                         static_cast<int>(ceil_divide(place.k_end, PlaneBlock::k))};
  if (threadIdx.x >= Tile::multipliers) {
    if constexpr (Threads::kSplitRegisters < Threads::kRegisters) {
      ptx::hand_back_registers<Threads::kSplitRegisters>();
    }
    split_operands<Tile, kKept, kLhsLayout, kRhsLayout, kWide>(ring, work, place, depth);
    ptx::barrier_of_threads<kAllMeet, Threads::kAll>();
    if constexpr (kCluster > 1) {
      ptx::cluster_arrive();
      ptx::cluster_wait();
      ptx::cluster_arrive();
      ptx::cluster_wait();
    }
  } else {
    if constexpr (Threads::kMultiplyRegisters > Threads::kRegisters) {
      ptx::take_registers<Threads::kMultiplyRegisters>();
    }
    float promoted[Tile::columns / 2] = {};
    multiply_chunks<Tile, kKept>(promoted, ring, depth);
    finish_chunks<Tile, kKept, kCluster>(promoted, ring, work, place, epilogue);
  }
#endif
}

template <Layout kLayout>
bool is_wide(const StridedMatrix<float>& matrix, int64_t other_stride, int64_t k) {
  return kLayout == Layout::kContiguousOuter || (k % 4 == 0 && groups_aligned(matrix, other_stride));
}

// Blocks of `splits` parts of K; kCluster of them are a cluster.
template <typename Tile, bool kKept, Layout kLhsLayout, Layout kRhsLayout, int kCluster, typename Epilogue>
cudaError_t launch_chunks(ChunkWork work, int64_t splits, const Epilogue& epilogue, cudaStream_t stream) {
  using Threads = ChunkThreads<Tile, kKept>;
  if (work.raster.blocks() == 0) {
    return cudaSuccess;
  }
  work.split_length = round_up(ceil_divide(work.shape.k, splits), PlaneBlock::k);
  const bool wide = is_wide<kLhsLayout>(work.lhs, work.lhs.row_stride, work.shape.k) &&
                    (kKept || is_wide<kRhsLayout>(work.rhs, work.rhs.column_stride, work.shape.k));
  const auto kernel = wide ? gemm_chunks_kernel<Tile, kKept, kLhsLayout, kRhsLayout, true, kCluster, Epilogue>
                           : gemm_chunks_kernel<Tile, kKept, kLhsLayout, kRhsLayout, false, kCluster, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {1, kCluster, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(work.raster.blocks()), static_cast<unsigned>(splits));
  config.blockDim = dim3(Threads::kAll);
  config.dynamicSmemBytes = Tile::shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = kCluster > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, work, epilogue);
}

template <typename Tile>
ChunkWork chunk_work(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                     const SplitMatrix& kept) {
  return {shape, lhs, rhs, kept, BlockRaster(shape, Tile::m, Tile::n, Tile::k, 1), 0};
}

}  // namespace wgmma_detail

// Splits both operands on the way. kCluster blocks share the depth of a tile: 1, 2, 4 or 8.
template <typename Tile, int kCluster, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_chunks(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                               const Epilogue& epilogue, cudaStream_t stream) {
  return wgmma_detail::launch_chunks<Tile, false, kLhsLayout, kRhsLayout, kCluster>(
      wgmma_detail::chunk_work<Tile>(shape, lhs, rhs, {}), kCluster, epilogue, stream);
}

// `splits` parts of K as matrices of their own in scratch: splits * batch * m * n * 4 bytes.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_chunks_split_k(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                       const StridedMatrix<float>& rhs, const Epilogue& epilogue, int64_t splits,
                                       void* scratch, cudaStream_t stream) {
  const StorePartial store{static_cast<float*>(scratch), shape.m, shape.n};
  GemmShape partial_shape = shape;
  partial_shape.epilogue_vectorised = shape.n % 4 == 0;
  const cudaError_t error = wgmma_detail::launch_chunks<Tile, false, kLhsLayout, kRhsLayout, 1>(
      wgmma_detail::chunk_work<Tile>(partial_shape, lhs, rhs, {}), splits, store, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_join_splits(shape, static_cast<const float*>(scratch), epilogue, splits, stream);
}

// Of one matrix whose rhs launch_split_rhs() split before.
template <typename Tile, int kCluster, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_kept_chunks(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                    const StridedMatrix<float>& rhs, const Epilogue& epilogue, const void* split_rhs,
                                    cudaStream_t stream) {
  return wgmma_detail::launch_chunks<Tile, true, kLhsLayout, kRhsLayout, kCluster>(
      wgmma_detail::chunk_work<Tile>(shape, lhs, rhs, split_matrix(split_rhs, 1, shape.n, shape.k)), kCluster, epilogue,
      stream);
}

}  // namespace stitch
