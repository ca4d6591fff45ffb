// SPDX-License-Identifier: Apache-2.0
// Convolution by wgmma (sm_90a), one TF32 product, of images as they lie: no launch packs or scales them. A block takes
// slices of 32 input channels of some rows into shared memory; a thread reads what the windows of its four neighbouring
// places have of a row, rounds it once, and hands it to the tensor cores in registers, tap after tap. Weights come a
// row of taps at a time, in the order in which the tensor cores read them; prepare() has arranged them.
//
// Where there are few tiles, as in deep layers of networks at small batches, the blocks of a cluster share the input
// channels (kernels/conv/pointwise_cluster.cuh).
#pragma once

#include "kernels/conv/input_map.cuh"
#include "kernels/conv/patch_finish.cuh"
#include "kernels/conv/pointwise_cluster.cuh"
#include "kernels/conv/window_tiles.cuh"

namespace stitch {

namespace window_detail {

using pointwise_detail::ClusterPart;
using pointwise_detail::TileSums;

// The operands of all taps of a row, each of two tiles of 64 places: of tile i the thread's places 2 i and 2 i + 1 are
// rows g and g + 8.
template <typename Window>
using WindowFragments = uint32_t[Window::kernel_x][2][4];

// A thread's four places.
struct QuadPlace {
  int64_t image;
  int y;
  int x;
  bool is_there;  // the first of them

  __device__ __forceinline__ QuadPlace(const ConvShape& shape, const WindowSteps& steps, const TilePlace& tile,
                                       int quad) {
    const int row = quad / steps.quads;
    image = tile.image + row / steps.rows;
    y = tile.y + row % steps.rows;
    x = tile.x + quad % steps.quads * kLanes;
    is_there = row < steps.images * steps.rows && image < shape.batch && y < shape.out_height && x < shape.out_width;
  }
};

// What a thread maps of its windows: every fourth channel of a slice from its first one on, and which elements lie
// within the image.
template <typename Window, typename InputMap>
struct MappedRows {
  const InputMap& map;
  int channel;  // the thread's first, of the slice
  int channels;
  int y;  // of the first row of windows
  int height;
  uint32_t columns = 0;  // a bit for each element of a row

  __device__ __forceinline__ MappedRows(const InputMap& map, const ConvShape& shape, const QuadPlace& quad, int channel)
      : map(map),
        channel(channel),
        channels(static_cast<int>(shape.in_channels)),
        y(quad.y * Window::stride_y - Window::padding_y),
        height(static_cast<int>(shape.height)) {
    const int first = quad.x * Window::stride_x - WindowRow<Window>::begin;
#pragma unroll
    for (int i = 0; i < WindowRow<Window>::pieces * kLanes; ++i) {
      columns |= first + i >= 0 && first + i < shape.width ? 1U << i : 0U;
    }
  }

  // `piece`: of the row, four elements.
  __device__ __forceinline__ float4 operator()(int tap_row, int behind_first, int piece, const float4& values) const {
    const int row = y + tap_row * Window::dilation_y;
    const uint32_t there = row >= 0 && row < height ? columns >> piece * kLanes : 0;
    return input_map_detail::map_four(map, channel + behind_first, channels, values,
                                      [&](int lane) { return (there >> lane & 1) != 0; });
  }
};

// `first`: this thread's window of the row in the first of its channels. Its second channel is four further.
template <typename Window, typename InputMap>
__device__ __forceinline__ void read_windows(const float* first, int channel_floats,
                                             const MappedRows<Window, InputMap>& mapped, int tap_row, int step,
                                             WindowFragments<Window>& fragments) {
  using Row = WindowRow<Window>;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int behind_first = step * pointwise_detail::kStep + half * 4;
    const auto* from = reinterpret_cast<const float4*>(first + behind_first * channel_floats);
    uint32_t row[Row::pieces * kLanes];
#pragma unroll
    for (int piece = 0; piece < Row::pieces; ++piece) {
      const float4 values = mapped(tap_row, behind_first, piece, from[piece]);
      row[piece * kLanes] = mma_detail::rounded_tf32(values.x);
      row[piece * kLanes + 1] = mma_detail::rounded_tf32(values.y);
      row[piece * kLanes + 2] = mma_detail::rounded_tf32(values.z);
      row[piece * kLanes + 3] = mma_detail::rounded_tf32(values.w);
    }
#pragma unroll
    for (int tap = 0; tap < Window::kernel_x; ++tap) {
#pragma unroll
      for (int place = 0; place < kLanes; ++place) {
        fragments[tap][place / 2][half * 2 + place % 2] =
            row[Row::lead + place * Window::stride_x + tap * Window::dilation_x];
      }
    }
  }
}

// `weights` names those of the row's first tap, of the step's channels.
template <typename Tile, typename Window>
__device__ __forceinline__ void issue_taps(TileSums<Tile>& sums, const WindowFragments<Window>& fragments,
                                           uint64_t weights) {
  constexpr uint64_t kTapUnits = Tile::channels * kRowBytes / 16;  // of addresses in descriptors
  ptx::wgmma_fence();
#pragma unroll
  for (int tap = 0; tap < Window::kernel_x; ++tap) {
    pointwise_detail::multiply_step<Tile>(sums[0], fragments[tap][0], weights + tap * kTapUnits);
    pointwise_detail::multiply_step<Tile>(sums[1], fragments[tap][1], weights + tap * kTapUnits);
  }
  ptx::wgmma_commit();
}

// Sums up a block's slices. While the tensor cores multiply a step's taps, the next step's windows are read. `own`: of
// this thread's first window, in a slice. `mapped` begins with the block's first slice.
template <typename Tile, typename Window, typename InputMap>
__device__ __forceinline__ void multiply_windows(const WindowRing<Tile, Window>& ring, const WindowSteps& steps,
                                                 int slices, int own, MappedRows<Window, InputMap> mapped,
                                                 TileSums<Tile>& sums) {
  constexpr int kSteps = kSlice / pointwise_detail::kStep;
  static_assert(kSteps % 2 == 0, "which registers a step takes is known");
  constexpr uint64_t kStepUnits = pointwise_detail::kStep * sizeof(float) / 16;
  WindowFragments<Window> fragments[2];
  StageAt input, weights;
  ptx::mbarrier_wait(ring.full_input(0), 0);
  read_windows<Window>(ring.input_of(0) + own, steps.channel_floats, mapped, 0, 0, fragments[0]);
  int before = -1;  // the stage of the weights that were multiplied last
#pragma unroll 1
  for (int row = 0; row < slices * Window::kernel_y; ++row) {
    const int tap_row = row % Window::kernel_y;
    const float* const places = ring.input_of(input.stage) + own + tap_row * Window::dilation_y * steps.row_floats;
    ptx::mbarrier_wait(ring.full_weights(weights.stage), weights.parity);
    const uint64_t operand = ptx::wgmma_operand(ring.weights_of(weights.stage));
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      issue_taps<Tile, Window>(sums, fragments[step % 2], operand + step * kStepUnits);
      ptx::wgmma_wait<1>();
      if (step == 0 && before >= 0) {
        release(ring.empty_weights(before));
      }
      if (step + 1 < kSteps) {
        read_windows<Window>(places, steps.channel_floats, mapped, tap_row, step + 1, fragments[(step + 1) % 2]);
      }
    }
    before = weights.stage;
    weights.next(ring.memory.weight_stages);
    if (tap_row + 1 < Window::kernel_y) {
      read_windows<Window>(places + Window::dilation_y * steps.row_floats, steps.channel_floats, mapped, tap_row + 1, 0,
                           fragments[0]);
    } else {
      release(ring.empty_input(input.stage));
      input.next(kInputStages);
      mapped.channel += kSlice;
      if (row + 1 < slices * Window::kernel_y) {
        ptx::mbarrier_wait(ring.full_input(input.stage), input.parity);
        read_windows<Window>(ring.input_of(input.stage) + own, steps.channel_floats, mapped, 0, 0, fragments[0]);
      }
    }
  }
  ptx::wgmma_wait<0>();
  ptx::wgmma_pin(sums[0]);
  ptx::wgmma_pin(sums[1]);
}

// Where the quad's first window lies in a slice; those that are no places read what others do.
template <typename Window>
__device__ __forceinline__ int window_in_slice(const WindowSteps& steps, int quad) {
  const int row = quad / steps.quads;
  if (row >= steps.images * steps.rows) {
    return 0;
  }
  const int in_row = row / steps.rows * steps.in_rows + row % steps.rows * Window::stride_y;
  return in_row * steps.row_floats + quad % steps.quads * kLanes * Window::stride_x;
}

// What the epilogue takes, and what computes an output again.
template <typename Epilogue, typename InputMap>
struct WindowFinish : patch_detail::PatchFinish<Epilogue> {
  InputMap map;
};

// All outputs of a warp by plain arithmetic: rounding an infinity made NaN, or may have.
template <typename Tile, typename Window, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_again(const WindowFinish<Epilogue, InputMap>& finish, const QuadPlace& quad,
                                             int first_channel) {
#pragma unroll 1
  for (int i = 0; i < Tile::channels * kLanes; ++i) {
    const int channel = first_channel + i / kLanes;
    const int x = quad.x + i % kLanes;
    const bool is_own = i / kLanes % 4 == static_cast<int>(threadIdx.x) % 4;  // four threads have the same places
    if (is_own && quad.is_there && x < finish.shape.out_width && channel < finish.out_channels) {
      finish.epilogue(
          quad.image, channel, static_cast<int64_t>(quad.y) * finish.shape.out_width + x,
          patch_detail::sum_patch_again<Window, Epilogue>(finish, {quad.image, 0, quad.y, x}, 0, channel, finish.map));
    }
  }
}

template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_by_four(const WindowFinish<Epilogue, InputMap>& finish, const QuadPlace& quad,
                                               int own_channel, const TileSums<Tile>& sums) {
  if constexpr (requires { finish.epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); }) {
    const int64_t pixel = static_cast<int64_t>(quad.y) * finish.shape.out_width + quad.x;
#pragma unroll
    for (int i = 0; i < Tile::channels / 4; ++i) {
      const int channel = own_channel + i / 2 * 8 + i % 2;
      if (channel < finish.out_channels) {
        finish.epilogue.template lanes<kLanes>(quad.image, channel, pixel,
                                               pointwise_detail::places_of<Tile>(sums, i / 2, i % 2));
      }
    }
  }
}

// Place by place, eight channels a turn, whose sums the next ones' take the place of: less code than all of them.
template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_one_by_one(const WindowFinish<Epilogue, InputMap>& finish, const QuadPlace& quad,
                                                  int own_channel, TileSums<Tile>& sums) {
  const int64_t pixel = static_cast<int64_t>(quad.y) * finish.shape.out_width + quad.x;
#pragma unroll 1
  for (int j = 0; j < Tile::channels / 8; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const Lanes<float, kLanes> places = pointwise_detail::places_of<Tile>(sums, 0, e);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        if (quad.x + lane < finish.shape.out_width && own_channel + j * 8 + e < finish.out_channels) {
          finish.epilogue(quad.image, own_channel + j * 8 + e, pixel + lane, places[lane]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i + 4 < Tile::sums; ++i) {
      sums[0][i] = sums[0][i + 4];
      sums[1][i] = sums[1][i + 4];
    }
  }
}

template <typename Tile, typename Window, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_windows(const WindowFinish<Epilogue, InputMap>& finish, const QuadPlace& quad,
                                               int first_channel, TileSums<Tile>& sums) {
  const int own_channel = first_channel + static_cast<int>(threadIdx.x) % 4 * 2;
  const bool is_finite = !quad.is_there || pointwise_detail::are_all_finite<Tile>(sums);
  if (!__all_sync(kFullWarp, is_finite)) {
    finish_again<Tile, Window>(finish, quad, first_channel);
  } else if (!quad.is_there) {
    return;
  } else if (finish.by_four) {
    finish_by_four<Tile>(finish, quad, own_channel, sums);
  } else {
    finish_one_by_one<Tile>(finish, quad, own_channel, sums);
  }
}

// By all threads that multiply, with the others at the same cluster barriers.
template <typename Tile, typename Window, int kCluster, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_block(const WindowFinish<Epilogue, InputMap>& finish, const QuadPlace& quad,
                                             int first_channel, TileSums<Tile>& sums, float* staged) {
  if constexpr (kCluster == 1) {
    finish_windows<Tile, Window>(finish, quad, first_channel, sums);
  } else {
    using Sums = typename ClusterPart<Tile, kCluster>::Sums;
    TileSums<Sums> joined;
    pointwise_detail::join_cluster<Tile, kCluster>(sums, staged, joined);
    finish_windows<Sums, Window>(finish, quad, first_channel + static_cast<int>(ptx::cluster_rank()) * Sums::channels,
                                 joined);
    __syncwarp();         // lanes have stored what is theirs
    ptx::cluster_wait();  // partners may still read
  }
}

template <typename Tile, typename Window, int kCluster, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    window_wgmma_kernel(WindowFinish<Epilogue, InputMap> finish, const unsigned char* arranged,
                        WindowMemory<Tile, Window> memory, WindowSteps steps) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char window_shared[];
  constexpr int kBringRegisters = 40, kMultiplyRegisters = Tile::groups == 1 ? 216 : 232;
  const WindowRing<Tile, Window> ring(window_shared, memory);
  ring.init();
  const TilePlace tile(steps, static_cast<int>(blockIdx.x) / kCluster);
  const SliceRange range = ClusterPart<Tile, kCluster>::slices(steps.slices, kCluster > 1 ? ptx::cluster_rank() : 0);
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    if (threadIdx.x < Tile::multipliers + input_bringers<Tile>) {
      bring_input<Tile, Window>(ring, finish.shape, steps, tile, range, finish.input);
    } else if (threadIdx.x == Tile::multipliers + input_bringers<Tile>) {
      bring_weights<Tile, Window>(ring, steps, tile, range, arranged);
    }
    pointwise_detail::pass_cluster_barriers<kCluster>();
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int quad = warp * 8 + lane / 4;
    TileSums<Tile> sums = {};
    if (range.count > 0) {
      const MappedRows<Window, InputMap> mapped(finish.map, finish.shape, QuadPlace(finish.shape, steps, tile, quad),
                                                range.first * kSlice + lane % 4);
      multiply_windows<Tile, Window>(ring, steps, range.count,
                                     lane % 4 * steps.channel_floats + window_in_slice<Window>(steps, quad), mapped,
                                     sums);
    }
    finish_block<Tile, Window, kCluster>(finish, QuadPlace(finish.shape, steps, tile, quad),
                                         tile.block_of_channels * Tile::channels, sums,
                                         reinterpret_cast<float*>(ring.weights));
  }
#endif
}

}  // namespace window_detail

// Weights in the order in which the tensor cores read them: window_weight_bytes() at `arranged`.
template <typename Tile, typename Window>
cudaError_t launch_arrange_windows(const ConvShape& shape, const float* weight, void* arranged, cudaStream_t stream) {
  using namespace window_detail;
  constexpr int kThreads = 128;
  const int64_t count = window_weight_bytes<Tile, Window>(shape) / int64_t{sizeof(uint4)};
  if (count == 0) {
    return cudaSuccess;
  }
  arrange_window_weights_kernel<Tile::channels, Window::taps>
      <<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
          weight, shape.in_channels, shape.out_channels, ceil_divide(shape.in_channels, kSlice),
          static_cast<uint4*>(arranged), count);
  return cudaGetLastError();
}

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<4>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. Needs a window of two axes, not transposed, and shape.groups == 1; sm_90a. The
// blocks of a cluster, 1, 2, 4 or 8, share the input channels. `arranged`: the weights, by launch_arrange_windows().
// `map`: of kernels/conv/input_map.cuh.
template <typename Tile, typename Window, int kCluster, typename Epilogue, typename InputMap = AsStored>
cudaError_t launch_conv_kept_window_wgmma(const ConvShape& shape, const float* input, const float* weight,
                                          const Epilogue& epilogue, bool vectorised, const void* arranged,
                                          cudaStream_t stream, const InputMap& map = {}) {
  using namespace window_detail;
  static_assert(Window::rank == 2 && !Window::transposed);
  if (shape.groups != 1 || shape.in_channels == 0) {
    return cudaErrorInvalidValue;
  }
  if (shape.batch * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const WindowSteps steps = window_steps<Tile, Window>(shape, input);
  const WindowMemory<Tile, Window> memory(steps);
  if (!memory.fits()) {
    return cudaErrorInvalidValue;
  }
  const auto kernel = window_wgmma_kernel<Tile, Window, kCluster, Epilogue, InputMap>;
  const cudaError_t error = allow_shared_memory(kernel, memory.bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const WindowFinish<Epilogue, InputMap> finish{
      {shape, input, weight, epilogue, static_cast<int>(shape.in_channels), static_cast<int>(shape.out_channels),
       vectorised && shape.out_width % kLanes == 0},
      map};
  return pointwise_detail::launch_in_clusters<kCluster>(kernel, int64_t{steps.tiles} * steps.blocks_of_channels,
                                                        Tile::threads, memory.bytes, stream, finish,
                                                        static_cast<const unsigned char*>(arranged), memory, steps);
}

}  // namespace stitch
