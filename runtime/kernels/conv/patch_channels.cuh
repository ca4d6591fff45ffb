// SPDX-License-Identifier: Apache-2.0
// Convolution by patches (patch_mma.cuh) of whose outputs only a reduction over the channels is kept. A warp has all
// channels of its outputs: each thread joins its own, and lanes that hold other channels of the same outputs exchange
// halves of what they have until each output's joined value is in one lane.
//
// element: as patch_pool.cuh has it; store: void operator()(int64_t image, int64_t y, int64_t x, float value) const,
// with three axes z comes before y.
#pragma once

#include "kernels/conv/channel_joins.cuh"
#include "kernels/conv/patch_pool.cuh"

namespace stitch {

namespace patch_detail {

// In the place of an epilogue.
template <typename Join, typename Element, typename Store>
struct ReduceChannels {
  Element element;
  Store store;
  float divisor;
};

// Where a warp's line of outputs lies.
struct ChannelsLine {
  PixelPlace output;
  int64_t last_x;
  int channel;   // the warp's first
  int channels;  // that are there
  int number;    // of the place's lines
};

// Outputs of a line that a thread has channels of: places by tile and by two, each of so many phases.
template <typename Tile, typename Window>
constexpr int kOutputsOfThread = Tile::tiles_n * 2 * PatchAxes<Window>::X::phases;

// What is reduced, of one output that a thread has, numbered along the line, and of one of the thread's channels, also
// numbered. Outputs and channels that are not there are taken for the last that are.
template <typename Tile, typename Window, typename Element>
__device__ __forceinline__ float element_of_thread(const Element& element, const ChannelsLine& line,
                                                   const PatchSums<Tile, Window>& sums, int number, int k) {
  using X = typename PatchAxes<Window>::X;
  constexpr int kOfTile = 2 * X::phases;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int j = number / kOfTile;
  const int x = number % kOfTile;
  PixelPlace place = line.output;
  place.x = min(place.x + (j * 4 + lane % 4) * kOfTile + x, line.last_x);
  return pooled_element<Window>(element, place, line.channel + min(lane / 4 + k * 8, line.channels - 1),
                                sums[line.number * X::phases + x % X::phases][k / 2][j][k % 2 * 2 + x / X::phases]);
}

// The thread's channels of one output.
template <typename Join, typename Tile, typename Window, typename Element>
__device__ __forceinline__ typename Join::State channels_of_thread(const Element& element, const ChannelsLine& line,
                                                                   const PatchSums<Tile, Window>& sums, int number) {
  const int first = static_cast<int>(threadIdx.x) % 32 / 4;
  typename Join::State joined = Join::identity();
#pragma unroll
  for (int k = 0; k < Tile::tiles_m * 2; ++k) {
    const auto state =
        Join::of(element_of_thread<Tile, Window>(element, line, sums, number, k), first + k * 8 < line.channels);
    joined = k == 0 ? state : Join::join(joined, state);
  }
  return joined;
}

// Lanes that hold other channels of the same outputs each keep one half of these. Afterwards a lane has those whose
// upper bits are its number among the eight lanes.
template <typename Join, int kLeft, int kDistance = 16, int kCount>
__device__ __forceinline__ void exchange_halves(typename Join::State (&states)[kCount]) {
  constexpr int kHalf = kLeft / 2;
  const bool is_upper = (static_cast<int>(threadIdx.x) & kDistance) != 0;
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    const auto kept = is_upper ? states[kHalf + i] : states[i];
    const auto sent = is_upper ? states[i] : states[kHalf + i];
    states[i] = Join::join(kept, Join::of_lane(sent, kDistance));
  }
  if constexpr (kDistance > 4) {
    exchange_halves<Join, kHalf, kDistance / 2>(states);
  }
}

// The reduction of every output of a line, laid beside each other as they are stored. False where the join does not
// hold what it has joined; then nothing is staged.
template <typename Join, typename Tile, typename Window, typename Element>
__device__ __forceinline__ bool stage_reduced(const Element& element, const ChannelsLine& line,
                                              const PatchSums<Tile, Window>& sums, float divisor, float* staged) {
  constexpr int kCount = kOutputsOfThread<Tile, Window>;
  constexpr int kOfTile = 2 * PatchAxes<Window>::X::phases;
  static_assert(kCount % 8 == 0, "too few outputs to share among lanes");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  typename Join::State states[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    states[i] = channels_of_thread<Join, Tile, Window>(element, line, sums, i);
  }
  exchange_halves<Join, kCount>(states);
  if constexpr (requires { Join::holds(states[0]); }) {
    bool are_held = true;
#pragma unroll
    for (int i = 0; i < kCount / 8; ++i) {
      are_held = are_held && Join::holds(states[i]);
    }
    if (!__all_sync(kFullWarp, are_held)) {
      return false;
    }
  }
#pragma unroll
  for (int i = 0; i < kCount / 8; ++i) {
    const int number = lane / 4 * (kCount / 8) + i;
    staged[(number / kOfTile * 4 + lane % 4) * kOfTile + number % kOfTile] = Join::finish(states[i], divisor);
  }
  return true;
}

template <typename Join, typename Tile, typename Window, typename Element>
__device__ __forceinline__ void stage_line(const Element& element, const ChannelsLine& line,
                                           const PatchSums<Tile, Window>& sums, float divisor, float* staged) {
  if constexpr (requires { typename Join::Near; }) {
    if (stage_reduced<typename Join::Near, Tile, Window>(element, line, sums, divisor, staged)) {
      return;
    }
  }
  stage_reduced<Join, Tile, Window>(element, line, sums, divisor, staged);
}

template <typename Window, typename Store>
__device__ __forceinline__ void store_reduced(const Store& store, const PixelPlace& place, float value) {
  if constexpr (Window::rank == 3) {
    store(place.n, place.z, place.y, place.x, value);
  } else {
    store(place.n, place.y, place.x, value);
  }
}

// All outputs of a warp by plain fp32 arithmetic.
template <typename Tile, typename Window, typename Join, typename Reduction>
__device__ __forceinline__ void reduce_again(const PatchFinish<Reduction>& finish, const WarpPlace& warp) {
  using Axes = PatchAxes<Window>;
  constexpr int kOfLine = Patch<Tile, Window>::outputs;
  const ConvShape& shape = finish.shape;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < Axes::phases / Axes::X::phases * kOfLine; i += 32) {
    const int line = i / kOfLine;
    const PixelPlace place{warp.place.image, Axes::Z::output(warp.place.z, line / Axes::Y::phases),
                           Axes::Y::output(warp.place.y, line % Axes::Y::phases),
                           Axes::X::output(warp.place.x, 0) + i % kOfLine};
    if (place.z >= shape.out_depth || place.y >= shape.out_height || place.x >= shape.out_width) {
      continue;
    }
    auto joined = Join::identity();
#pragma unroll 1
    for (int channel = warp.channel; channel < finish.out_channels && channel < warp.channel + Tile::channels;
         ++channel) {
      const float sum = sum_patch_again<typename WindowFold<Window>::Original>(finish, place, 0, channel);
      joined = Join::join(joined, Join::of(pooled_element<Window>(finish.epilogue.element, place, channel, sum), true));
    }
    store_reduced<Window>(finish.epilogue.store, place, Join::finish(joined, finish.epilogue.divisor));
  }
}

template <typename Join, typename Tile, typename Window, typename Reduction>
__device__ __forceinline__ void reduce_warp(const PatchFinish<Reduction>& finish, const WarpPlace& warp,
                                            const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  constexpr int kOfLine = Patch<Tile, Window>::outputs;
  const auto& reduction = finish.epilogue;
  const ConvShape& shape = finish.shape;
  if (!__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    reduce_again<Tile, Window, Join>(finish, warp);
    return;
  }
  const int first_x = Axes::X::output(warp.place.x, 0);
#pragma unroll
  for (int number = 0; number < Axes::phases / Axes::X::phases; ++number) {
    const PixelPlace first{warp.place.image, Axes::Z::output(warp.place.z, number / Axes::Y::phases),
                           Axes::Y::output(warp.place.y, number % Axes::Y::phases), first_x};
    if (first.z >= shape.out_depth || first.y >= shape.out_height || first_x >= shape.out_width) {
      continue;  // as all of the warp
    }
    const ChannelsLine line{first, shape.out_width - 1, warp.channel, finish.out_channels - warp.channel, number};
    __syncwarp();  // all have read what is written over
    stage_line<Join, Tile, Window>(reduction.element, line, sums, reduction.divisor, staged);
    __syncwarp();
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x) % 32; i < kOfLine; i += 32) {
      if (first_x + i < shape.out_width) {
        store_reduced<Window>(reduction.store, {first.n, first.z, first.y, first_x + i}, staged[i]);
      }
    }
  }
}

template <typename Join, typename Element, typename Store>
struct WarpFinish<ReduceChannels<Join, Element, Store>> {
  template <typename Tile, typename Window, typename Finish>
  __device__ __forceinline__ void finish(const Finish& finish, const WarpPlace& warp,
                                         const PatchSums<Tile, Window>& sums, float* staged) {
    reduce_warp<Join, Tile, Window>(finish, warp, sums, staged);
  }
};

// What each block of channels leaves, of all outputs of a block behind each other.
struct StoreParts {
  float* parts;
  int64_t outputs;  // of all images
  int64_t depth;
  int64_t height;
  int64_t width;

  __device__ __forceinline__ void operator()(int64_t image, int64_t z, int64_t y, int64_t x, float value) const {
    parts[blockIdx.y * outputs + ((image * depth + z) * height + y) * width + x] = value;
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t y, int64_t x, float value) const {
    (*this)(image, 0, y, x, value);
  }
};

constexpr int kPartsThreads = 256;

template <typename Window, typename Join, typename Store>
__global__ void __launch_bounds__(kPartsThreads)
    join_parts_kernel(const float* parts, int64_t outputs, int blocks, PixelIndex<Window::rank> pixels, float divisor,
                      Store store) {
  const int64_t output = int64_t{blockIdx.x} * kPartsThreads + threadIdx.x;
  if (output >= outputs) {
    return;
  }
  auto joined = Join::of(parts[output], true);
#pragma unroll 4
  for (int block = 1; block < blocks; ++block) {
    joined = Join::join(joined, Join::of(parts[block * outputs + output], true));
  }
  store_reduced<Window>(store, pixels.place(output), Join::finish(joined, divisor));
}

}  // namespace patch_detail

// The reduction over the channels of a convolution, each output's alone. Needs shape.groups == 1 and no more output
// channels than the tile has. `scratch`: as launch_conv_patch_mma() has it.
template <typename Policy, typename Tile, typename Window, typename Join, typename Element, typename Store>
cudaError_t launch_conv_patch_channels(const ConvShape& shape, const float* input, const float* weight,
                                       const Element& element, const Store& store, float divisor, void* scratch,
                                       cudaStream_t stream) {
  const patch_detail::ReduceChannels<Join, Element, Store> reduction{element, store, divisor};
  return launch_conv_patch_mma<Policy, Tile, Window>(shape, input, weight, reduction, false, scratch, stream);
}

// The same of more channels than the tile has: each block leaves a part, and a second launch joins these. `parts` has a
// float for each block of channels and each output of a channel.
template <typename Policy, typename Tile, typename Window, typename Join, typename Element, typename Store>
cudaError_t launch_conv_patch_channel_parts(const ConvShape& shape, const float* input, const float* weight,
                                            const Element& element, const Store& store, float divisor, void* scratch,
                                            float* parts, cudaStream_t stream) {
  const int64_t outputs = shape.batch * shape.out_depth * shape.out_height * shape.out_width;
  const patch_detail::StoreParts of_block{parts, outputs, shape.out_depth, shape.out_height, shape.out_width};
  const cudaError_t error = launch_conv_patch_channels<Policy, Tile, Window, Join>(shape, input, weight, element,
                                                                                   of_block, 1.0f, scratch, stream);
  if (error != cudaSuccess || outputs == 0) {
    return error;
  }
  const auto blocks = static_cast<int>(ceil_divide(shape.out_channels, Tile::channels));
  patch_detail::join_parts_kernel<Window, Join, Store>
      <<<static_cast<unsigned>(ceil_divide(outputs, patch_detail::kPartsThreads)), patch_detail::kPartsThreads, 0,
         stream>>>(parts, outputs, blocks, PixelIndex<Window::rank>(shape.out_depth, shape.out_height, shape.out_width),
                   divisor, store);
  return cudaGetLastError();
}

}  // namespace stitch
