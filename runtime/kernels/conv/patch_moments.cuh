// SPDX-License-Identifier: Apache-2.0
// Convolution by patches (patch_mma.cuh) that also takes the moments of its outputs: kernels/conv/moments.cuh.
//
// element: float operator()(int64_t image, int64_t channel, int64_t pixel, float sum) const, whose moments are taken;
// it may be called again, with another sum, and what it returns then is not used.
// epilogue: as in launch_conv_patch_mma(), of the element.
// store: void operator()(int64_t row, const WelfordAccumulator& total) const, once a row.
#pragma once

#include "kernels/conv/moments.cuh"
#include "kernels/conv/patch_mma.cuh"

namespace stitch {

namespace patch_detail {

// In the place of an epilogue. Rows of kPairs times sixteen channels are a warp's.
template <int kPairs, bool kByImage, typename Element, typename Epilogue>
struct PatchMoments {
  Element element;
  Epilogue epilogue;
  MomentParts parts;
};

template <typename Finish>
__device__ __forceinline__ auto stored_alone(const Finish& finish) {
  return PatchFinish<decltype(finish.epilogue.epilogue)>{
      finish.shape,       finish.input,        finish.weight,  finish.epilogue.epilogue,
      finish.in_channels, finish.out_channels, finish.by_four, finish.by_two};
}

// Of a line of a warp's outputs, one phase along z and y: the first, and whether it is there.
template <typename Window>
struct OutputLine {
  using Axes = PatchAxes<Window>;
  bool is_there;
  int64_t pixel;

  __device__ __forceinline__ OutputLine(const ConvShape& shape, const PatchPlace& place, int line) {
    const int z = Axes::Z::output(place.z, line / Axes::Y::phases);
    const int y = Axes::Y::output(place.y, line % Axes::Y::phases);
    is_there = z < shape.out_depth && y < shape.out_height;
    pixel = (z * shape.out_height + y) * shape.out_width + Axes::X::output(place.x, 0);
  }
};

// Sums become elements, whose moments are kept.
template <typename Tile, typename Window, typename Finish, typename Kept>
__device__ __forceinline__ void take_moments(const Finish& finish, const WarpPlace& warp, PatchSums<Tile, Window>& sums,
                                             Kept& kept) {
  using Axes = PatchAxes<Window>;
  constexpr int kAcross = Axes::X::phases;
  constexpr int kColumns = Tile::tiles_n * 2 * kAcross;  // of a lane
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = lane % 4 * 2 * kAcross;
  const int width = static_cast<int>(finish.shape.out_width) - Axes::X::output(warp.place.x, 0) - first;
  moments_detail::Taken<Tile::tiles_m> taken;
#pragma unroll
  for (int line = 0; line < Axes::phases / kAcross; ++line) {
    const OutputLine<Window> of(finish.shape, warp.place, line);
    if (!of.is_there) {
      continue;  // as all of the warp
    }
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int x = k / (2 * kAcross) * 8 * kAcross + k % (2 * kAcross);
      const bool is_there = x < width;
      taken.count += is_there ? 1.0f : 0.0f;
#pragma unroll
      for (int i = 0; i < 2 * Tile::tiles_m; ++i) {
        const int channel = min(warp.channel + i * 8 + lane / 4, finish.out_channels - 1);
        float& sum = sums[line * kAcross + k % kAcross][i / 2][k / (2 * kAcross)][i % 2 * 2 + k / kAcross % 2];
        sum = finish.epilogue.element(warp.place.image, warp.group * finish.out_channels + channel,
                                      of.pixel + (is_there ? first + x : 0), sum);
        taken.totals[i / 2][i % 2] += is_there ? sum : 0.0f;
      }
    }
  }
  taken.begin_second();
#pragma unroll
  for (int line = 0; line < Axes::phases / kAcross; ++line) {
    if (!OutputLine<Window>(finish.shape, warp.place, line).is_there) {
      continue;
    }
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const bool is_there = k / (2 * kAcross) * 8 * kAcross + k % (2 * kAcross) < width;
#pragma unroll
      for (int i = 0; i < 2 * Tile::tiles_m; ++i) {
        taken.add(i / 2, i % 2,
                  sums[line * kAcross + k % kAcross][i / 2][k / (2 * kAcross)][i % 2 * 2 + k / kAcross % 2], is_there);
      }
    }
  }
  kept.merge(taken.of);
}

// The same by plain fp32 arithmetic, and what is stored of them.
template <typename Tile, typename Window, typename Finish, typename Kept>
__device__ __forceinline__ void take_again(const Finish& finish, const WarpPlace& warp, Kept& kept) {
  using Axes = PatchAxes<Window>;
  constexpr int kOutputs = Patch<Tile, Window>::outputs;
  constexpr int kLines = Axes::phases / Axes::X::phases;
  const ConvShape& shape = finish.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  WelfordAccumulator moments[Tile::tiles_m][2];
#pragma unroll
  for (int i = 0; i < 2 * Tile::tiles_m; ++i) {
    moments[i / 2][i % 2] = WelfordAccumulator::identity();
  }
#pragma unroll 1
  for (int row = 0; row < Tile::channels; ++row) {
    const bool is_channel = warp.channel + row < finish.out_channels;
    // Of a channel that is not there only the count is kept, which all of a lane's channels share.
    const int64_t channel = min(warp.channel + row, finish.out_channels - 1);
    WelfordAccumulator own = WelfordAccumulator::identity();
#pragma unroll 1
    for (int i = lane; i < kLines * kOutputs; i += 32) {
      const int line = i / kOutputs;
      const PixelPlace place{warp.place.image, Axes::Z::output(warp.place.z, line / Axes::Y::phases),
                             Axes::Y::output(warp.place.y, line % Axes::Y::phases),
                             Axes::X::output(warp.place.x, 0) + i % kOutputs};
      if (place.z >= shape.out_depth || place.y >= shape.out_height || place.x >= shape.out_width) {
        continue;
      }
      const int64_t pixel = (place.z * shape.out_height + place.y) * shape.out_width + place.x;
      const float sum = sum_patch_again<typename WindowFold<Window>::Original>(finish, place, warp.group, channel);
      const float value[1] = {finish.epilogue.element(place.n, warp.group * finish.out_channels + channel, pixel, sum)};
      if (is_channel) {
        finish.epilogue.epilogue(place.n, warp.group * finish.out_channels + channel, pixel, value[0]);
      }
      own.add(value);
    }
    own = warp_merge<32>(own);
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles_m; ++i) {
      if (lane == row % 8 * 4 && i == row / 8) {
        moments[i / 2][i % 2] = own;
      }
    }
  }
  kept.merge(moments);
}

template <int kPairs, bool kByImage, typename Element, typename Epilogue>
struct WarpFinish<PatchMoments<kPairs, kByImage, Element, Epilogue>> {
  moments_detail::Kept<kPairs, kByImage> kept = {};

  template <typename Tile, typename Window, typename Finish>
  __device__ __forceinline__ void finish(const Finish& finish, const WarpPlace& warp, PatchSums<Tile, Window>& sums,
                                         float* staged) {
    static_assert(Tile::tiles_m == kPairs);
    kept.begin_image(finish.epilogue.parts, sharer(finish, warp.group, warp.channel), warp.place.image);
    if (__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
      take_moments<Tile, Window>(finish, warp, sums, kept);
      store_warp<Tile, Window>(stored_alone(finish), warp, sums, staged);
    } else {
      take_again<Tile, Window>(finish, warp, kept);
    }
  }

  template <typename Finish>
  __device__ __forceinline__ void end(const Finish& finish, int64_t group, int first_channel) const {
    kept.end(finish.epilogue.parts, sharer(finish, group, first_channel));
  }

 private:
  template <typename Finish>
  static __device__ __forceinline__ MomentSharer sharer(const Finish& finish, int64_t group, int first_channel) {
    const int64_t first = group * finish.out_channels;
    return {first + first_channel, first + finish.out_channels, static_cast<int>(threadIdx.x) / 32};
  }
};

// Behind what the convolution itself needs of scratch memory.
template <typename Policy, typename Tile, typename Window>
int64_t moments_at(const ConvShape& shape) {
  return round_up(PatchScratch<Policy, Window>(shape, Tile::tiles_m).bytes, 16);
}

template <typename Policy, typename Tile, typename Window>
MomentParts moment_parts(const ConvShape& shape, bool by_image, void* parts) {
  const auto shares = PatchShares::of<Policy, Tile, Window>(shape);
  return MomentParts::of(shape, shares.of_image(), shares.of_block, Tile::warps, by_image, parts);
}

}  // namespace patch_detail

// Bytes of scratch memory.
template <typename Policy, typename Tile, typename Window>
int64_t patch_moments_bytes(const ConvShape& shape, bool by_image) {
  return patch_detail::moments_at<Policy, Tile, Window>(shape) +
         patch_detail::moment_parts<Policy, Tile, Window>(shape, by_image, nullptr).bytes(shape);
}

// scratch: patch_moments_bytes().
template <typename Policy, typename Tile, typename Window, typename Element, typename Epilogue, typename Store,
          typename Rows>
cudaError_t launch_conv_patch_moments(const ConvShape& shape, const float* input, const float* weight,
                                      const Element& element, const Epilogue& epilogue, bool vectorised,
                                      const Store& store, const Rows& rows, void* scratch, cudaStream_t stream) {
  using namespace patch_detail;
  if (shape.batch * shape.out_depth * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const MomentParts parts = moment_parts<Policy, Tile, Window>(
      shape, rows.by_image, static_cast<unsigned char*>(scratch) + moments_at<Policy, Tile, Window>(shape));
  const PatchMoments<Tile::tiles_m, Rows::by_image, Element, Epilogue> moments{element, epilogue, parts};
  const cudaError_t error =
      launch_conv_patch_mma<Policy, Tile, Window>(shape, input, weight, moments, vectorised, scratch, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return reduce_detail::launch_join(parts.parts, store, rows.count(shape), rows.channels * parts.of_channel, stream);
}

}  // namespace stitch
