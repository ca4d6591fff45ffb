// SPDX-License-Identifier: Apache-2.0
// Convolution of one tap by wgmma where there are few tiles of places and many input channels, as in deep layers of
// networks at small batches (sm_90a): the blocks of a cluster share a tile's input channels. Each multiplies slices of
// its own (kernels/conv/pointwise_wgmma.cuh), leaves the sums in its shared memory, and adds up those of its part of
// the output channels from all blocks, in their order.
#pragma once

#include "kernels/conv/pointwise_wgmma.cuh"
#include "ptx/cluster.cuh"

namespace stitch {

namespace pointwise_detail {

constexpr int kMultipliersMeet = 1;  // a barrier

template <typename Tile, int kCluster>
struct ClusterPart {
  static_assert(Tile::channels % (8 * kCluster) == 0, "a part has whole groups of eight channels");
  using Sums = PointwiseTile<Tile::groups, Tile::channels / kCluster>;  // as those of a tile of fewer channels
  static constexpr int quads = Sums::channels / 4;                      // of a thread: four places of a channel each

  // None of the last blocks where slices are fewer than blocks.
  static __device__ __forceinline__ SliceRange slices(int all, uint32_t rank) {
    const int first = all * static_cast<int>(rank) / kCluster;
    return {first, all * static_cast<int>(rank + 1) / kCluster - first};
  }
};

// Where a thread's four places of a channel lie among its block's sums.
template <typename Tile>
__device__ __forceinline__ float* staged_quad(float* staged, int quad) {
  return staged + (quad * Tile::multipliers + static_cast<int>(threadIdx.x)) * kLanes;
}

template <typename Tile>
__device__ __forceinline__ void stage_sums(const TileSums<Tile>& sums, float* staged) {
#pragma unroll
  for (int quad = 0; quad < Tile::channels / 4; ++quad) {
    const Lanes<float, kLanes> places = places_of<Tile>(sums, quad / 2, quad % 2);
    *reinterpret_cast<float4*>(staged_quad<Tile>(staged, quad)) = {places[0], places[1], places[2], places[3]};
  }
}

// Of this block's channels, what all blocks have staged.
template <typename Tile, int kCluster>
__device__ __forceinline__ void add_staged(float* staged,
                                           TileSums<typename ClusterPart<Tile, kCluster>::Sums>& joined) {
  using Part = ClusterPart<Tile, kCluster>;
  const int first = static_cast<int>(ptx::cluster_rank()) * Part::quads;
#pragma unroll
  for (int quad = 0; quad < Part::quads; ++quad) {
    float* const own = staged_quad<Tile>(staged, first + quad);
    float total[kLanes] = {};
#pragma unroll
    for (int block = 0; block < kCluster; ++block) {
      float values[kLanes];
      ptx::cluster_load(ptx::cluster_address(own, static_cast<uint32_t>(block)), values);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        total[lane] += values[lane];
      }
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      joined[lane / 2][quad / 2 * 4 + lane % 2 * 2 + quad % 2] = total[lane];
    }
  }
}

// From a block's sums of all channels to all blocks' sums of its own; then it may do without its partners, who may read
// from it until they have arrived at the second barrier. By all threads that multiply.
template <typename Tile, int kCluster>
__device__ __forceinline__ void join_cluster(const TileSums<Tile>& sums, float* staged,
                                             TileSums<typename ClusterPart<Tile, kCluster>::Sums>& joined) {
  ptx::barrier_of_threads<kMultipliersMeet, Tile::multipliers>();  // slices lie where sums will
  stage_sums<Tile>(sums, staged);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  add_staged<Tile, kCluster>(staged, joined);
  ptx::cluster_arrive();
}

// By the others.
template <int kCluster>
__device__ __forceinline__ void pass_cluster_barriers() {
  if constexpr (kCluster > 1) {
    __syncwarp();  // one lane may have brought something alone
    for (int barrier = 0; barrier < 2; ++barrier) {
      ptx::cluster_arrive();
      ptx::cluster_wait();
    }
  }
}

template <int kCluster, typename... Parameters, typename... Arguments>
cudaError_t launch_in_clusters(void (*kernel)(Parameters...), int64_t clusters, int threads, int shared_bytes,
                               cudaStream_t stream, const Arguments&... arguments) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(clusters * kCluster));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = kCluster > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

// By all threads that multiply, with the others at the same two cluster barriers.
template <typename Tile, int kCluster, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_cluster(const Finish<Epilogue, InputMap>& finish, const PointwiseSteps& steps,
                                               uint32_t unit, const TileSums<Tile>& sums, float* staged) {
  using Sums = typename ClusterPart<Tile, kCluster>::Sums;
  TileSums<Sums> joined;
  join_cluster<Tile, kCluster>(sums, staged, joined);
  const int part = static_cast<int>(ptx::cluster_rank()) * Sums::channels;
  finish_tile<Sums>(finish, steps, unit / steps.blocks_of_channels * Tile::places,
                    static_cast<int>(unit % steps.blocks_of_channels) * Tile::channels + part, joined);
  __syncwarp();         // lanes have stored what is theirs
  ptx::cluster_wait();  // partners may still read
}

template <typename Tile, int kCluster, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    pointwise_cluster_kernel(Finish<Epilogue, InputMap> finish, const unsigned char* arranged, Memory<Tile> memory,
                             PointwiseSteps steps) {
#ifdef STITCH_HAS_WGMMA
  static_assert(Tile::groups == 1 && Tile::channels <= 128, "registers are those of such tiles");
  extern __shared__ __align__(1024) unsigned char pointwise_cluster_shared[];
  constexpr int kBringRegisters = 40, kMultiplyRegisters = 216;
  const Ring<Tile> ring(pointwise_cluster_shared, memory);
  ring.init();
  const uint32_t unit = blockIdx.x / kCluster;
  const SliceRange range = ClusterPart<Tile, kCluster>::slices(steps.slices, ptx::cluster_rank());
  RingPlace at;
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    bring_unit<Tile>(
        ring, steps, range, finish.input, unit / steps.blocks_of_channels * Tile::places,
        arranged + static_cast<int64_t>(unit % steps.blocks_of_channels) * steps.slices * Memory<Tile>::weight_bytes,
        at);
    pass_cluster_barriers<kCluster>();
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    TileSums<Tile> sums = {};
    if (range.count > 0) {
      const MappedChannels<InputMap> mapped{finish.map, range.first * kSlice + lane % 4, steps.in_channels};
      multiply_unit<Tile>(ring, range.count, piece_of<Tile>(lane % 4, warp * 8 + lane / 4) * kLanes, mapped, at, sums);
    }
    finish_cluster<Tile, kCluster>(finish, steps, unit, sums, reinterpret_cast<float*>(ring.weights));
  }
#endif
}

}  // namespace pointwise_detail

// As launch_conv_kept_pointwise_wgmma(); kCluster blocks, 2, 4 or 8, share the input channels.
template <typename Tile, int kCluster, typename Epilogue, typename InputMap = AsStored>
cudaError_t launch_conv_kept_pointwise_cluster(const ConvShape& shape, const float* input, const float* weight,
                                               const Epilogue& epilogue, bool vectorised, const void* arranged,
                                               cudaStream_t stream, const InputMap& map = {}) {
  using namespace pointwise_detail;
  if (shape.groups != 1 || shape.in_channels == 0) {
    return cudaErrorInvalidValue;
  }
  const PointwiseSteps steps = pointwise_steps<Tile>(shape, input);
  if (steps.units == 0) {
    return cudaSuccess;
  }
  constexpr int kStagedBytes = Tile::multipliers * Tile::channels * static_cast<int>(sizeof(float));
  const Memory<Tile> memory(steps.slices, false);
  static_assert(kStagedBytes <= Memory<Tile>::room - Memory<Tile>::lead);
  const int bytes = memory.bytes < Memory<Tile>::lead + kStagedBytes ? Memory<Tile>::lead + kStagedBytes : memory.bytes;
  const auto kernel = pointwise_cluster_kernel<Tile, kCluster, Epilogue, InputMap>;
  const cudaError_t error = allow_shared_memory(kernel, bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const Finish<Epilogue, InputMap> finish{
      input, weight, map, epilogue, static_cast<int>(shape.out_channels), vectorised && steps.pixels % kLanes == 0};
  return launch_in_clusters<kCluster>(kernel, steps.units, Tile::threads, bytes, stream, finish,
                                      static_cast<const unsigned char*>(arranged), memory, steps);
}

}  // namespace stitch
