// SPDX-License-Identifier: Apache-2.0
// Convolution by wgmma from patches (patch_wgmma.cuh) that also takes the moments of its outputs: of each tile of a
// warpgroup by itself, since neighbouring tiles are other blocks'; see kernels/conv/moments.cuh.
//
// element: float operator()(int64_t image, int64_t channel, int64_t pixel, float sum) const, whose moments are taken;
// it may be called again, with another sum, and what it returns then is not used.
// epilogue: as in launch_conv_patch_wgmma(), of the element.
// store: void operator()(int64_t row, const WelfordAccumulator& total) const, once a row.
#pragma once

#include "kernels/conv/moments.cuh"
#include "kernels/conv/patch_wgmma.cuh"

namespace stitch {

namespace patch_detail {

// Where the moments of a channel lie, of all images or of each: of each tile those of its phases and of the outputs of
// its places.
struct TileMoments {
  WelfordAccumulator* parts;
  int channels;
  int tiles_of_image;
  int of_tile;
  int of_channel;
  bool by_image;

  template <typename Tile, typename Window>
  static TileMoments of(const ConvShape& shape, bool by_image, void* parts) {
    using Axes = PatchAxes<Window>;
    const GroupScratch<Tile, Window> layout(shape);
    const auto steps = group_steps<Tile, Window>(shape, layout.weights, layout.planes, 1, false);
    const auto tiles = static_cast<int>(steps.count / shape.batch);
    constexpr int kOfTile = Axes::Z::phases * Tile::deep * Axes::Y::phases * Tile::high;
    return {static_cast<WelfordAccumulator*>(parts),
            static_cast<int>(shape.out_channels),
            tiles,
            kOfTile,
            (by_image ? tiles : steps.count) * kOfTile,
            by_image};
  }
  int64_t bytes(const ConvShape& shape) const {
    return (by_image ? shape.batch : 1) * int64_t{channels} * of_channel * int64_t{sizeof(WelfordAccumulator)};
  }

  // `part`: of the tile.
  __device__ __forceinline__ WelfordAccumulator* place(int64_t image, int channel, int tile, int part) const {
    const int64_t row = by_image ? image * channels + channel : channel;
    return parts + row * of_channel + (by_image ? tile % tiles_of_image : tile) * of_tile + part;
  }
};

// In the place of an epilogue, as which it stores elements.
template <typename Element, typename Epilogue>
struct GroupMoments {
  Element element;
  Epilogue epilogue;
  TileMoments moments;

  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t pixel, float value) const {
    epilogue(image, channel, pixel, value);
  }
  template <int kCount>
    requires requires(const Epilogue& own) { own.template lanes<kCount>(0, 0, 0, Lanes<float, kCount>{}); }
  __device__ __forceinline__ void lanes(int64_t image, int64_t channel, int64_t pixel,
                                        const Lanes<float, kCount>& values) const {
    epilogue.template lanes<kCount>(image, channel, pixel, values);
  }
};

// visit(number, part of the sums, the lane's first of them, output of a plane, whether it is there): each of a lane's
// columns, of which there are 64 at most.
template <typename Tile, typename Window, typename Visit>
__device__ __forceinline__ void visit_group_columns(const ConvShape& shape, const GroupOutputs<Tile, Window>& own,
                                                    const Visit& visit) {
  constexpr int kPhases = GroupPatch<Tile, Window>::phases;
  OutputWalk<Tile, Window> walk(shape, own, static_cast<int>(threadIdx.x) % 4 * 2);
#pragma unroll
  for (int eight = 0; eight < Tile::columns / 8; ++eight) {
#pragma unroll
    for (int part = 0; part < kPhases * Tile::parts; ++part) {
      const int product = Tile::is_line ? 0 : part;
      const int phase = Tile::is_line ? part : 0;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int beside = e * kPhases + phase;
        const bool is_there = walk.has_row(product, eight) && walk.x(product, eight) + beside < walk.columns();
        visit((eight * kPhases * Tile::parts + part) * 2 + e, part, eight * 4 + e, walk.pixel(product, eight) + beside,
              is_there);
      }
    }
    walk.advance(kEight);
  }
}

// Sums become elements, whose moments are returned.
template <typename Tile, typename Window, typename Finish>
__device__ __forceinline__ moments_detail::Taken<1> take_group_moments(const Finish& finish,
                                                                       const GroupOutputs<Tile, Window>& own,
                                                                       GroupSums<Tile, Window>& sums) {
  static_assert(GroupPatch<Tile, Window>::phases * Tile::parts * Tile::columns / 4 <= 64);
  const int last = finish.out_channels - 1;
  const int channels[2] = {min(own.channel, last), min(own.channel + 8, last)};
  moments_detail::Taken<1> taken;
  uint32_t there[2] = {};
  visit_group_columns(finish.shape, own, [&](int number, int part, int first, int64_t pixel, bool is_there) {
    there[number / 32] |= is_there ? 1u << number % 32 : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float& sum = sums[part][first + half * 2];
      // A lane without that output asks for the image's first.
      sum = finish.epilogue.element(own.place.image, channels[half], is_there ? pixel : 0, sum);
      taken.totals[0][half] += is_there ? sum : 0.0f;
    }
  });
  taken.count = static_cast<float>(__popc(there[0]) + __popc(there[1]));
  taken.begin_second();
#pragma unroll
  for (int eight = 0; eight < Tile::columns / 8; ++eight) {
#pragma unroll
    for (int i = 0; i < GroupPatch<Tile, Window>::phases * Tile::parts * 4; ++i) {
      const int number = eight * GroupPatch<Tile, Window>::phases * Tile::parts * 2 + i / 4 * 2 + i % 2;
      taken.add(0, i % 4 / 2, sums[i / 4][eight * 4 + i % 4], (there[number / 32] >> number % 32 & 1) != 0);
    }
  }
  return taken;
}

// A warp's own of a tile, four lanes having them.
template <typename Tile, typename Window, typename Finish>
__device__ __forceinline__ void store_group_moments(const Finish& finish, int tile,
                                                    const GroupOutputs<Tile, Window>& own,
                                                    const WelfordAccumulator (&taken)[1][2]) {
  using Axes = PatchAxes<Window>;
  const int behind = own.z - own.place.z * Axes::Z::phases * Tile::deep;
  const int part = behind * Axes::Y::phases * Tile::high + own.phase_y;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const WelfordAccumulator total = warp_merge<4>(taken[0][half]);
    const int channel = own.channel + half * 8;
    if (threadIdx.x % 4 == 0 && channel < finish.out_channels) {
      *finish.epilogue.moments.place(own.place.image, channel, tile, part) = total;
    }
  }
}

// By plain fp32 arithmetic, with what is stored of them.
template <typename Tile, typename Window, typename Finish>
__device__ __forceinline__ void take_group_again(const Finish& finish, int tile,
                                                 const GroupOutputs<Tile, Window>& own) {
  constexpr int kOutputs = Tile::places * PatchAxes<Window>::X::phases;
  const ConvShape& shape = finish.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  WelfordAccumulator taken[1][2] = {{WelfordAccumulator::identity(), WelfordAccumulator::identity()}};
#pragma unroll 1
  for (int row = 0; row < kRowsOfTile && own.first + row < finish.out_channels; ++row) {
    const int channel = own.first + row;
    WelfordAccumulator total = WelfordAccumulator::identity();
#pragma unroll 1
    for (int i = lane; i < kOutputs; i += 32) {
      const PixelPlace place = output_of_group(own, i);
      if (is_output(shape, place)) {
        const int64_t pixel = (place.z * shape.out_height + place.y) * shape.out_width + place.x;
        const float sum = sum_patch_again<Window>(finish, place, 0, channel);
        const float value[1] = {finish.epilogue.element(place.n, channel, pixel, sum)};
        finish.epilogue(place.n, channel, pixel, value[0]);
        total.add(value);
      }
    }
    total = warp_merge<32>(total);
    if (lane == row % 8 * 4) {
      taken[0][0] = row < 8 ? total : taken[0][0];
      taken[0][1] = row < 8 ? taken[0][1] : total;
    }
  }
  store_group_moments(finish, tile, own, taken);
}

// In the place of that of an epilogue alone.
template <GroupStore kStore, typename Tile, typename Window, typename Element, typename Epilogue>
__device__ __forceinline__ void finish_group(const PatchFinish<GroupMoments<Element, Epilogue>>& finish, int tile,
                                             const GroupOutputs<Tile, Window>& own, const GroupUnscale& unscale,
                                             GroupSums<Tile, Window>& sums, float* staged) {
  if (!__all_sync(kFullWarp, unscale_group<Tile, Window>(finish, own, unscale, sums))) {
    take_group_again(finish, tile, own);
    return;
  }
  if (!own.is_there(finish.shape)) {
    const WelfordAccumulator nothing[1][2] = {{WelfordAccumulator::identity(), WelfordAccumulator::identity()}};
    store_group_moments(finish, tile, own, nothing);
    return;
  }
  const moments_detail::Taken<1> taken = take_group_moments<Tile, Window>(finish, own, sums);
  store_group_moments(finish, tile, own, taken.of);
  store_group<kStore, Tile, Window>(finish, own, sums, staged);
}

template <typename Tile, typename Window>
int64_t group_moments_at(const ConvShape& shape) {
  return round_up(GroupScratch<Tile, Window>(shape).bytes, 16);
}

}  // namespace patch_detail

// Bytes of scratch memory.
template <typename Tile, typename Window>
int64_t patch_group_moments_bytes(const ConvShape& shape, bool by_image) {
  using namespace patch_detail;
  return group_moments_at<Tile, Window>(shape) + TileMoments::of<Tile, Window>(shape, by_image, nullptr).bytes(shape);
}

// scratch: patch_group_moments_bytes(). Needs what launch_conv_patch_wgmma() needs.
template <typename Tile, typename Window, typename Element, typename Epilogue, typename Store, typename Rows>
cudaError_t launch_conv_patch_group_moments(const ConvShape& shape, const float* input, const float* weight,
                                            const Element& element, const Epilogue& epilogue, bool vectorised,
                                            const Store& store, const Rows& rows, void* scratch, cudaStream_t stream,
                                            int blocks_at_once = patch_detail::kBlocksAtOnce) {
  using namespace patch_detail;
  if (shape.batch * shape.out_depth * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const TileMoments moments = TileMoments::of<Tile, Window>(
      shape, rows.by_image, static_cast<unsigned char*>(scratch) + group_moments_at<Tile, Window>(shape));
  const GroupMoments<Element, Epilogue> finish{element, epilogue, moments};
  const cudaError_t error =
      launch_conv_patch_wgmma<Tile, Window>(shape, input, weight, finish, vectorised, scratch, stream, blocks_at_once);
  if (error != cudaSuccess) {
    return error;
  }
  return reduce_detail::launch_join(moments.parts, store, rows.count(shape), rows.channels * moments.of_channel,
                                    stream);
}

}  // namespace stitch
