// SPDX-License-Identifier: Apache-2.0
// Pointwise map over an iteration space of rank 1..6: one thread per group of neighbouring elements.
//
// Contract of Functor (trivially copyable):
//   template <int kLanes> __device__ void apply(const Index<kRank>& at) const;
// computes and stores the elements at .. at + kLanes - 1 along the innermost axis. Operands that are contiguous there
// are read with load_float_lanes<kLanes>(), operands that are broadcast along it once, before the loop over lanes.
// Collapse the iteration space on the host as far as the operands' strides allow: rank 1 needs no division at all.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

template <int kRank>
struct MapShape {
  int64_t extents[kRank];
  // The host has proved (lanes_aligned) that groups of 4 may be accessed as one. Used if also extents[kRank-1] % 4 ==
  // 0.
  bool vectorised;
};

namespace map_detail {

constexpr int kThreads = 256;

template <int kRank>
struct GroupDividers {
  Divider axis[kRank];
};

// Sets the dividers of groups of `lanes` elements; returns how many groups there are.
template <int kRank>
int64_t set_dividers(GroupDividers<kRank>& dividers, const MapShape<kRank>& shape, int64_t lanes) {
  int64_t groups = 1;
  for (int axis = 0; axis < kRank; ++axis) {
    const int64_t extent = axis == kRank - 1 ? shape.extents[axis] / lanes : shape.extents[axis];
    dividers.axis[axis] = Divider(extent);
    groups *= extent;
  }
  return groups;
}

template <int kRank, int kLanes, typename Functor>
__device__ __forceinline__ void apply_group(const Functor& functor, const GroupDividers<kRank>& dividers, int64_t group,
                                            int64_t groups) {
  if (group >= groups) {
    return;
  }
  Index<kRank> at;
#pragma unroll
  for (int axis = kRank - 1; axis > 0; --axis) {
    const QuotientRemainder split = dividers.axis[axis].divide(group);
    at.axis[axis] = split.remainder;
    group = split.quotient;
  }
  at.axis[0] = group;
  at.axis[kRank - 1] *= kLanes;
  functor.template apply<kLanes>(at);
}

template <int kRank, int kLanes, typename Functor>
__global__ void __launch_bounds__(kThreads) map_kernel(Functor functor, GroupDividers<kRank> dividers, int64_t groups) {
  apply_group<kRank, kLanes>(functor, dividers, static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x, groups);
}

template <int kRank, int kLanes, typename Functor>
cudaError_t launch_lanes(const Functor& functor, const MapShape<kRank>& shape, cudaStream_t stream) {
  GroupDividers<kRank> dividers;
  const int64_t groups = set_dividers(dividers, shape, kLanes);
  if (groups == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(groups, kThreads));
  map_kernel<kRank, kLanes, Functor><<<blocks, kThreads, 0, stream>>>(functor, dividers, groups);
  return cudaGetLastError();
}

}  // namespace map_detail

// kMaxLanes = 1 leaves the vectorised kernel out, for functors that cannot use it.
template <int kRank, int kMaxLanes = 4, typename Functor>
cudaError_t launch_map(const Functor& functor, const MapShape<kRank>& shape, cudaStream_t stream) {
  if constexpr (kMaxLanes > 1) {
    if (shape.vectorised && shape.extents[kRank - 1] % kMaxLanes == 0) {
      return map_detail::launch_lanes<kRank, kMaxLanes>(functor, shape, stream);
    }
  }
  return map_detail::launch_lanes<kRank, 1>(functor, shape, stream);
}

}  // namespace stitch
