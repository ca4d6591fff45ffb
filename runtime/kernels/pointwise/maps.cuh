// SPDX-License-Identifier: Apache-2.0
// Several maps (map.cuh) in one launch: each has blocks of its own, one map's behind the other's. For small maps, which
// take little longer than a launch.
#pragma once

#include "kernels/pointwise/map.cuh"

namespace stitch {

namespace map_detail {

template <int kRank, int kMaxLanes, typename Functor>
struct MapPart {
  Functor functor;
  GroupDividers<kRank> dividers;
  int64_t groups;
  unsigned blocks;
  bool vectorised;

  __device__ __forceinline__ void run(unsigned block) const {
    const int64_t group = static_cast<int64_t>(block) * kThreads + threadIdx.x;
    if constexpr (kMaxLanes > 1) {
      if (vectorised) {
        apply_group<kRank, kMaxLanes>(functor, dividers, group, groups);
        return;
      }
    }
    apply_group<kRank, 1>(functor, dividers, group, groups);
  }
};

template <typename... Parts>
struct MapParts {
  static constexpr unsigned blocks() { return 0; }
  __device__ __forceinline__ void run(unsigned) const {}
};

template <typename First, typename... Rest>
struct MapParts<First, Rest...> {
  First first;
  MapParts<Rest...> rest;

  unsigned blocks() const { return first.blocks + rest.blocks(); }
  __device__ __forceinline__ void run(unsigned block) const {
    if (block < first.blocks) {
      first.run(block);
    } else {
      rest.run(block - first.blocks);
    }
  }
};

inline MapParts<> parts_of() { return {}; }

template <typename First, typename... Rest>
MapParts<First, Rest...> parts_of(const First& first, const Rest&... rest) {
  return {first, parts_of(rest...)};
}

template <typename Parts>
__global__ void __launch_bounds__(kThreads) maps_kernel(Parts parts) {
  parts.run(blockIdx.x);
}

}  // namespace map_detail

// One of launch_maps(), with what launch_map() takes.
template <int kRank, int kMaxLanes = 4, typename Functor>
map_detail::MapPart<kRank, kMaxLanes, Functor> map_part(const Functor& functor, const MapShape<kRank>& shape) {
  map_detail::MapPart<kRank, kMaxLanes, Functor> part{functor};
  part.vectorised = kMaxLanes > 1 && shape.vectorised && shape.extents[kRank - 1] % kMaxLanes == 0;
  part.groups = map_detail::set_dividers(part.dividers, shape, part.vectorised ? kMaxLanes : 1);
  part.blocks = static_cast<unsigned>(ceil_divide(part.groups, map_detail::kThreads));
  return part;
}

// All parts have their places in the launch's arguments: eight are enough for one.
template <typename... Parts>
cudaError_t launch_maps(cudaStream_t stream, const Parts&... parts) {
  const auto all = map_detail::parts_of(parts...);
  const unsigned blocks = all.blocks();
  if (blocks == 0) {
    return cudaSuccess;
  }
  map_detail::maps_kernel<<<blocks, map_detail::kThreads, 0, stream>>>(all);
  return cudaGetLastError();
}

}  // namespace stitch
