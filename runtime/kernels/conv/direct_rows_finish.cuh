// SPDX-License-Identifier: Apache-2.0
// From a warp's sums to its outputs, of direct_rows.cuh: channels are laid in shared memory as they lie in memory, one
// row behind the other, and stored by four from whatever aligned element they begin at; or again by plain arithmetic
// where a sum is not finite.
#pragma once

#include "kernels/conv/direct_rows_patch.cuh"

namespace stitch {

namespace direct_rows_detail {

template <typename Tile, typename Window>
using RowSums = float[Places<Tile, Window>::columns / 2];

// Outputs of a product, which follow each other in memory in all channels.
struct Run {
  Place place;    // of the patch's first output in this z
  int output;     // the first, from the patch's first
  int count;      // of outputs
  int lead;       // elements of four before the first that are another's
  int64_t pixel;  // the first, of a channel

  // From place `first` on.
  template <typename Tile, typename Window>
  __device__ __forceinline__ Run(const ConvShape& shape, const Layout<Tile, Window>& layout, const Place& of_patch,
                                 int first)
      : place(of_patch) {
    const auto left = static_cast<int>(shape.out_height) - place.y;
    const int all = (left < Tile::rows ? left : Tile::rows) * layout.width;
    output = outputs_before(layout, first);
    const int end = outputs_before(layout, first + Places<Tile, Window>::columns);
    const int end_of_row = (layout.by_pitch.quotient(first) + 1) * layout.width;
    count = min(layout.of_row == 0 ? end : min(end, end_of_row), all) - output;
    pixel = (place.z * shape.out_height + place.y) * shape.out_width + output;
    lead = static_cast<int>(pixel) & (kLanes - 1);
  }

  template <typename Tile, typename Window>
  static __device__ __forceinline__ int outputs_before(const Layout<Tile, Window>& layout, int number) {
    const int row = layout.by_pitch.quotient(number);
    const int x = number - row * layout.pitch;
    return row * layout.width + (x < layout.width ? x : layout.width);
  }
};

// One of a lane's two sums of each eight places is laid where its channel's outputs lie as in memory, `at` being where
// that of the lane's first place does. Behind a row of outputs nothing is.
template <bool kSecond, bool kIsEven, typename Tile, typename Window>
__device__ __forceinline__ void stage_sums(const Layout<Tile, Window>& layout, const RowSums<Tile, Window>& sums, int x,
                                           int at, float* staged) {
  const int to_next = layout.width - layout.pitch;
#pragma unroll
  for (int j = 0; j < Places<Tile, Window>::columns / 8; ++j) {
    const float first = sums[j * 4 + kSecond * 2];
    const float second = sums[j * 4 + kSecond * 2 + 1];
    if constexpr (kIsEven) {
      if (x < layout.width) {
        *reinterpret_cast<float2*>(staged + at) = make_float2(first, second);
      }
    } else {
      if (x < layout.width) {
        staged[at] = first;
      }
      if (x + 1 < layout.width) {
        staged[at + 1] = second;
      }
    }
    x += 8;
    at += 8;
    const bool is_next = x >= layout.pitch;
    x -= is_next ? layout.pitch : 0;
    at += is_next ? to_next : 0;
  }
}

// The same of places from `first` on, eight channels.
template <bool kSecond, typename Tile, typename Window>
__device__ __forceinline__ void stage(const Layout<Tile, Window>& layout, const Run& run, int first,
                                      const RowSums<Tile, Window>& sums, float* staged) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int number = first + lane % 4 * 2;
  const int row = layout.by_pitch.quotient(number);
  const int x = number - row * layout.pitch;
  const int at = run.lead + row * layout.width + x - run.output;
  float* const to = staged + lane / 4 * kStagedPitch;
  if (layout.width % 2 == 0) {
    stage_sums<kSecond, true, Tile, Window>(layout, sums, x, at, to);
  } else {
    stage_sums<kSecond, false, Tile, Window>(layout, sums, x, at, to);
  }
}

// What a thread keeps from patch to patch where each output is stored and forgotten.
struct NothingKept {
  template <typename Finish>
  __device__ __forceinline__ void begin_image(const ConvShape&, const Finish&, int64_t) {}
  template <typename Finish>
  __device__ __forceinline__ void end(const ConvShape&, const Finish&) {}
};

// What the epilogue takes.
template <typename Epilogue>
struct RowFinish {
  using Kept = NothingKept;
  Epilogue epilogue;
  bool by_four;  // four neighbouring outputs are stored together, from every fourth of a channel on
};

template <typename Epilogue>
constexpr bool kTakesFour =
    requires(const Epilogue& epilogue) { epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); };

// A warp stores some channels' outputs, at most 32 times four of each. `staged`: of the first channel, those before
// its first output included.
template <int kCount, typename Epilogue>
__device__ __forceinline__ void store_by_four(const Epilogue& epilogue, const Run& run, int first_channel, int channels,
                                              const float* staged) {
  constexpr int kEdges = 8;  // lanes of a channel: the first three have outputs before the fours, the last behind
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int end = run.lead + run.count;
  const int64_t pixel = run.pixel - run.lead;
  const int at = lane * kLanes;
  float4 fours[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    fours[i] = at < end ? *reinterpret_cast<const float4*>(staged + i * kStagedPitch + at) : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (at >= run.lead && at + kLanes <= end && i < channels) {
      epilogue.template lanes<kLanes>(run.place.image, first_channel + i, pixel + at,
                                      {fours[i].x, fours[i].y, fours[i].z, fours[i].w});
    }
  }
  const int edge = lane % kEdges;
  const int first = (run.lead + kLanes - 1) & -kLanes;
  const int last = max(first, end & -kLanes);
  const int channel = lane / kEdges;
  const int place = edge < kLanes ? run.lead + edge : last + edge - kLanes;
  if (place < (edge < kLanes ? min(first, end) : end) && channel < channels) {
    epilogue(run.place.image, first_channel + channel, pixel + place, staged[channel * kStagedPitch + place]);
  }
}

// A channel's outputs one by one, 32 from where a line of memory begins.
template <typename Epilogue>
__device__ __forceinline__ void store_lines(const ConvShape& shape, const Epilogue& epilogue, const Run& run,
                                            int channel, const float* staged) {
  const auto plane = static_cast<uint32_t>(shape.out_depth * shape.out_height * shape.out_width);
  const uint32_t number =
      static_cast<uint32_t>(run.place.image * shape.out_channels + channel) * plane + static_cast<uint32_t>(run.pixel);
  const int before = static_cast<int>(number % 32);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32 - before; i < run.count; i += 32) {
    if (i >= 0) {
      epilogue(run.place.image, channel, run.pixel + i, staged[run.lead + i]);
    }
  }
}

// Eight channels. `staged`: of the first.
template <typename Epilogue>
__device__ __forceinline__ void store_run(const ConvShape& shape, const RowFinish<Epilogue>& finish, const Run& run,
                                          int first_channel, const float* staged) {
  constexpr int kTogether = 4;
  const auto left = static_cast<int>(shape.out_channels) - first_channel;
  if constexpr (kTakesFour<Epilogue>) {
    if (finish.by_four) {
#pragma unroll 1
      for (int i = 0; i < kEight && i < left; i += kTogether) {
        store_by_four<kTogether>(finish.epilogue, run, first_channel + i, left - i, staged + i * kStagedPitch);
      }
      return;
    }
  }
#pragma unroll 2
  for (int i = 0; i < kEight && i < left; ++i) {
    store_lines(shape, finish.epilogue, run, first_channel + i, staged + i * kStagedPitch);
  }
}

// All of a warp's outputs by plain arithmetic: what two parts do not hold, or may not.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_again(const Source& source, const RowFinish<Epilogue>& finish, const Run& run,
                                             int first_channel) {
  const ConvShape& shape = source.shape;
  const auto width = static_cast<int>(shape.out_width);
#pragma unroll 1
  for (int channel = first_channel; channel < first_channel + 16 && channel < shape.out_channels; ++channel) {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) % 32; i < run.count; i += 32) {
      const int y = (run.output + i) / width;
      const Place place{run.place.image, run.place.z, run.place.y + y, run.output + i - y * width};
      finish.epilogue(
          place.image, channel, run.pixel + i,
          direct_mma_detail::sum_again<Window>(shape, source.planes, source.input, source.weight, place, channel));
    }
  }
}

// Whether all of a warp's sums are finite, which are divided by their scales. `unscale`: 1 / scale of a lane's two
// channels.
template <int kSums>
__device__ __forceinline__ bool unscale_sums(const float (&unscale)[2], float (&sums)[kSums]) {
  float probe[4] = {};  // each 0, or NaN; none waits for the others
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    sums[i] *= unscale[i % 4 / 2];
    probe[i % 4] = fmaf(sums[i], 0.0f, probe[i % 4]);
  }
  return __all_sync(kFullWarp, (probe[0] + probe[1]) + (probe[2] + probe[3]) == 0);
}

// Sixteen channels of a product. `first`: its first place.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void store_staged(const Source& source, const RowFinish<Epilogue>& finish,
                                             const Layout<Tile, Window>& layout, const Run& run, int first,
                                             int first_channel, const RowSums<Tile, Window>& sums, float* staged) {
  __syncwarp();  // all have read what is written over
  stage<false, Tile, Window>(layout, run, first, sums, staged);
  __syncwarp();
  store_run(source.shape, finish, run, first_channel, staged);
  __syncwarp();
  stage<true, Tile, Window>(layout, run, first, sums, staged);
  __syncwarp();
  store_run(source.shape, finish, run, first_channel + kEight, staged);
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_warp(const Source& source, const RowFinish<Epilogue>& finish,
                                            const Layout<Tile, Window>& layout, const Run& run, int first,
                                            int first_channel, const float (&unscale)[2], RowSums<Tile, Window>& sums,
                                            float* staged, NothingKept&) {
  if (unscale_sums(unscale, sums)) {
    store_staged<Tile, Window>(source, finish, layout, run, first, first_channel, sums, staged);
  } else {
    finish_again<Tile, Window>(source, finish, run, first_channel);
  }
}

}  // namespace direct_rows_detail

}  // namespace stitch
