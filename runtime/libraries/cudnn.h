// SPDX-License-Identifier: Apache-2.0
// A convolution over two axes by cuDNN: nothing but the sums. Handle, descriptors and the algorithm that its heuristics
// advise are made at the first call with a shape and kept in the program's handle; memory is the caller's.
#pragma once

#include "stitch/step.h"

namespace stitch {

constexpr uint64_t kCudnnWorkspaceBytes = uint64_t{64} << 20;  // algorithms that want more are passed over

struct LibraryConv {
  bool may_use_tf32;      // else fp32 multiplications only
  bool is_channels_last;  // of x, weight (out_channels, kernel, in_channels / groups) and y
  int64_t batch;
  int64_t in_channels;
  int64_t height;
  int64_t width;
  int64_t out_channels;
  int64_t out_height;
  int64_t out_width;
  int64_t groups;
  int kernel[2];  // along y and x, like the rest
  int stride[2];
  int padding[2];
  int dilation[2];
  const void* x;
  const void* weight;
  void* y;
  void* workspace;  // kCudnnWorkspaceBytes
};

// As cublaslt_gemm(): cudaErrorNotSupported when cuDNN is not installed or takes no such convolution.
cudaError_t cudnn_convolution(const LibraryConv& convolution, StepLibraries* libraries, cudaStream_t stream);
// The same answer before anything is enqueued: cudaSuccess when the convolution can be had.
cudaError_t cudnn_plan(const LibraryConv& convolution, StepLibraries* libraries);

}  // namespace stitch
