// SPDX-License-Identifier: Apache-2.0
// The part of cuDNN's interface that programs use, declared here so that they compile where its header is not
// installed. Names and values are those of cuDNN 8 and 9.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>

namespace stitch {

namespace cudnn {

constexpr int kSuccess = 0;    // of cudnnStatus_t
constexpr int kDataFloat = 0;  // of cudnnDataType_t
constexpr int kCrossCorrelation = 1;

enum Format { kNchw = 0, kNhwc = 1 };
enum MathType { kDefaultMath = 0, kTensorOpMath = 1, kTensorOpMathAllowConversion = 2, kFmaMath = 3 };

struct AlgorithmPerformance {
  int algorithm;
  int status;
  float time_ms;
  size_t workspace_bytes;
  int determinism;
  int math_type;
  int reserved[3];
};

using Handle = void*;
using TensorDescriptor = void*;
using FilterDescriptor = void*;
using ConvolutionDescriptor = void*;

}  // namespace cudnn

struct CudnnApi {
  int (*create)(cudnn::Handle*);
  int (*destroy)(cudnn::Handle);
  int (*set_stream)(cudnn::Handle, cudaStream_t);
  int (*tensor_create)(cudnn::TensorDescriptor*);
  int (*tensor_destroy)(cudnn::TensorDescriptor);
  int (*tensor_set)(cudnn::TensorDescriptor, int format, int type, int n, int c, int h, int w);
  int (*filter_create)(cudnn::FilterDescriptor*);
  int (*filter_destroy)(cudnn::FilterDescriptor);
  int (*filter_set)(cudnn::FilterDescriptor, int type, int format, int k, int c, int h, int w);
  int (*convolution_create)(cudnn::ConvolutionDescriptor*);
  int (*convolution_destroy)(cudnn::ConvolutionDescriptor);
  int (*convolution_set)(cudnn::ConvolutionDescriptor, int pad_y, int pad_x, int stride_y, int stride_x, int dilation_y,
                         int dilation_x, int mode, int type);
  int (*convolution_set_groups)(cudnn::ConvolutionDescriptor, int groups);
  int (*convolution_set_math)(cudnn::ConvolutionDescriptor, int math_type);
  int (*heuristic)(cudnn::Handle, cudnn::TensorDescriptor x, cudnn::FilterDescriptor, cudnn::ConvolutionDescriptor,
                   cudnn::TensorDescriptor y, int wanted, int* found, cudnn::AlgorithmPerformance*);
  int (*forward)(cudnn::Handle, const void* alpha, cudnn::TensorDescriptor, const void* x, cudnn::FilterDescriptor,
                 const void* w, cudnn::ConvolutionDescriptor, int algorithm, void* workspace, size_t workspace_bytes,
                 const void* beta, cudnn::TensorDescriptor, void* y);
};

// Null when cuDNN is not installed here. Looked for once a process.
const CudnnApi* cudnn_api();

}  // namespace stitch
