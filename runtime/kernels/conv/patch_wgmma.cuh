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

#include <type_traits>

#include "kernels/conv/patch_group_finish.cuh"
#include "ptx/bulk_copy.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/warpgroup.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

namespace patch_detail {

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
    return shared + kBarrierBytes + (group * Patch::buffers + buffer) * Patch::bytes;
  }
  __device__ __forceinline__ unsigned char* stage(int stage) const {
    return shared + Patch::fixed_bytes + stage * Patch::stage_bytes;
  }
  // Behind so many stages of weights.
  __device__ __forceinline__ float* staged(int stages, int warp) const {
    return reinterpret_cast<float*>(stage(stages) + warp * Patch::staged_bytes);
  }
  __device__ __forceinline__ uint64_t* full_stage(int stage) const { return barriers() + 2 * stage; }
  __device__ __forceinline__ uint64_t* empty_stage(int stage) const { return barriers() + 2 * stage + 1; }
  __device__ __forceinline__ uint64_t* full_patch(int group, int buffer) const {
    return barriers() + 2 * (kMostStages + group * kMostBuffers + buffer);
  }
  __device__ __forceinline__ uint64_t* empty_patch(int group, int buffer) const {
    return full_patch(group, buffer) + 1;
  }
  // Once the first warpgroup has multiplied half of its first tile.
  __device__ __forceinline__ uint64_t* half_way() const {
    return barriers() + 2 * (kMostStages + kGroups * kMostBuffers);
  }

  __device__ __forceinline__ void init(int stages) const {
    constexpr int kWarpsOfGroup = 4;
    static_assert((2 * (kMostStages + kGroups * kMostBuffers) + 1) * sizeof(uint64_t) <= kBarrierBytes);
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < stages; ++stage) {
        ptx::mbarrier_init(full_stage(stage), 1);
        ptx::mbarrier_init(empty_stage(stage), kGroups * kWarpsOfGroup);
      }
      for (int i = 0; i < kGroups * kMostBuffers; ++i) {
        ptx::mbarrier_init(full_patch(i / kMostBuffers, i % kMostBuffers), 1);
        ptx::mbarrier_init(empty_patch(i / kMostBuffers, i % kMostBuffers), kWarpsOfGroup);
      }
      ptx::mbarrier_init(half_way(), kWarpsOfGroup);
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

 private:
  __device__ __forceinline__ uint64_t* barriers() const { return reinterpret_cast<uint64_t*>(shared); }
};

// By a warp: the rows of a patch, from the first plane that it is multiplied with.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_rows(const EightPlanes& planes, const PatchPlace& place, const uint4* plane,
                                           unsigned char* patch, uint64_t* full) {
  using Patch = GroupPatch<Tile, Window>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int rows = min(Patch::height, planes.height - place.y);
  const uint32_t row_bytes = static_cast<uint32_t>(min(Patch::width, planes.width - place.x) * kPlaceBytes);
  if (lane == 0) {
    ptx::mbarrier_arrive_expecting(full, static_cast<uint32_t>(Tile::planes * rows) * row_bytes);
  }
  __syncwarp();
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

// The same of a line, which the end of the layer may cut off.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_line(const EightPlanes& planes, const PatchPlace& place, const uint4* plane,
                                           unsigned char* patch, uint64_t* full) {
  using Patch = GroupPatch<Tile, Window>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int left = (planes.height - place.y) * planes.width - place.x;
  const auto bytes = static_cast<uint32_t>(min(Patch::width, left) * kPlaceBytes);
  if (lane == 0) {
    ptx::mbarrier_arrive_expecting(full, Tile::planes * bytes);
  }
  __syncwarp();
  if (lane < Tile::planes) {
    ptx::bulk_copy(patch + lane * Patch::plane_bytes, plane + lane * planes.places(), bytes, full);
  }
}

// By a warp: all patches of a warpgroup.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_patches(const GroupMemory<Tile, Window>& memory, const EightPlanes& planes,
                                              const uint4* eights, const GroupSteps<Tile, Window>& steps, int group) {
  using Patch = GroupPatch<Tile, Window>;
  const OwnSteps<Tile, Window> own(steps);
  GroupRing ring;
#pragma unroll 1
  for (int round = 0; round < own.rounds; ++round) {
    const PatchPlace tile = first_place<Tile, Window>(steps, own.tile(round, group));
    const uint4* const image = eights + tile.image * planes.planes * planes.places();
    int number = group * own.patches_ahead;
#pragma unroll 1
    for (int i = 0; i < own.patches; ++i) {
      const PatchOfTile<Tile, Window> patch(own, number);
      const int y = tile.y * Tile::high + (Tile::is_line ? Patch::offset_y(patch.tap_y) : 0);
      const PatchPlace place{tile.image, tile.z * Tile::deep + Patch::offset_z(patch.tap_z), y, tile.x};
      const uint4* const from = image + int64_t{patch.slice} * Tile::planes * planes.places() +
                                (int64_t{place.z} * planes.height + place.y) * planes.width + place.x;
      ptx::mbarrier_wait(memory.empty_patch(group, ring.at), ring.parity ^ 1);
      if constexpr (Tile::is_line) {
        bring_line<Tile, Window>(planes, place, from, memory.patch(group, ring.at), memory.full_patch(group, ring.at));
      } else {
        bring_rows<Tile, Window>(planes, place, from, memory.patch(group, ring.at), memory.full_patch(group, ring.at));
      }
      ring.next(Patch::buffers);
      number = own.next_patch(number);
    }
  }
}

// By a thread: the weights of a block's channels, once or over and over.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_weights(const GroupMemory<Tile, Window>& memory, const uint4* arranged,
                                              const GroupSteps<Tile, Window>& steps) {
  using Patch = GroupPatch<Tile, Window>;
  const OwnSteps<Tile, Window> own(steps);
  const auto* const first = reinterpret_cast<const unsigned char*>(arranged) +
                            int64_t{own.channel_block} * steps.slices * Patch::all_taps * Patch::stage_bytes;
  const int count = (own.holds_weights ? 1 : own.rounds) * own.all_stages() + own.stages_ahead();
  GroupRing ring;
  int number = 0;
  int tap = 0;  // of those that read the patch
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    const PatchOfTile<Tile, Window> patch(own, number);
    const int64_t stage = int64_t{patch.slice} * Patch::all_taps + patch.first_tap() + tap;
    ptx::mbarrier_wait(memory.empty_stage(ring.at), ring.parity ^ 1);
    ptx::mbarrier_arrive_expecting(memory.full_stage(ring.at), Patch::stage_bytes);
    ptx::bulk_copy(memory.stage(ring.at), first + stage * Patch::stage_bytes, Patch::stage_bytes,
                   memory.full_stage(ring.at));
    ring.next(own.stages);
    if (++tap == Patch::taps) {
      tap = 0;
      number = own.next_patch(number);
    }
  }
}

template <int kColumns>
__device__ __forceinline__ void multiply_columns(float (&sums)[kColumns / 2], uint64_t a, uint64_t b, bool accumulate) {
  if constexpr (kColumns == 256) {
    ptx::wgmma_m64n256k16_f16(sums, a, b, accumulate);
  } else if constexpr (kColumns == 128) {
    ptx::wgmma_m64n128k16_f16(sums, a, b, accumulate);
  } else if constexpr (kColumns == 64) {
    ptx::wgmma_m64n64k16_f16(sums, a, b, accumulate);
  } else {
    static_assert(kColumns == 32);
    ptx::wgmma_m64n32k16_f16(sums, a, b, accumulate);
  }
}

// What a warpgroup multiplies.
template <typename Tile, typename Window>
class GroupMultiplier {
 public:
  using Patch = GroupPatch<Tile, Window>;
  using Sums = GroupSums<Tile, Window>;

  __device__ __forceinline__ GroupMultiplier(const GroupMemory<Tile, Window>& memory, const OwnSteps<Tile, Window>& own,
                                             int group)
      : memory_(memory), own_(own), group_(group) {}

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
  __device__ __forceinline__ void multiply(Sums& sums) {
    before_ = {};
#pragma unroll 1
    for (int patch = 0; patch < own_.patches; ++patch) {
      ptx::mbarrier_wait(memory_.full_patch(group_, patches_.at), patches_.parity);
      const uint64_t places =
          ptx::wgmma_operand_of_cores(memory_.patch(group_, patches_.at), Patch::plane_bytes, Patch::eight_bytes);
      if constexpr (Patch::phases == 1) {
        multiply_window(sums, places);
      } else {
        multiply_phases(sums, places);
      }
      patches_.next(Patch::buffers);
      if (patch == (own_.patches - 1) / 2) {
        tell_half_way();
      }
    }
    ptx::wgmma_wait<0>();
#pragma unroll
    for (auto& part : sums) {
      ptx::wgmma_pin(part);
    }
    release_before(true);
  }

 private:
  // What the products under way read.
  struct Before {
    int stage = -1;  // none
    int patch = -1;
  };

  // All taps add to the same sums.
  __device__ __forceinline__ void multiply_window(Sums& sums, uint64_t places) {
    using Axes = PatchAxes<Window>;
    int y = group_ * own_.taps_ahead / Axes::X::kernel;
    int x = group_ * own_.taps_ahead % Axes::X::kernel;
#pragma unroll 1
    for (int tap = 0; tap < Patch::taps; ++tap) {
      ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);
      multiply_tap<Tile::parts>(sums, 0, places + (Tile::is_line ? Axes::X::offset(Axes::X::shift(x)) : offset(y, x)));
      finish_tap(tap == 0);
      if (++x == Axes::X::kernel) {
        x = 0;
        y = y + 1 == Patch::taps_y ? 0 : y + 1;
      }
    }
  }

  // Taps of a line, each of which adds to the sums of its phase: registers, whose numbers have to be known.
  __device__ __forceinline__ void multiply_phases(Sums& sums, uint64_t places) {
    using X = typename PatchAxes<Window>::X;
#pragma unroll
    for (int tap = 0; tap < X::kernel; ++tap) {
      ptx::mbarrier_wait(memory_.full_stage(stages_.at), stages_.parity);
      multiply_tap<1>(sums, X::phase(tap), places + X::offset(X::shift(tap)));
      finish_tap(tap == 0);
    }
  }

  // In units of descriptors.
  static __device__ __forceinline__ uint32_t offset(int y, int x) {
    using Axes = PatchAxes<Window>;
    return static_cast<uint32_t>(Patch::offset_y(y) * Patch::width + Axes::X::offset(Axes::X::shift(x)));
  }

  // Adds to so many parts of the sums.
  template <int kParts>
  __device__ __forceinline__ void multiply_tap(Sums& sums, int first_part, uint64_t places) {
    constexpr int kUnit = 16;  // bytes, of addresses in descriptors
    const uint64_t weights =
        ptx::wgmma_operand_of_cores(memory_.stage(stages_.at), Patch::plane_of_weights, kEight * kPlaceBytes);
    ptx::wgmma_fence();
#pragma unroll
    for (int plane = 0; plane < Tile::planes; plane += 2) {
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        multiply_columns<Tile::columns>(sums[first_part + part], weights + plane * Patch::plane_of_weights / kUnit,
                                        places + plane * Patch::plane_bytes / kUnit + part * Patch::part_bytes / kUnit,
                                        true);
      }
    }
    ptx::wgmma_commit();
  }

  // What the products before these have read may be written over.
  __device__ __forceinline__ void finish_tap(bool is_first_of_patch) {
    ptx::wgmma_wait<1>();
    release_before(is_first_of_patch);
    before_ = {stages_.at, patches_.at};
    next_stage();
  }

  __device__ __forceinline__ void next_stage() {
    stages_.next(own_.stages);
    stages_.parity = own_.holds_weights ? 0 : stages_.parity;
  }
  __device__ __forceinline__ void release_stage(int stage) const {
    if (!own_.holds_weights && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.empty_stage(stage));
    }
  }
  __device__ __forceinline__ void release_before(bool with_patch) const {
    if (before_.stage < 0) {
      return;
    }
    release_stage(before_.stage);
    if (with_patch && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.empty_patch(group_, before_.patch));
    }
  }
  __device__ __forceinline__ void tell_half_way() {
    if (!has_told_ && group_ == 0 && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(memory_.half_way());
    }
    has_told_ = true;
  }

  const GroupMemory<Tile, Window>& memory_;
  const OwnSteps<Tile, Window>& own_;
  int group_;
  GroupRing patches_;
  GroupRing stages_;
  Before before_;
  bool has_told_ = false;
};

// By a warpgroup: all of its tiles.
template <GroupStore kStore, typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void multiply_tiles(const GroupMemory<Tile, Window>& memory,
                                               const PatchFinish<Epilogue>& finish, const PatchScales& scales,
                                               const GroupSteps<Tile, Window>& steps, int group) {
  const OwnSteps<Tile, Window> own(steps);
  GroupMultiplier<Tile, Window> multiplier(memory, own, group);
  if (group == 1) {
    multiplier.skip(own.stages_ahead());
    if (own.holds_weights && own.patches > 0) {
      ptx::mbarrier_wait(memory.half_way(), 0);
    }
  }
#pragma unroll 1
  for (int round = 0; round < own.rounds; ++round) {
    const int tile = own.tile(round, group);
    const GroupUnscale unscale(scales, first_place<Tile, Window>(steps, tile).image, own);
    GroupSums<Tile, Window> sums = {};
    multiplier.multiply(sums);
    // Found again, so that nothing of it takes registers meanwhile.
    const int finished = ptx::not_known(tile);
    if (finished < steps.count) {
      const GroupOutputs<Tile, Window> outputs(first_place<Tile, Window>(steps, finished), own, steps);
      const int warp = static_cast<int>(threadIdx.x) / 32;
      finish_group<kStore, Tile, Window>(finish, finished, outputs, unscale, sums, memory.staged(steps.stages, warp));
    }
  }
  if (group == 0) {
    multiplier.skip(own.stages_ahead());
  }
}

template <GroupStore kStore, typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 1)
    patch_wgmma_kernel(PatchFinish<Epilogue> finish, const uint4* arranged, const uint4* eights, EightPlanes planes,
                       PatchScales scales, GroupSteps<Tile, Window> steps) {
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
    multiply_tiles<kStore, Tile, Window>(memory, finish, scales, steps, static_cast<int>(threadIdx.x) / 128);
  }
#endif
}

struct GroupOperands {
  const uint4* arranged;
  const uint4* eights;
  PatchScales scales;
};

template <GroupStore kStore, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_groups_by(const ConvShape& shape, const GroupWeights<Tile, Window>& weights,
                             const EightPlanes& planes, const GroupOperands& operands,
                             const PatchFinish<Epilogue>& finish, int blocks_at_once, cudaStream_t stream) {
  using Patch = GroupPatch<Tile, Window>;
  static_assert(Patch::fits);
  constexpr bool kIsStaged = kStore == GroupStore::kByLines;
  const GroupSteps<Tile, Window> steps = group_steps<Tile, Window>(shape, weights, planes, blocks_at_once, kIsStaged);
  const int shared_bytes =
      Patch::fixed_bytes + steps.stages * Patch::stage_bytes + (kIsStaged ? Patch::all_staged_bytes : 0);
  const auto kernel = patch_wgmma_kernel<kStore, Tile, Window, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(steps.all_blocks());
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(finish, operands.arranged, operands.eights, planes,
                                                          operands.scales, steps);
  return cudaGetLastError();
}

// Behind the launches that arrange the operands.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_groups(const ConvShape& shape, const GroupWeights<Tile, Window>& weights, const EightPlanes& planes,
                          const GroupOperands& operands, const PatchFinish<Epilogue>& finish, int blocks_at_once,
                          cudaStream_t stream) {
  const auto by = [&](auto store) {
    return launch_groups_by<store(), Tile, Window>(shape, weights, planes, operands, finish, blocks_at_once, stream);
  };
  const GroupStore store = group_store<Tile, Window>(finish);
  if constexpr (kStoresByFour<Tile, Window, Epilogue>) {
    if (store == GroupStore::kByFour) {
      return by(std::integral_constant<GroupStore, GroupStore::kByFour>{});
    }
  }
  if constexpr (kStoresByTwo<Tile, Window, Epilogue>) {
    if (store == GroupStore::kByTwo) {
      return by(std::integral_constant<GroupStore, GroupStore::kByTwo>{});
    }
  }
  return by(std::integral_constant<GroupStore, GroupStore::kByLines>{});
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
