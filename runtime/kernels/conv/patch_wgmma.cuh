// SPDX-License-Identifier: Apache-2.0
// Convolution of stride one by wgmma (sm_90a) from patches of the input, operands scaled into fp16's range as
// kernels/conv/patch_mma.cuh has them; transposed of stride one too. A patch is planes of eight channels in shared
// memory, which the tensor cores read as it lies: eight places of a row are a core of 128 bytes, a row further is the
// next eight, and a tap is the same patch some places further. Nothing is gathered.
//
// A block stays with 64 output channels and takes two tiles of 256 places at a time, one each of two warpgroups; warps
// beside them have the copy engine bring patches and weights. The warpgroups are half a tile apart, so that one
// multiplies while the other stores. Where all weights of a block's channels have no room, they come through a ring,
// over and over; the second warpgroup begins its tiles in the middle of it.
#pragma once

#include "kernels/conv/patch_group_finish.cuh"
#include "ptx/bulk_copy.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/warpgroup.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

namespace patch_detail {

// What all blocks know of their work.
template <int kRank>
struct GroupSteps {
  PixelIndex<kRank> tiles;
  int count;           // of tiles
  int channel_blocks;  // of output channels
  int blocks;          // of each of them
  int patches;         // of a tile: slices, by taps along z
  int stages;          // of weights in shared memory
  bool holds_weights;  // all that a block needs
  int patches_ahead;   // where the second warpgroup begins
  int taps_ahead;

  __device__ __forceinline__ int stages_ahead(int taps) const { return patches_ahead * taps + taps_ahead; }
};

// A place in a ring, and the parity of its use.
struct GroupRing {
  int at = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void next(int count) {
    if (++at == count) {
      at = 0;
      parity ^= 1;
    }
  }
};

template <typename Tile, typename Window>
struct GroupMemory {
  using Patch = GroupPatch<Tile, Window>;
  unsigned char* shared;

  __device__ __forceinline__ unsigned char* patch(int group, int buffer) const {
    return shared + kBarrierBytes + (group * kBuffers + buffer) * Patch::bytes;
  }
  __device__ __forceinline__ unsigned char* stage(int stage) const {
    return shared + Patch::fixed_bytes + stage * Patch::stage_bytes;
  }
  __device__ __forceinline__ uint64_t* full_stage(int stage) const { return barriers() + 2 * stage; }
  __device__ __forceinline__ uint64_t* empty_stage(int stage) const { return barriers() + 2 * stage + 1; }
  __device__ __forceinline__ uint64_t* full_patch(int group, int buffer) const {
    return barriers() + 2 * (kMostStages + group * kBuffers + buffer);
  }
  __device__ __forceinline__ uint64_t* empty_patch(int group, int buffer) const {
    return full_patch(group, buffer) + 1;
  }
  // Once the first warpgroup has multiplied half of its first tile.
  __device__ __forceinline__ uint64_t* half_way() const { return barriers() + 2 * (kMostStages + kGroups * kBuffers); }

  __device__ __forceinline__ void init(int stages) const {
    constexpr int kWarpsOfGroup = 4;
    static_assert((2 * (kMostStages + kGroups * kBuffers) + 1) * sizeof(uint64_t) <= kBarrierBytes);
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage) {
        ptx::mbarrier_init(full_stage(stage), 1);
        ptx::mbarrier_init(empty_stage(stage), kGroups * kWarpsOfGroup);
      }
      for (int i = 0; i < kGroups * kBuffers; ++i) {
        ptx::mbarrier_init(full_patch(i / kBuffers, i % kBuffers), 1);
        ptx::mbarrier_init(empty_patch(i / kBuffers, i % kBuffers), kWarpsOfGroup);
      }
      ptx::mbarrier_init(half_way(), kWarpsOfGroup);
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

 private:
  __device__ __forceinline__ uint64_t* barriers() const { return reinterpret_cast<uint64_t*>(shared); }
};

// The pairs of tiles of a block, one tile for each warpgroup. All of them are multiplied in as many rounds, which the
// compiler has to see; what the second warpgroup lacks in the last one is the last tile again, and not stored.
template <typename Tile, int kRank>
struct GroupTiles {
  const GroupSteps<kRank>& steps;

  __device__ __forceinline__ int first() const { return static_cast<int>(blockIdx.x) / steps.channel_blocks * kGroups; }
  __device__ __forceinline__ int step() const { return steps.blocks * kGroups; }
  __device__ __forceinline__ int rounds() const { return (steps.count - first() + step() - 1) / step(); }
  __device__ __forceinline__ int tile(int round, int group) const { return first() + round * step() + group; }
  __device__ __forceinline__ PatchPlace place(int tile) const {
    const PixelPlace place = steps.tiles.place(min(tile, steps.count - 1));
    return {place.n, static_cast<int>(place.z), static_cast<int>(place.y) * Tile::height,
            static_cast<int>(place.x) * Tile::width};
  }
};

// By a warp: the rows of a patch, from the first plane that it is multiplied with.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_patch(const EightPlanes& planes, const uint4* from, const PatchPlace& place,
                                            unsigned char* patch, uint64_t* full) {
  using Patch = GroupPatch<Tile, Window>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int rows = min(Patch::height, planes.height - place.y);
  const uint32_t row_bytes = static_cast<uint32_t>(min(Patch::width, planes.width - place.x) * kPlaceBytes);
  if (lane == 0) {
    ptx::mbarrier_arrive_expecting(full, static_cast<uint32_t>(Tile::planes * rows) * row_bytes);
  }
  __syncwarp();
  const uint4* plane = from + int64_t{place.y} * planes.width + place.x;
#pragma unroll 1
  for (int i = 0; i < Tile::planes; ++i) {
#pragma unroll 1
    for (int row = lane; row < rows; row += 32) {
      ptx::bulk_copy(patch + i * Patch::plane_bytes + row * Patch::width * kPlaceBytes,
                     plane + int64_t{row} * planes.width, row_bytes, full);
    }
    plane += planes.places();
  }
}

// By a warp: all patches of a warpgroup.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_patches(const GroupMemory<Tile, Window>& memory, const EightPlanes& planes,
                                              const uint4* eights, const GroupSteps<Window::rank>& steps, int group) {
  using Z = typename PatchAxes<Window>::Z;
  const GroupTiles<Tile, Window::rank> tiles{steps};
  const int rounds = tiles.rounds();
  const int64_t layer = int64_t{planes.height} * planes.width;
  GroupRing ring;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const PatchPlace place = tiles.place(tiles.tile(round, group));
    const uint4* const image = eights + place.image * planes.planes * planes.places();
    int patch = group * steps.patches_ahead;
#pragma unroll 1
    for (int i = 0; i < steps.patches; ++i) {
      const int z = place.z + Z::offset(Z::shift(patch % Z::kernel));
      const uint4* const slice = image + int64_t{patch / Z::kernel} * Tile::planes * planes.places() + z * layer;
      ptx::mbarrier_wait(memory.empty_patch(group, ring.at), ring.parity ^ 1);
      bring_patch<Tile, Window>(planes, slice, place, memory.patch(group, ring.at), memory.full_patch(group, ring.at));
      ring.next(kBuffers);
      patch = patch + 1 == steps.patches ? 0 : patch + 1;
    }
  }
}

// By a thread: the weights of a block's channels, once or over and over.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_weights(const GroupMemory<Tile, Window>& memory, const uint4* arranged,
                                              const GroupSteps<Window::rank>& steps) {
  using Patch = GroupPatch<Tile, Window>;
  const int all = steps.patches * Patch::taps;
  const auto* const first = reinterpret_cast<const unsigned char*>(arranged) +
                            int64_t{static_cast<int>(blockIdx.x) % steps.channel_blocks} * all * Patch::stage_bytes;
  const int rounds = steps.holds_weights ? 1 : GroupTiles<Tile, Window::rank>{steps}.rounds();
  const int count = rounds * all + steps.stages_ahead(Patch::taps);
  GroupRing ring;
  int stage = 0;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    ptx::mbarrier_wait(memory.empty_stage(ring.at), ring.parity ^ 1);
    ptx::mbarrier_arrive_expecting(memory.full_stage(ring.at), Patch::stage_bytes);
    ptx::bulk_copy(memory.stage(ring.at), first + int64_t{stage} * Patch::stage_bytes, Patch::stage_bytes,
                   memory.full_stage(ring.at));
    ring.next(steps.stages);
    stage = stage + 1 == all ? 0 : stage + 1;
  }
}

template <int kColumns>
__device__ __forceinline__ void multiply_columns(float (&sums)[kColumns / 2], uint64_t a, uint64_t b, bool accumulate) {
  if constexpr (kColumns == 256) {
    ptx::wgmma_m64n256k16_f16(sums, a, b, accumulate);
  } else if constexpr (kColumns == 128) {
    ptx::wgmma_m64n128k16_f16(sums, a, b, accumulate);
  } else {
    static_assert(kColumns == 64);
    ptx::wgmma_m64n64k16_f16(sums, a, b, accumulate);
  }
}

// What a warpgroup multiplies.
template <typename Tile, typename Window>
class GroupMultiplier {
 public:
  using Patch = GroupPatch<Tile, Window>;

  __device__ __forceinline__ GroupMultiplier(const GroupMemory<Tile, Window>& memory,
                                             const GroupSteps<Window::rank>& steps, int group)
      : memory_(memory), steps_(steps), group_(group) {}

  // Leaves so many stages of the ring to the other warpgroup.
  __device__ __forceinline__ void skip(int stages) {
#pragma unroll 1
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);
      __syncwarp();  // or lanes that are late would wait for what comes next
      release_stage(stages_.at);
      next_stage();
    }
  }

  // All products of a tile.
  __device__ __forceinline__ void multiply(GroupSums<Tile>& sums) {
    bool accumulate = false;
    int stage_before = 0;
#pragma unroll 1
    for (int patch = 0; patch < steps_.patches; ++patch) {
      ptx::mbarrier_wait(memory_.full_patch(group_, patches_.at), patches_.parity);
      const uint64_t places =
          ptx::wgmma_operand_of_cores(memory_.patch(group_, patches_.at), Patch::plane_bytes, Patch::eight_bytes);
      int y = group_ * steps_.taps_ahead / PatchAxes<Window>::X::kernel;
      int x = group_ * steps_.taps_ahead % PatchAxes<Window>::X::kernel;
#pragma unroll 1
      for (int tap = 0; tap < Patch::taps; ++tap) {
        ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);
        multiply_tap(sums, places + offset(y, x), accumulate);
        ptx::wgmma_wait<1>();
        if (accumulate) {
          release_stage(stage_before);
          if (tap == 0) {
            release_patch(1 - patches_.at);
          }
        }
        accumulate = true;
        stage_before = stages_.at;
        next_stage();
        if (++x == PatchAxes<Window>::X::kernel) {
          x = 0;
          y = y + 1 == PatchAxes<Window>::Y::kernel ? 0 : y + 1;
        }
      }
      patches_.next(kBuffers);
      if (patch == (steps_.patches - 1) / 2) {
        tell_half_way();
      }
    }
    ptx::wgmma_wait<0>();
#pragma unroll
    for (auto& part : sums) {
      ptx::wgmma_pin(part);
    }
    release_stage(stage_before);
    release_patch(1 - patches_.at);
  }

 private:
  static_assert(kBuffers == 2);

  // In units of descriptors.
  static __device__ __forceinline__ uint32_t offset(int y, int x) {
    using Axes = PatchAxes<Window>;
    return static_cast<uint32_t>(Axes::Y::offset(Axes::Y::shift(y)) * Patch::width +
                                 Axes::X::offset(Axes::X::shift(x)));
  }

  __device__ __forceinline__ void multiply_tap(GroupSums<Tile>& sums, uint64_t places, bool accumulate) {
    constexpr int kUnit = 16;  // bytes, of addresses in descriptors
    const uint64_t weights =
        ptx::wgmma_operand_of_cores(memory_.stage(stages_.at), Patch::plane_of_weights, kEight * kPlaceBytes);
    ptx::wgmma_fence();
#pragma unroll
    for (int plane = 0; plane < Tile::planes; plane += 2) {
#pragma unroll
      for (int part = 0; part < Tile::parts; ++part) {
        multiply_columns<Tile::columns>(sums[part], weights + plane * Patch::plane_of_weights / kUnit,
                                        places + plane * Patch::plane_bytes / kUnit + part * Patch::part_bytes / kUnit, true);
      }
    }
    ptx::wgmma_commit();
  }

  __device__ __forceinline__ void next_stage() {
    stages_.next(steps_.stages);
    stages_.parity = steps_.holds_weights ? 0 : stages_.parity;
  }
  __device__ __forceinline__ void release_stage(int stage) const {
    if (!steps_.holds_weights && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.empty_stage(stage));
    }
  }
  __device__ __forceinline__ void release_patch(int buffer) const {
    if (threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.empty_patch(group_, buffer));
    }
  }
  __device__ __forceinline__ void tell_half_way() {
    if (!has_told_ && group_ == 0 && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.half_way());
    }
    has_told_ = true;
  }

  const GroupMemory<Tile, Window>& memory_;
  const GroupSteps<Window::rank>& steps_;
  int group_;
  GroupRing patches_;
  GroupRing stages_;
  bool has_told_ = false;
};

// By a warpgroup: all of its tiles.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void multiply_tiles(const GroupMemory<Tile, Window>& memory,
                                               const PatchFinish<Epilogue>& finish, const PatchScales& scales,
                                               const GroupSteps<Window::rank>& steps, int group) {
  using Patch = GroupPatch<Tile, Window>;
  const GroupTiles<Tile, Window::rank> tiles{steps};
  const int rounds = tiles.rounds();
  const int first_channel = static_cast<int>(blockIdx.x) % steps.channel_blocks * Tile::channels;
  GroupMultiplier<Tile, Window> multiplier(memory, steps, group);
  if (group == 1) {
    multiplier.skip(steps.stages_ahead(Patch::taps));
    if (steps.holds_weights) {
      ptx::mbarrier_wait(memory.half_way(), 0);
    }
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    const int tile = tiles.tile(round, group);
    const GroupOutputs own(scales, tiles.place(tile), first_channel);
    GroupSums<Tile> sums = {};
    multiplier.multiply(sums);
    if (tile < steps.count) {
      finish_group<Tile, Window>(finish, own, sums);
    }
  }
  if (group == 0) {
    multiplier.skip(steps.stages_ahead(Patch::taps));
  }
}

template <typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 1)
    patch_wgmma_kernel(PatchFinish<Epilogue> finish, const uint4* arranged, const uint4* eights, EightPlanes planes,
                       PatchScales scales, GroupSteps<Window::rank> steps) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(128) unsigned char patch_wgmma_shared[];
  constexpr int kBringRegisters = 56, kMultiplyRegisters = 224;
  const GroupMemory<Tile, Window> memory{patch_wgmma_shared};
  memory.init(steps.stages);
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    const int warp = static_cast<int>(threadIdx.x - Tile::multipliers) / 32;
    if (warp < kGroups) {
      bring_patches<Tile, Window>(memory, planes, eights, steps, warp);
    } else if (threadIdx.x == Tile::multipliers + kGroups * 32) {
      bring_weights<Tile, Window>(memory, arranged, steps);
    }
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    multiply_tiles<Tile, Window>(memory, finish, scales, steps, static_cast<int>(threadIdx.x) / 128);
  }
#endif
}

struct GroupOperands {
  const uint4* arranged;
  const uint4* eights;
  PatchScales scales;
};

template <typename Tile, typename Window>
GroupSteps<Window::rank> group_steps(const ConvShape& shape, const GroupWeights<Tile, Window>& weights,
                                     int blocks_at_once) {
  using Axes = PatchAxes<Window>;
  using Patch = GroupPatch<Tile, Window>;
  const int64_t down = ceil_divide(shape.out_height, Tile::height);
  const int64_t across = ceil_divide(shape.out_width, Tile::width);
  const int64_t count = shape.batch * shape.out_depth * down * across;
  const int64_t channel_blocks = weights.tiles.blocks_of_group;
  const int64_t most = blocks_at_once / channel_blocks > 0 ? blocks_at_once / channel_blocks : 1;
  const int64_t pairs = ceil_divide(count, kGroups);
  const auto patches = static_cast<int>(weights.tiles.slices) * Axes::Z::kernel;
  const int stages = Patch::stages(weights.stages());
  const bool holds = stages == weights.stages();
  const bool by_patches = patches > 1;
  return {PixelIndex<Window::rank>(shape.out_depth, down, across),
          static_cast<int>(count),
          static_cast<int>(channel_blocks),
          static_cast<int>(pairs < most ? pairs : most),
          patches,
          stages,
          holds,
          !holds && by_patches ? patches / 2 : 0,
          !holds && !by_patches ? Patch::taps / 2 : 0};
}

// Behind the launches that arrange the operands.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_groups(const ConvShape& shape, const GroupWeights<Tile, Window>& weights, const EightPlanes& planes,
                          const GroupOperands& operands, const PatchFinish<Epilogue>& finish, int blocks_at_once,
                          cudaStream_t stream) {
  using Patch = GroupPatch<Tile, Window>;
  static_assert(Patch::fits);
  const GroupSteps<Window::rank> steps = group_steps<Tile, Window>(shape, weights, blocks_at_once);
  const int shared_bytes = Patch::fixed_bytes + steps.stages * Patch::stage_bytes;
  const auto kernel = patch_wgmma_kernel<Tile, Window, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(steps.blocks * steps.channel_blocks);
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(finish, operands.arranged, operands.eights, planes,
                                                          operands.scales, steps);
  return cudaGetLastError();
}

}  // namespace patch_detail

// blocks_at_once: those that take all tiles, one after the other. epilogue: as of launch_conv_patch_mma(). `scratch`
// has GroupScratch<Tile, Window>'s bytes. Needs shape.groups == 1.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_patch_wgmma(const ConvShape& shape, const float* input, const float* weight,
                                    const Epilogue& epilogue, bool vectorised, void* scratch, cudaStream_t stream,
                                    int blocks_at_once = patch_detail::kBlocksAtOnce) {
  if (shape.groups != 1) {
    return cudaErrorInvalidValue;
  }
  if (shape.batch * shape.out_depth * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const patch_detail::GroupScratch<Tile, Window> layout(shape);
  auto* const memory = static_cast<unsigned char*>(scratch);
  auto* const unscale = reinterpret_cast<float*>(memory + layout.unscale_at);
  auto* const ranges = reinterpret_cast<patch_detail::ImageRange*>(memory + layout.ranges_at);
  auto* const arranged = reinterpret_cast<uint4*>(memory);
  auto* const eights = reinterpret_cast<uint4*>(memory + layout.eights_at);
  cudaError_t error =
      patch_detail::launch_scale<Window>(shape, layout.weights.tiles, input, weight, unscale, ranges, stream);
  if (error == cudaSuccess) {
    error = patch_detail::launch_pack_eights(shape, layout.planes, input, eights, ranges, stream);
  }
  if (error == cudaSuccess) {
    error = patch_detail::launch_arrange_eights(shape, layout.weights, weight, unscale, arranged, stream);
  }
  if (error != cudaSuccess) {
    return error;
  }
  const patch_detail::PatchFinish<Epilogue> finish{shape,
                                                   input,
                                                   weight,
                                                   epilogue,
                                                   static_cast<int>(shape.in_channels),
                                                   static_cast<int>(shape.out_channels),
                                                   vectorised && shape.out_width % patch_detail::kLanes == 0,
                                                   vectorised && shape.out_width % 2 == 0};
  return patch_detail::launch_groups(shape, layout.weights, layout.planes, {arranged, eights, {unscale, ranges}},
                                     finish, blocks_at_once, stream);
}

}  // namespace stitch
