// SPDX-License-Identifier: Apache-2.0
// A convolution over two or three axes, or its transpose, by cuDNN: nothing but the sums. Handle, descriptors and the
// algorithms that its heuristics advise are asked for at the first call with a shape and kept in the program's handle;
// memory is the caller's.
#pragma once

#include "stitch/step.h"

namespace stitch {

// Along z, y and x; a convolution over two axes has no z.
struct LibraryConvAxes {
  int64_t in[3];
  int64_t out[3];
  int kernel[3];
  int stride[3];
  int padding[3];
  int dilation[3];
};

struct LibraryConv {
  bool may_use_tf32;      // else fp32 multiplications only
  bool is_channels_last;  // of x, weight (out_channels, kernel, in_channels / groups) and y
  bool is_transposed;     // weight: (in_channels, out_channels / groups, kernel), or with channels last as above
  int rank;               // spatial axes
  int64_t advice;         // 1: the algorithm that its heuristics advise, 2: the next best ...
  int64_t batch;
  int64_t in_channels;
  int64_t out_channels;
  int64_t groups;
  LibraryConvAxes axes;
  const void* x;
  const void* weight;
  void* y;
  void* workspace;
  uint64_t workspace_bytes;  // algorithms that want more are passed over
};

// As cublaslt_gemm(): cudaErrorNotSupported when cuDNN is not installed or takes no such convolution.
cudaError_t cudnn_convolution(const LibraryConv& convolution, StepLibraries* libraries, cudaStream_t stream);
// The same answer before anything is enqueued: cudaSuccess when the convolution can be had.
cudaError_t cudnn_plan(const LibraryConv& convolution, StepLibraries* libraries);

}  // namespace stitch
