// SPDX-License-Identifier: Apache-2.0
// Convolution by cuDNN in the terms of the skeletons here: cuDNN leaves the sums in memory, and a second kernel takes
// them through the epilogue. With channels first it reads the operands as they lie, and the sums may lie in the step's
// own result. With channels last the operands are turned first and the epilogue turns the sums back, but for what the
// steps around it keep so: its TF32 kernels for two axes are about twice as fast so.
//
// Answers cudaErrorNotSupported where cuDNN is not installed or takes no such convolution: whatever was enqueued by
// then, the step's own kernel overwrites.
#pragma once

#include "kernels/conv/turned.cuh"
#include "libraries/cudnn.h"

namespace stitch {

// With channels first: the operands as they lie.
struct ChannelsFirst {};
// What lies with channels last already, or is to lie so.
struct Kept {};
// With channels last: how input, weight and sums are turned, or Kept.
template <typename InputTile, typename WeightTile, typename SumsTile>
struct ChannelsLast {
  using Input = InputTile;
  using Weight = WeightTile;
  using Sums = SumsTile;
};

// Whether the sums are the step's result already, or go through its epilogue.
enum class LibraryEnd { kSums, kEpilogue };

struct ConvLibraryCall {
  const StepArgs* args;
  bool may_use_tf32;        // else fp32 multiplications only
  int64_t advice;           // 1: the algorithm that cuDNN's heuristics advise, 2: the next best ...
  float* sums = nullptr;    // the step's result, where it may hold the sums before the epilogue; null: scratch does
  bool vectorised = false;  // the epilogue's lanes may be called, at every fourth pixel
};

namespace conv_library_detail {

constexpr int kThreads = 256;
constexpr int kFinishLanes = 4;

// Groups of neighbouring elements that a thread takes, kThreads groups apart.
template <int kLanes>
inline constexpr int kGroupsOfThread = kLanes > 1 ? 2 : 4;
template <int kLanes>
inline constexpr int64_t kElementsOfBlock = int64_t{kThreads} * kGroupsOfThread<kLanes> * kLanes;

template <int kLanes, typename Finish>
__device__ __forceinline__ void finish_group(const Finish& finish, int64_t image, int64_t channel, int64_t pixel,
                                             const Lanes<float, kLanes>& values) {
  if constexpr (kLanes == 1) {
    finish(image, channel, pixel, values[0]);
  } else {
    finish.template lanes<kLanes>(image, channel, pixel, values);
  }
}

// What one thread takes of `count` sums, from `first` on. The sums may lie where `finish` stores: each thread reads its
// own before it stores anything.
template <int kLanes>
struct HeldSums {
  Lanes<float, kLanes> groups[kGroupsOfThread<kLanes>];

  __device__ __forceinline__ HeldSums(const float* sums, int64_t first, int64_t count) {
#pragma unroll
    for (int i = 0; i < kGroupsOfThread<kLanes>; ++i) {
      const int64_t at = first + i * (kThreads * kLanes);
      groups[i] = at < count ? load_lanes<kLanes>(sums + at) : Lanes<float, kLanes>{};
    }
  }
};

// Where pixels come in groups, those of a group are of one channel.
template <int kLanes, typename Finish>
__global__ void __launch_bounds__(kThreads)
    finish_kernel(const float* sums, Finish finish, Divider channels, Divider out_pixels, int64_t outputs) {
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kElementsOfBlock<kLanes> + threadIdx.x * kLanes;
  const HeldSums<kLanes> held(sums, first, outputs);
#pragma unroll
  for (int i = 0; i < kGroupsOfThread<kLanes>; ++i) {
    const int64_t at = first + i * (kThreads * kLanes);
    if (at < outputs) {
      const QuotientRemainder plane = out_pixels.divide(at);
      const QuotientRemainder image = channels.divide(plane.quotient);
      finish_group<kLanes>(finish, image.quotient, image.remainder, plane.remainder, held.groups[i]);
    }
  }
}

// The same for images of many pixels, a block for a part of one channel: what is found out once a block is all that the
// kernel above finds out for each group.
template <int kLanes, typename Finish>
__global__ void __launch_bounds__(kThreads)
    finish_planes_kernel(const float* sums, Finish finish, Divider channels, Divider parts, int64_t out_pixels) {
  const QuotientRemainder plane = parts.divide(blockIdx.x);
  const QuotientRemainder image = channels.divide(plane.quotient);
  const int64_t first = plane.remainder * kElementsOfBlock<kLanes> + threadIdx.x * kLanes;
  const HeldSums<kLanes> held(sums + plane.quotient * out_pixels, first, out_pixels);
#pragma unroll
  for (int i = 0; i < kGroupsOfThread<kLanes>; ++i) {
    const int64_t pixel = first + i * (kThreads * kLanes);
    if (pixel < out_pixels) {
      finish_group<kLanes>(finish, image.quotient, image.remainder, pixel, held.groups[i]);
    }
  }
}

template <int kLanes, typename Finish>
cudaError_t launch_finish_of(const float* sums, const Finish& finish, int64_t images, int64_t channels,
                             int64_t out_pixels, cudaStream_t stream) {
  constexpr int64_t kOfBlock = kElementsOfBlock<kLanes>;
  const int64_t planes = images * channels;
  if (out_pixels >= kOfBlock / 2) {
    const int64_t parts = ceil_divide(out_pixels, kOfBlock);
    finish_planes_kernel<kLanes, Finish><<<static_cast<unsigned>(planes * parts), kThreads, 0, stream>>>(
        sums, finish, Divider(channels), Divider(parts), out_pixels);
  } else {
    const auto blocks = static_cast<unsigned>(ceil_divide(planes * out_pixels, kOfBlock));
    finish_kernel<kLanes, Finish>
        <<<blocks, kThreads, 0, stream>>>(sums, finish, Divider(channels), Divider(out_pixels), planes * out_pixels);
  }
  return cudaGetLastError();
}

// Images of channels x pixels, contiguous, through `finish`, whose lanes are called where `vectorised` says that they
// may be at every fourth pixel.
template <typename Finish>
cudaError_t launch_finish(const float* sums, const Finish& finish, bool vectorised, int64_t images, int64_t channels,
                          int64_t out_pixels, cudaStream_t stream) {
  if constexpr (requires(Lanes<float, kFinishLanes> values) { finish.template lanes<kFinishLanes>(0, 0, 0, values); }) {
    if (vectorised && lanes_aligned(sums, out_pixels)) {
      return launch_finish_of<kFinishLanes>(sums, finish, images, channels, out_pixels, stream);
    }
  }
  return launch_finish_of<1>(sums, finish, images, channels, out_pixels, stream);
}

struct Counts {
  int64_t in_pixels;
  int64_t out_pixels;
  int64_t inputs;
  int64_t outputs;
  int64_t weight_rows;      // out_channels, of a transposed convolution in_channels
  int64_t weight_channels;  // of the other side, of one group

  Counts(const ConvShape& shape, bool is_transposed)
      : in_pixels(shape.depth * shape.height * shape.width),
        out_pixels(shape.out_depth * shape.out_height * shape.out_width),
        inputs(shape.batch * shape.in_channels * in_pixels),
        outputs(shape.batch * shape.out_channels * out_pixels),
        weight_rows(is_transposed ? shape.in_channels : shape.out_channels),
        weight_channels((is_transposed ? shape.out_channels : shape.in_channels) / shape.groups) {}
};

template <typename Window>
LibraryConvAxes axes_of(const ConvShape& shape) {
  return {{shape.depth, shape.height, shape.width},
          {shape.out_depth, shape.out_height, shape.out_width},
          {Window::kernel_z, Window::kernel_y, Window::kernel_x},
          {Window::stride_z, Window::stride_y, Window::stride_x},
          {Window::padding_z, Window::padding_y, Window::padding_x},
          {Window::dilation_z, Window::dilation_y, Window::dilation_x}};
}

// The sums by cuDNN. `turn`, which makes its operands, is enqueued once it is known that cuDNN can.
template <typename Turn>
cudaError_t enqueue_sums(const LibraryConv& wanted, StepLibraries* libraries, const Turn& turn, cudaStream_t stream) {
  cudaError_t error = cudnn_plan(wanted, libraries);
  if (error == cudaSuccess) {
    error = turn();
  }
  return error == cudaSuccess ? cudnn_convolution(wanted, libraries, stream) : error;
}

}  // namespace conv_library_detail

// How the operands lie for cuDNN, and the way from the step's own.
template <typename Layout>
struct LibraryOperands {
  static constexpr bool is_last = !std::is_same_v<Layout, ChannelsFirst>;
  const float* input;
  const float* weight;

  LibraryOperands(const float* own_input, const float* own_weight, const conv_library_detail::Counts&, int64_t,
                  ScratchPieces&)
      : input(own_input), weight(own_weight) {}
  cudaError_t turn(const ConvShape&, const conv_library_detail::Counts&, int64_t, cudaStream_t) const {
    return cudaSuccess;
  }
};

template <typename InputTile, typename WeightTile, typename SumsTile>
struct LibraryOperands<ChannelsLast<InputTile, WeightTile, SumsTile>> {
  static constexpr bool is_last = true;
  static constexpr bool keeps_input = std::is_same_v<InputTile, Kept>;
  static constexpr bool keeps_weight = std::is_same_v<WeightTile, Kept>;
  const float* own_input;
  const float* own_weight;
  float* turned_input = nullptr;
  float* turned_weight = nullptr;
  const float* input;
  const float* weight;

  LibraryOperands(const float* from_input, const float* from_weight, const conv_library_detail::Counts& counts,
                  int64_t taps, ScratchPieces& pieces)
      : own_input(from_input), own_weight(from_weight) {
    if constexpr (!keeps_input) {
      turned_input = pieces.take(counts.inputs);
    }
    if constexpr (!keeps_weight) {
      turned_weight = pieces.take(counts.weight_rows * counts.weight_channels * taps);
    }
    input = keeps_input ? own_input : turned_input;
    weight = keeps_weight ? own_weight : turned_weight;
  }

  cudaError_t turn(const ConvShape& shape, const conv_library_detail::Counts& counts, int64_t taps,
                   cudaStream_t stream) const {
    const TurnedOperand of_input{own_input, turned_input, shape.batch, shape.in_channels, counts.in_pixels};
    const TurnedOperand of_weight{own_weight, turned_weight, counts.weight_rows, counts.weight_channels, taps};
    if constexpr (keeps_input && keeps_weight) {
      return cudaSuccess;
    } else if constexpr (keeps_input) {
      return launch_to_channels_last<WeightTile>(of_weight, stream);
    } else if constexpr (keeps_weight) {
      return launch_to_channels_last<InputTile>(of_input, stream);
    } else {
      return launch_to_channels_last<InputTile, WeightTile>(of_input, of_weight, stream);
    }
  }
};

// Scratch: as many floats as the outputs have where `call` names no place for the sums, with channels last also as many
// as those of input and weight have that are turned, each aligned to 256 bytes; cuDNN's workspace is what remains. The
// epilogue is the Finish of kernels/conv/turned.cuh.
template <typename Layout, LibraryEnd kEnd, typename Window, typename Epilogue>
cudaError_t launch_conv_library(const ConvLibraryCall& call, const ConvShape& shape, const float* input,
                                const float* weight, const Epilogue& epilogue, cudaStream_t stream) {
  using namespace conv_library_detail;
  constexpr bool kIsLast = LibraryOperands<Layout>::is_last;
  const Counts counts(shape, Window::transposed);
  ScratchPieces pieces(call.args);
  float* sums = call.sums == nullptr ? pieces.take(counts.outputs) : call.sums;
  const LibraryOperands<Layout> operands(input, weight, counts, Window::taps, pieces);
  const LibraryConv wanted{call.may_use_tf32,
                           kIsLast,
                           Window::transposed,
                           Window::rank,
                           call.advice,
                           shape.batch,
                           shape.in_channels,
                           shape.out_channels,
                           shape.groups,
                           axes_of<Window>(shape),
                           operands.input,
                           operands.weight,
                           sums,
                           pieces.rest(),
                           pieces.rest_bytes()};
  const auto turn = [&] { return operands.turn(shape, counts, Window::taps, stream); };
  const cudaError_t error = enqueue_sums(wanted, call.args->libraries, turn, stream);
  if (error != cudaSuccess) {
    return error;
  }
  if constexpr (kEnd == LibraryEnd::kSums) {
    return cudaSuccess;
  } else if constexpr (kIsLast) {
    return launch_from_channels_last<typename Layout::Sums>(sums, epilogue, call.vectorised, shape.batch,
                                                            shape.out_channels, counts.out_pixels, stream);
  } else {
    return launch_finish(sums, epilogue, call.vectorised, shape.batch, shape.out_channels, counts.out_pixels, stream);
  }
}

}  // namespace stitch
