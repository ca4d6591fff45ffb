// SPDX-License-Identifier: Apache-2.0
// GEMM of fp32's class by wgmma in one launch (sm_90a), lhs in registers, for an rhs that prepare() has: three products
// of two TF32 parts each, whose exponents are fp32's, so that nothing is scaled. lhs comes as it is to shared memory,
// in slices of 32 along K; a thread reads eight neighbouring elements of a row, splits them, and hands the parts to the
// tensor cores. rhs lies split since launch_arrange_rhs(), in the order in which the tensor cores read it.
//
// The tensor cores cut off what their sums do not hold: small products come first, and sums are promoted to fp32 every
// slice. A tile with operands that two parts do not hold (infinities and NaN) is
// multiplied again in plain fp32. Blocks that share the depth of a tile are a cluster: kernels/gemm/wgmma_chunks.cuh.
#pragma once

#include "kernels/gemm/wgmma_chunks.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Rows in tiles of 64, and columns, of a block.
template <int kRowTiles, int kColumns>
struct RegisterTile {
  static constexpr int row_tiles = kRowTiles, m = 64 * kRowTiles, n = kColumns, k = 32;
  static constexpr int multipliers = 128, bringers = 128, threads = multipliers + bringers, blocks = 2;
  static constexpr int row_bytes = k * 4;              // of a row, or of a part of a column
  static constexpr int rhs_bytes = 2 * n * row_bytes;  // of a slice
  static constexpr int stage_bytes = m * row_bytes + rhs_bytes;
  static constexpr int alignment = 1024;
  static constexpr int stage_stride = n + 8;         // of the staged sums: four rows of a fragment in different banks
  static constexpr int plain_at = m * stage_stride;  // floats
  static constexpr int finish_bytes = (plain_at + kPlainSliceFloats<m, n>)*4;
  static constexpr int room = 112 * 1024 - 2 * alignment;
  static constexpr int stages = room / stage_bytes < 4 ? room / stage_bytes : 4;
  static constexpr int ring_bytes = stages * stage_bytes > finish_bytes ? stages* stage_bytes : finish_bytes;
  static constexpr int shared_bytes = alignment + ring_bytes + 2 * stages * 8 + 16;
};

namespace register_detail {

using wgmma_detail::ChunkWork;
using wgmma_detail::kMultipliersMeet;

constexpr int kSteps = 4;  // of a slice, of eight along K each
constexpr int kPiece = 4;  // elements of 16 bytes

// A thread's four elements of both tensor operands' steps 2 h and 2 h + 1 follow each other: slot c of step s stands
// for element c % 4 * 8 + s * 2 + c / 4 of the slice.
__host__ __device__ constexpr int element_of_slot(int step, int slot) { return slot % 4 * 8 + step * 2 + slot / 4; }

// Bytes of an rhs of n columns: slices of 32 along K follow each other, then blocks of columns.
template <typename Tile>
__host__ int64_t arranged_bytes(int64_t n, int64_t k) {
  return ceil_divide(n, Tile::n) * ceil_divide(k, Tile::k) * Tile::rhs_bytes;
}

// A thread makes a piece of four of a column's part: upper parts of all columns of a block first. What is not there is
// zero.
template <typename Tile>
__global__ void arrange_rhs_kernel(OperandView<float> rhs, int64_t k, int64_t slices, uint4* arranged, int64_t count) {
  constexpr int kPieces = Tile::row_bytes / 16;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const auto row = static_cast<int>(i / kPieces % Tile::n);
  const bool is_lower = i / kPieces / Tile::n % 2 != 0;
  const int64_t slice = i / kPieces / Tile::n / 2 % slices;
  const int64_t column = i / kPieces / Tile::n / 2 / slices * Tile::n + row;
  const int piece = static_cast<int>(i % kPieces) ^ row % kPieces;  // as wgmma_operand() says
  uint32_t words[kPiece];
#pragma unroll
  for (int word = 0; word < kPiece; ++word) {
    const int slot = piece % 2 * kPiece + word;
    const int64_t at = slice * Tile::k + element_of_slot(piece / 2, slot);
    const bool is_there = column < rhs.outer_extent && at < k;
    const float value[1] = {is_there ? rhs.data[column * rhs.outer_stride + at * rhs.k_stride] : 0.0f};
    uint32_t upper[1], lower[1];
    mma_detail::split_fragment(upper, lower, value);
    words[word] = is_lower ? lower[0] : upper[0];
  }
  arranged[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

template <typename Tile>
struct RegisterRing {
  unsigned char* stages;
  uint64_t* full;   // an arrival of each thread that copies, and one that counts bytes
  uint64_t* empty;  // one arrival of each warp that multiplies
  int* is_lost;     // whether the tile is multiplied again

  __device__ __forceinline__ explicit RegisterRing(unsigned char* shared) {
    const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(shared) % Tile::alignment);
    stages = shared + (misaligned == 0 ? 0 : Tile::alignment - misaligned);
    full = reinterpret_cast<uint64_t*>(stages + Tile::ring_bytes);
    empty = full + Tile::stages;
    is_lost = reinterpret_cast<int*>(empty + Tile::stages);
  }
  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) {
      *is_lost = 0;
      for (int stage = 0; stage < Tile::stages; ++stage) {
        ptx::mbarrier_init(full + stage, Tile::bringers + 1);
        ptx::mbarrier_init(empty + stage, Tile::multipliers / kWarpThreads);
      }
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }
  __device__ __forceinline__ unsigned char* lhs(int stage) const { return stages + stage * Tile::stage_bytes; }
  __device__ __forceinline__ unsigned char* rhs(int stage) const { return lhs(stage) + Tile::m * Tile::row_bytes; }
  __device__ __forceinline__ void release(int stage) const {
    if (threadIdx.x % kWarpThreads == 0) {
      ptx::mbarrier_arrive(empty + stage);
    }
  }
};

template <typename Tile>
struct StagePlace {
  int stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void next() {
    if (++stage == Tile::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// This thread's pieces of 16 bytes of a slice of lhs. Piece p of row r lies at piece p ^ (r % 8).
template <typename Tile, bool kWide>
__device__ __forceinline__ void bring_lhs(const OperandView<float>& lhs, const BlockPlace& place, int64_t k_end,
                                          int64_t k, unsigned char* stage) {
  constexpr int kPieces = Tile::row_bytes / 16;
  const int thread = static_cast<int>(threadIdx.x) - Tile::multipliers;
  const int piece = thread % kPieces;
  const int64_t at = k + piece * kPiece;
#pragma unroll
  for (int row = thread / kPieces; row < Tile::m; row += Tile::bringers / kPieces) {
    const bool is_there = place.row + row < lhs.outer_extent && at < k_end;
    const float* const from = is_there ? lhs.data + (place.row + row) * lhs.outer_stride + at : lhs.data;
    const int64_t left = is_there ? k_end - at : 0;
    auto* const to = reinterpret_cast<float*>(stage + row * Tile::row_bytes + (piece ^ row % kPieces) * 16);
    if constexpr (kWide) {
      ptx::cp_async_16(to, from, left > 0 ? 16 : 0);
    } else {
#pragma unroll
      for (int i = 0; i < kPiece; ++i) {
        ptx::cp_async_4_or_zero(to + i, i < left ? from + i : lhs.data, i < left);
      }
    }
  }
}

// By all threads that do not multiply.
template <typename Tile, bool kWide>
__device__ __forceinline__ void bring_slices(const RegisterRing<Tile>& ring, const ChunkWork& work,
                                             const BlockPlace& place, const unsigned char* arranged) {
  const int64_t slices = ceil_divide(work.shape.k, Tile::k);
  const unsigned char* from = arranged + (place.column / Tile::n * slices + place.k_begin / Tile::k) * Tile::rhs_bytes;
  StagePlace<Tile> at;
#pragma unroll 1
  for (int64_t k = place.k_begin; k < place.k_end; k += Tile::k) {
    ptx::mbarrier_wait(ring.empty + at.stage, at.parity ^ 1);  // a phase before the first counts as ended
    if (threadIdx.x == Tile::multipliers) {
      ptx::mbarrier_arrive_expecting(ring.full + at.stage, Tile::rhs_bytes);
      ptx::bulk_copy(ring.rhs(at.stage), from, Tile::rhs_bytes, ring.full + at.stage);
    }
    bring_lhs<Tile, kWide>(work.lhs_view(place.batch), place, work.shape.k, k, ring.lhs(at.stage));
    ptx::cp_async_arrive(ring.full + at.stage);
    from += Tile::rhs_bytes;
    at.next();
  }
}

template <int kColumns>
__device__ __forceinline__ void multiply_step(float (&sums)[kColumns / 2], const uint32_t (&a)[4], uint64_t b,
                                              bool accumulate) {
  if constexpr (kColumns == 64) {
    ptx::wgmma_m64n64k8_tf32(sums, a, b, accumulate);
  } else {
    static_assert(kColumns == 128);
    ptx::wgmma_m64n128k8_tf32(sums, a, b, accumulate);
  }
}

// What a thread has of a slice: eight neighbouring elements of two rows of each tile of 64.
template <typename Tile>
struct Elements {
  float4 pieces[Tile::row_tiles][2][2];  // of a row: first and second

  // `own`: of the thread's first row. Its second piece lies at `second` from there, swizzled.
  __device__ __forceinline__ void read(const unsigned char* own, int first, int second) {
#pragma unroll
    for (int tile = 0; tile < Tile::row_tiles; ++tile) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const unsigned char* const row = own + (tile * 64 + half * 8) * Tile::row_bytes;
        pieces[tile][half][0] = *reinterpret_cast<const float4*>(row + first);
        pieces[tile][half][1] = *reinterpret_cast<const float4*>(row + second);
      }
    }
  }
  // As the tensor cores take a step's: both rows' first elements, then both rows' second ones.
  template <int kStep>
  __device__ __forceinline__ void of_step(int tile, float (&values)[4]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4& piece = pieces[tile][half][kStep / 2];
      values[half] = kStep % 2 == 0 ? piece.x : piece.z;
      values[2 + half] = kStep % 2 == 0 ? piece.y : piece.w;
    }
  }
};

template <typename Tile>
using TileSums = float[Tile::row_tiles][Tile::n / 2];

// Of a step, of all tiles.
template <typename Tile>
struct Parts {
  uint32_t upper[Tile::row_tiles][4];
  uint32_t lower[Tile::row_tiles][4];

  template <int kStep>
  __device__ __forceinline__ void take(const Elements<Tile>& elements) {
#pragma unroll
    for (int tile = 0; tile < Tile::row_tiles; ++tile) {
      float values[4];
      elements.template of_step<kStep>(tile, values);
      mma_detail::split_fragment(upper[tile], lower[tile], values);
    }
  }
};

// A step's small products. `rhs` names its upper parts. kIsFirst: of a slice.
template <typename Tile, bool kIsFirst>
__device__ __forceinline__ void issue_small(TileSums<Tile>& sums, const Parts<Tile>& parts, uint64_t rhs) {
  constexpr uint64_t kLower = Tile::n * Tile::row_bytes / 16;  // further, in descriptors' addresses
  ptx::wgmma_fence();
#pragma unroll
  for (int tile = 0; tile < Tile::row_tiles; ++tile) {
    multiply_step<Tile::n>(sums[tile], parts.lower[tile], rhs, !kIsFirst);
  }
#pragma unroll
  for (int tile = 0; tile < Tile::row_tiles; ++tile) {
    multiply_step<Tile::n>(sums[tile], parts.upper[tile], rhs + kLower, true);
  }
  ptx::wgmma_commit();
}

template <typename Tile>
__device__ __forceinline__ void issue_large(TileSums<Tile>& sums, const Parts<Tile>& parts, uint64_t rhs) {
  ptx::wgmma_fence();
#pragma unroll
  for (int tile = 0; tile < Tile::row_tiles; ++tile) {
    multiply_step<Tile::n>(sums[tile], parts.upper[tile], rhs, true);
  }
  ptx::wgmma_commit();
}

// All products of a slice. While the tensor cores multiply a step, the next one's parts are made.
template <typename Tile, int kTurn = 0>
__device__ __forceinline__ void multiply_slice(TileSums<Tile>& sums, const Elements<Tile>& elements, uint64_t rhs,
                                               Parts<Tile> (&parts)[2]) {
  if constexpr (kTurn < 2 * kSteps) {
    constexpr int kStep = kTurn % kSteps;
    constexpr uint64_t kStepUnits = 8 * sizeof(float) / 16;  // of addresses in descriptors
    Parts<Tile>& own = parts[kTurn % 2];
    own.template take<kStep>(elements);
    if constexpr (kTurn < kSteps) {
      issue_small<Tile, kTurn == 0>(sums, own, rhs + kStep * kStepUnits);
    } else {
      issue_large<Tile>(sums, own, rhs + kStep * kStepUnits);
    }
    ptx::wgmma_wait<1>();  // the other parts may change
    multiply_slice<Tile, kTurn + 1>(sums, elements, rhs, parts);
  }
}

// Sums up a block's slices.
template <typename Tile>
__device__ __forceinline__ void multiply_slices(const RegisterRing<Tile>& ring, int slices, TileSums<Tile>& promoted) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int row = static_cast<int>(threadIdx.x) / kWarpThreads * 16 + lane / 4;
  const int first = (lane % 4 * 2 ^ row % 8) * 16;  // pieces of a row are swizzled
  const int second = ((lane % 4 * 2 + 1) ^ row % 8) * 16;
  TileSums<Tile> partial;
  Elements<Tile> elements;
  Parts<Tile> parts[2];
  StagePlace<Tile> at;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    ptx::mbarrier_wait(ring.full + at.stage, at.parity);
    elements.read(ring.lhs(at.stage) + row * Tile::row_bytes, first, second);
#pragma unroll
    for (int tile = 0; tile < Tile::row_tiles; ++tile) {
      ptx::wgmma_forget(partial[tile]);
    }
    multiply_slice<Tile>(partial, elements, ptx::wgmma_operand(ring.rhs(at.stage)), parts);
    ptx::wgmma_wait<0>();
    ring.release(at.stage);
#pragma unroll
    for (int tile = 0; tile < Tile::row_tiles; ++tile) {
      ptx::wgmma_pin(partial[tile]);
#pragma unroll
      for (int i = 0; i < Tile::n / 2; ++i) {
        promoted[tile][i] += partial[tile][i];
      }
    }
    at.next();
  }
}

template <typename Tile>
__device__ __forceinline__ void stage_tiles(const TileSums<Tile>& promoted, float* staged) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int row = static_cast<int>(threadIdx.x) / kWarpThreads * 16 + lane / 4;
#pragma unroll
  for (int tile = 0; tile < Tile::row_tiles; ++tile) {
#pragma unroll
    for (int i = 0; i < Tile::n / 4; ++i) {
      const int half = i % 2;
      const Lanes<float, 2> pair = {promoted[tile][i * 2], promoted[tile][i * 2 + 1]};
      store_lanes(staged + (tile * 64 + row + half * 8) * Tile::stage_stride + i / 2 * 8 + lane % 4 * 2, pair);
    }
  }
}

// By all threads that multiply, with the others at the same cluster barriers.
template <typename Tile, int kCluster, typename Epilogue>
__device__ __forceinline__ void finish_tiles(TileSums<Tile>& promoted, const RegisterRing<Tile>& ring,
                                             const ChunkWork& work, const BlockPlace& place, const Epilogue& epilogue) {
#pragma unroll
  for (int tile = 0; tile < Tile::row_tiles; ++tile) {
    if (wgmma_detail::is_any_nan(promoted[tile])) {
      *ring.is_lost = 1;
    }
  }
  ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
  auto* const staged = reinterpret_cast<float*>(ring.stages);
  if (*ring.is_lost != 0) {
    multiply_plainly<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers, kMultipliersMeet>(
        staged, staged + Tile::plain_at, work.lhs_view(place.batch), work.rhs_view(place.batch), place);
  } else {
    stage_tiles<Tile>(promoted, staged);
  }
  constexpr int kRows = Tile::m / kCluster;
  const auto same_row = [](int row) { return row; };
  if constexpr (kCluster == 1) {
    ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
    apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::multipliers>(staged, same_row, work.shape, place,
                                                                            place.batch, epilogue);
  } else {
    __syncwarp();
    ptx::cluster_arrive();
    ptx::cluster_wait();
    const int first = static_cast<int>(ptx::cluster_rank()) * kRows;
    wgmma_detail::add_cluster_rows<Tile, kCluster>(staged + first * Tile::stage_stride);
    __syncwarp();
    ptx::cluster_arrive();
    ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();
    BlockPlace own = place;
    own.row += first;
    apply_epilogue<kRows, Tile::n, Tile::stage_stride, Tile::multipliers>(staged + first * Tile::stage_stride, same_row,
                                                                          work.shape, own, place.batch, epilogue);
    __syncwarp();
    ptx::cluster_wait();  // partners may still read
  }
}

template <typename Tile, bool kWide, int kCluster, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    gemm_registers_kernel(ChunkWork work, const unsigned char* arranged, Epilogue epilogue) {
#ifdef STITCH_HAS_WGMMA
  constexpr int kBringRegisters = 40, kMultiplyRegisters = 216;
  extern __shared__ __align__(1024) unsigned char shared_registers[];
  const RegisterRing<Tile> ring(shared_registers);
  ring.init();
  const BlockPlace place = work.place();
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    bring_slices<Tile, kWide>(ring, work, place, arranged);
    if constexpr (kCluster > 1) {
      __syncwarp();
      for (int barrier = 0; barrier < 2; ++barrier) {
        ptx::cluster_arrive();
        ptx::cluster_wait();
      }
    }
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    TileSums<Tile> promoted = {};
    multiply_slices<Tile>(ring, static_cast<int>(ceil_divide(place.k_end - place.k_begin, Tile::k)), promoted);
    finish_tiles<Tile, kCluster>(promoted, ring, work, place, epilogue);
  }
#endif
}

}  // namespace register_detail

// An rhs of one matrix in the order in which the tensor cores read it: register_detail::arranged_bytes() at `arranged`.
template <typename Tile, Layout kRhsLayout>
cudaError_t launch_arrange_rhs(const StridedMatrix<float>& rhs, int64_t n, int64_t k, void* arranged,
                               cudaStream_t stream) {
  constexpr int kThreads = 128;
  const int64_t count = register_detail::arranged_bytes<Tile>(n, k) / int64_t{sizeof(uint4)};
  if (count == 0) {
    return cudaSuccess;
  }
  const OperandView<float> view{rhs.data, rhs.column_stride, rhs.row_stride, n, false};
  register_detail::arrange_rhs_kernel<Tile>
      <<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
          view, k, ceil_divide(k, Tile::k), static_cast<uint4*>(arranged), count);
  return cudaGetLastError();
}

// lhs is contiguous along K. kCluster blocks share the depth of a tile: 1, 2, 4 or 8. `arranged`: by
// launch_arrange_rhs().
template <typename Tile, int kCluster, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_kept_registers(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                       const StridedMatrix<float>& rhs, const Epilogue& epilogue, const void* arranged,
                                       cudaStream_t stream) {
  static_assert(kLhsLayout == Layout::kContiguousK, "rows of lhs are copied by pieces along K");
  wgmma_detail::ChunkWork work = wgmma_detail::chunk_work<Tile>(shape, lhs, rhs, {});
  if (work.raster.blocks() == 0) {
    return cudaSuccess;
  }
  work.split_length = round_up(ceil_divide(shape.k, kCluster), Tile::k);
  const auto kernel = wgmma_detail::is_wide<kLhsLayout>(lhs, lhs.row_stride, shape.k)
                          ? register_detail::gemm_registers_kernel<Tile, true, kCluster, Epilogue>
                          : register_detail::gemm_registers_kernel<Tile, false, kCluster, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {1, kCluster, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(work.raster.blocks()), kCluster);
  config.blockDim = dim3(Tile::threads);
  config.dynamicSmemBytes = Tile::shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = kCluster > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, work, static_cast<const unsigned char*>(arranged), epilogue);
}

}  // namespace stitch
