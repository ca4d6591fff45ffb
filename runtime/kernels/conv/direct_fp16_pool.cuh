// SPDX-License-Identifier: Apache-2.0
// Direct convolution of few channels on the tensor cores (direct_fp16.cuh) whose outputs are pooled by windows that lie
// side by side, or reduced over whole axes, which is a window each; before and after that a softmax over all channels
// may follow. Nothing is stored but what is left: a patch has whole windows, and a warp all outputs and channels of the
// windows that it takes.
//
// element: float operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float sum) const; with three axes z
// comes before y. between, of what the first softmax makes, and after, of what is pooled, alike, before the second; the
// latter and store, void operator()(..., float value) const, take the pooled coordinates, without those of the axes
// that are not kept.
#pragma once

#include "kernels/conv/channel_softmax.cuh"
#include "kernels/conv/direct_fp16_windows.cuh"
#include "kernels/pool/joins.cuh"

namespace stitch {

// Windows along each axis: the extents of pooled planes.
struct WindowCounts {
  int64_t depth;
  int64_t height;
  int64_t width;
};

// The axes that are left of three.
template <bool kZ, bool kY, bool kX>
struct KeptAxes {
  // What `take`, called with the pooled place, returns.
  template <typename Take, typename... Value>
  static __device__ __forceinline__ auto at(const Take& take, const PixelPlace& place, int64_t channel,
                                            Value... value) {
    if constexpr (kZ && kY && kX) {
      return take(place.n, channel, place.z, place.y, place.x, value...);
    } else if constexpr ((kZ && kY) || (kZ && kX) || (kY && kX)) {
      return take(place.n, channel, kZ ? place.z : place.y, kX ? place.x : place.y, value...);
    } else if constexpr (kZ || kY || kX) {
      return take(place.n, channel, kZ ? place.z : (kY ? place.y : place.x), value...);
    } else {
      return take(place.n, channel, value...);
    }
  }
};

// What becomes of the outputs: functors, and the softmax before and behind the pool.
template <typename Join, typename Kept, typename Before, typename Behind, typename Element, typename Between,
          typename After, typename Store>
struct WindowChain {
  using join = Join;
  using kept = Kept;
  using before = Before;
  using behind = Behind;
  Element element;
  Between between;
  After after;
  Store store;
  WindowCounts pooled;
  float divisor;
};

template <typename Join, typename Kept, typename Before, typename Behind, typename Element, typename Between,
          typename After, typename Store>
WindowChain<Join, Kept, Before, Behind, Element, Between, After, Store> window_chain(
    const Element& element, const Between& between, const After& after, const Store& store, const WindowCounts& pooled,
    float divisor) {
  return {element, between, after, store, pooled, divisor};
}

// In the place of `between` or `after` where no softmax is.
struct AsItIs {
  template <typename... Place>
  __device__ float operator()(Place...) const;
};

namespace direct_fp16_detail {

template <int kRank, typename Take>
__device__ __forceinline__ float at_pixel(const Take& take, const PixelPlace& place, int64_t channel, float value) {
  if constexpr (kRank == 3) {
    return take(place.n, channel, place.z, place.y, place.x, value);
  } else {
    return take(place.n, channel, place.y, place.x, value);
  }
}

// Windows that a warp has, in the pooled planes; lanes whose window is not there have the last one's place.
template <typename Tile>
struct WindowPlace {
  PixelPlace pooled;
  int part;
  bool is_there;

  template <typename Chain>
  __device__ __forceinline__ WindowPlace(const ConvShape& shape, const Chain& chain, const Place& patch,
                                         const WindowInPatch<Tile>& own)
      : pooled{patch.image + own.image, patch.z / Tile::Pool::depth + own.z, patch.y / Tile::Pool::height + own.y,
               patch.x / Tile::Pool::width + own.x},
        part(own.part),
        is_there(own.is_there && pooled.n < shape.batch && pooled.z < chain.pooled.depth &&
                 pooled.y < chain.pooled.height && pooled.x < chain.pooled.width) {
    pooled.n = pooled.n < shape.batch ? pooled.n : shape.batch - 1;
    pooled.z = pooled.z < chain.pooled.depth ? pooled.z : chain.pooled.depth - 1;
    pooled.y = pooled.y < chain.pooled.height ? pooled.y : chain.pooled.height - 1;
    pooled.x = pooled.x < chain.pooled.width ? pooled.x : chain.pooled.width - 1;
  }

  // Of output `element` of `part`.
  __device__ __forceinline__ PixelPlace pixel(int element) const {
    using Pool = typename Tile::Pool;
    const int row = element / Pool::width_of_lane;
    return {pooled.n, pooled.z * Pool::depth + row / Pool::height, pooled.y * Pool::height + row % Pool::height,
            pooled.x * Pool::width + part * Pool::width_of_lane + element % Pool::width_of_lane};
  }
};

// A lane's two channels of each tile, from blockIdx.y's first on; those beyond the last have the last one's number.
struct LaneChannels {
  int first;
  int count;  // of all

  __device__ __forceinline__ int number(int tile, int i) const {
    const int channel = first + tile * 8 + i;
    return channel < count ? channel : count - 1;
  }
  __device__ __forceinline__ bool has(int tile, int i) const { return first + tile * 8 + i < count; }
};

template <typename Tile>
__device__ __forceinline__ LaneChannels channels_of_lane(const ConvShape& shape) {
  return {static_cast<int>(blockIdx.y) * Tile::channels + static_cast<int>(threadIdx.x) % 4 * 2,
          static_cast<int>(shape.out_channels)};
}

// Joins one output of a lane's window, two channels of each tile. `from`: 0, or 2 where it is the second of a pair.
// Returns 0, or NaN where a sum is not finite.
template <typename Tile, typename Window, typename Chain, int kTiles>
__device__ __forceinline__ float join_output(const Chain& chain, const PixelPlace& pixel, const LaneChannels& channels,
                                             const float (&unscale)[kTiles][2], const float (&sums)[kTiles][4],
                                             int from, float (&joined)[kTiles][2]) {
  float probe = 0;
  float values[kTiles][2];
#pragma unroll
  for (int i = 0; i < 2 * kTiles; ++i) {
    const float sum = sums[i / 2][from + i % 2] * unscale[i / 2][i % 2];
    probe = fmaf(sum, 0.0f, probe);
    values[i / 2][i % 2] = at_pixel<Window::rank>(chain.element, pixel, channels.number(i / 2, i % 2), sum);
  }
  if constexpr (Chain::before::is_there) {
    Chain::before::of_four_lanes(channels.first, channels.count, values);
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      values[i / 2][i % 2] =
          at_pixel<Window::rank>(chain.between, pixel, channels.number(i / 2, i % 2), values[i / 2][i % 2]);
    }
  }
#pragma unroll
  for (int i = 0; i < 2 * kTiles; ++i) {
    joined[i / 2][i % 2] = Chain::join::join(joined[i / 2][i % 2], values[i / 2][i % 2]);
  }
  return probe;
}

// What a warp knows of the windows that it takes: `column` is this lane's in the patch. All else is computed again
// where it is needed, since sums leave registers no room.
struct WindowTask {
  Place patch;
  float unscale;
  int column;
};

// Multiplies and joins outputs [first, first + kCount) of a warp's windows.
template <int kCount, typename Tile, typename Window, typename Chain>
__device__ __forceinline__ float join_outputs(const ConvShape& shape, const Chain& chain,
                                              const Memory<Tile, Window>& memory, const WindowTask& task,
                                              const unsigned char* pixels, int first, float (&joined)[Tile::tiles][2]) {
  constexpr int kPairs = (kCount + 1) / 2;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int places[2 * kPairs];
#pragma unroll
  for (int i = 0; i < 2 * kPairs; ++i) {
    const int own = i < kCount ? i : kCount - 1;
    // Where all are multiplied together each place is a number in the code.
    places[i] = kCount == Tile::elements ? pixel_of_element<Tile, Window>(own) * Stage<Tile, Window>::pixel_bytes
                                         : memory.elements()[first + own];
  }
  WindowSums<kPairs, Tile::tiles> sums = {};
  multiply_windows<kPairs, Tile, Window>(pixels, places, memory.weights() + lane, memory.offsets() + lane % 4, sums);
  float of_channels[Tile::tiles][2];
#pragma unroll
  for (int i = 0; i < 2 * Tile::tiles; ++i) {
    of_channels[i / 2][i % 2] = memory.unscale()[i / 2 * 8 + lane % 4 * 2 + i % 2] * task.unscale;
  }
  const WindowPlace<Tile> window(shape, chain, task.patch, WindowInPatch<Tile>(task.column));
  const LaneChannels channels = channels_of_lane<Tile>(shape);
  float probe = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    probe += join_output<Tile, Window>(chain, window.pixel(first + i), channels, of_channels, sums[i / 2], i % 2 * 2,
                                       joined);
  }
  return probe;
}

// The lanes of a window have it all then.
template <typename Tile, typename Join>
__device__ __forceinline__ void join_parts(float (&joined)[Tile::tiles][2]) {
#pragma unroll
  for (int distance = 4; distance < 4 * Tile::Pool::lanes; distance *= 2) {
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles; ++i) {
      joined[i / 2][i % 2] =
          Join::join(joined[i / 2][i % 2], __shfl_xor_sync(kFullWarp, joined[i / 2][i % 2], distance));
    }
  }
}

template <typename Tile, typename Chain>
__device__ __forceinline__ void store_windows(const Chain& chain, const WindowPlace<Tile>& window,
                                              const LaneChannels& channels, float (&joined)[Tile::tiles][2]) {
  using Kept = typename Chain::kept;
#pragma unroll
  for (int i = 0; i < 2 * Tile::tiles; ++i) {
    joined[i / 2][i % 2] = Chain::join::finish(joined[i / 2][i % 2], chain.divisor);
    if constexpr (Chain::behind::is_there) {
      joined[i / 2][i % 2] = Kept::at(chain.after, window.pooled, channels.number(i / 2, i % 2), joined[i / 2][i % 2]);
    }
  }
  if constexpr (Chain::behind::is_there) {
    Chain::behind::of_four_lanes(channels.first, channels.count, joined);
  }
#pragma unroll
  for (int i = 0; i < 2 * Tile::tiles; ++i) {
    if (window.is_there && window.part == 0 && channels.has(i / 2, i % 2)) {
      Kept::at(chain.store, window.pooled, channels.number(i / 2, i % 2), joined[i / 2][i % 2]);
    }
  }
}

// One window and channel by plain arithmetic; all lanes have the same window, and each a channel of its own.
template <typename Tile, typename Window, typename Chain>
__device__ __forceinline__ void pool_window_again(const Source& source, const Chain& chain, WindowPlace<Tile> window,
                                                  int channel) {
  using Kept = typename Chain::kept;
  const bool has_channel = channel < source.shape.out_channels;
  const int own = has_channel ? channel : static_cast<int>(source.shape.out_channels) - 1;
  float joined = Chain::join::identity;
#pragma unroll 1
  for (int part = 0; part < Tile::Pool::lanes; ++part) {
    window.part = part;
#pragma unroll 1
    for (int i = 0; i < Tile::elements; ++i) {
      const PixelPlace pixel = window.pixel(i);
      const Place at{pixel.n, static_cast<int>(pixel.z), static_cast<int>(pixel.y), static_cast<int>(pixel.x)};
      const float sum =
          direct_mma_detail::sum_again<Window>(source.shape, source.planes, source.input, source.weight, at, own);
      float value = at_pixel<Window::rank>(chain.element, pixel, own, sum);
      if constexpr (Chain::before::is_there) {
        value = at_pixel<Window::rank>(chain.between, pixel, own, Chain::before::of_lanes(value, has_channel));
      }
      joined = Chain::join::join(joined, value);
    }
  }
  joined = Chain::join::finish(joined, chain.divisor);
  if constexpr (Chain::behind::is_there) {
    joined = Chain::behind::of_lanes(Kept::at(chain.after, window.pooled, own, joined), has_channel);
  }
  if (window.is_there && has_channel) {
    Kept::at(chain.store, window.pooled, own, joined);
  }
}

// A warp's eight parts of windows, from number `first` on: what two parts of fp16 do not hold, or may not.
template <typename Tile, typename Window, typename Chain>
__device__ __noinline__ void pool_again(const Source& source, const Chain& chain, const Place& place, int first) {
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels + static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int column = first; column < first + 8; column += Tile::Pool::lanes) {
    const WindowPlace<Tile> window(source.shape, chain, place, WindowInPatch<Tile>(column));
#pragma unroll 1
    for (int channel = 0; channel < Tile::channels; channel += 32) {
      pool_window_again<Tile, Window>(source, chain, window, first_channel + channel);
    }
  }
}

// All outputs of a warp's windows. Returns 0, or NaN where a sum is not finite.
template <typename Tile, typename Window, typename Chain>
__device__ __forceinline__ float join_windows(const ConvShape& shape, const Chain& chain,
                                              const Memory<Tile, Window>& memory, const WindowTask& task,
                                              float (&joined)[Tile::tiles][2]) {
  constexpr int kTogether = Tile::together;
  constexpr int kLeft = Tile::elements % kTogether;
  const unsigned char* const pixels =
      memory.parts() + WindowInPatch<Tile>(task.column).template pixel<Window>() * Stage<Tile, Window>::pixel_bytes;
  float probe = 0;
#pragma unroll 1
  for (int first = 0; first + kTogether <= Tile::elements; first += kTogether) {
    if constexpr (!Tile::keeps_weights) {
      __syncwarp();  // weights are read again, which registers have no room for
    }
    probe += join_outputs<kTogether, Tile, Window>(shape, chain, memory, task, pixels, first, joined);
  }
  if constexpr (kLeft > 0) {
    probe += join_outputs<kLeft, Tile, Window>(shape, chain, memory, task, pixels, Tile::elements - kLeft, joined);
  }
  return probe;
}

// In the place of that of an epilogue: warps take a patch's windows by eights.
template <typename Tile, typename Window, typename Join, typename Kept, typename Before, typename Behind,
          typename Element, typename Between, typename After, typename Store>
__device__ __forceinline__ void multiply_patch(
    const Source& source, const WindowChain<Join, Kept, Before, Behind, Element, Between, After, Store>& chain,
    const Memory<Tile, Window>& memory, const Place& place, float unscale,
    WarpFinish<WindowChain<Join, Kept, Before, Behind, Element, Between, After, Store>>& /*nothing is kept*/) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int eight = static_cast<int>(threadIdx.x) / 32; eight < Tile::eights; eight += Tile::warps) {
    const WindowTask task{place, unscale, eight * 8 + lane / 4};
    const auto window = [&] { return WindowPlace<Tile>(source.shape, chain, place, WindowInPatch<Tile>(task.column)); };
    if (!__any_sync(kFullWarp, window().is_there)) {
      continue;
    }
    float joined[Tile::tiles][2];
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles; ++i) {
      joined[i / 2][i % 2] = Join::identity;
    }
    const float probe = join_windows<Tile, Window>(source.shape, chain, memory, task, joined);
    if (!__all_sync(kFullWarp, probe == 0 || !window().is_there)) {
      pool_again<Tile, Window>(source, chain, place, eight * 8);
      continue;
    }
    join_parts<Tile, Join>(joined);
    store_windows<Tile>(chain, window(), channels_of_lane<Tile>(source.shape), joined);
  }
}

}  // namespace direct_fp16_detail

// Needs shape.groups == 1, the tile's input channels, and no more output channels than its where there is a softmax;
// windows of the tile that lie within the output.
template <typename Tile, typename Window, typename Chain>
cudaError_t launch_conv_direct_fp16_pool(const ConvShape& shape, const float* input, const float* weight,
                                         const Chain& chain, cudaStream_t stream) {
  using Patch = direct_fp16_detail::Stage<Tile, Window>;
  constexpr bool kHasSoftmax = Chain::before::is_there || Chain::behind::is_there;
  const int64_t deep = ceil_divide(chain.pooled.depth, Tile::deep);
  const int64_t down = ceil_divide(chain.pooled.height, Tile::down);
  const int64_t across = ceil_divide(chain.pooled.width, Tile::across);
  const int64_t count = ceil_divide(shape.batch, Tile::images) * deep * down * across;
  if (shape.groups != 1 || shape.in_channels != Tile::input_channels ||
      (kHasSoftmax && shape.out_channels > Tile::channels)) {
    return cudaErrorInvalidValue;
  }
  if (count == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  const int64_t blocks_of_channels = ceil_divide(shape.out_channels, Tile::channels);
  auto kernel = direct_fp16_detail::direct_fp16_kernel<Tile, Window, Chain>;
  const int shared_bytes = Patch::shared_bytes(static_cast<int>(shape.in_channels));
  const cudaError_t error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  // One wave of blocks, each with its share of the patches.
  constexpr int64_t kBlocksAtOnce = 132 * direct_fp16_detail::blocks_of_multiprocessor<Tile, Window>();  // of an H200
  const int64_t of_block = ceil_divide(count * blocks_of_channels, kBlocksAtOnce);
  const direct_fp16_detail::Steps<Window::rank> steps{PixelIndex<Window::rank>(deep, down, across), count, of_block};
  // Patches beside each other begin where four elements do, or are all of a row.
  constexpr bool kIsByFour = Tile::columns * Window::stride_x % direct_fp16_detail::kLanes == 0;
  const bool by_four = (kIsByFour || across == 1) && shape.width % direct_fp16_detail::kLanes == 0 &&
                       reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0;
  const direct_fp16_detail::Source source{shape, input_planes(shape), input, weight, by_four};
  const dim3 blocks(static_cast<unsigned>(ceil_divide(count, of_block)), static_cast<unsigned>(blocks_of_channels));
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(source, chain, steps);
  return cudaGetLastError();
}

}  // namespace stitch
