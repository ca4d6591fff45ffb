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

constexpr int kBackwardDataByAtomics = 0;  // CUDNN_CONVOLUTION_BWD_DATA_ALGO_0

// Of a forward convolution and of one back to the data alike.
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
  int (*tensor_set)(cudnn::TensorDescriptor, int format, int type, int dimensions, const int* extents);
  int (*filter_create)(cudnn::FilterDescriptor*);
  int (*filter_destroy)(cudnn::FilterDescriptor);
  int (*filter_set)(cudnn::FilterDescriptor, int type, int format, int dimensions, const int* extents);
  int (*convolution_create)(cudnn::ConvolutionDescriptor*);
  int (*convolution_destroy)(cudnn::ConvolutionDescriptor);
  int (*convolution_set)(cudnn::ConvolutionDescriptor, int axes, const int* padding, const int* stride,
                         const int* dilation, int mode, int type);
  int (*convolution_set_groups)(cudnn::ConvolutionDescriptor, int groups);
  int (*convolution_set_math)(cudnn::ConvolutionDescriptor, int math_type);
  int (*advise_forward)(cudnn::Handle, cudnn::TensorDescriptor x, cudnn::FilterDescriptor, cudnn::ConvolutionDescriptor,
                        cudnn::TensorDescriptor y, int wanted, int* found, cudnn::AlgorithmPerformance*);
  int (*forward)(cudnn::Handle, const void* alpha, cudnn::TensorDescriptor, const void* x, cudnn::FilterDescriptor,
                 const void* w, cudnn::ConvolutionDescriptor, int algorithm, void* workspace, size_t workspace_bytes,
                 const void* beta, cudnn::TensorDescriptor, void* y);
  int (*advise_backward_data)(cudnn::Handle, cudnn::FilterDescriptor, cudnn::TensorDescriptor dy,
                              cudnn::ConvolutionDescriptor, cudnn::TensorDescriptor dx, int wanted, int* found,
                              cudnn::AlgorithmPerformance*);
  int (*backward_data)(cudnn::Handle, const void* alpha, cudnn::FilterDescriptor, const void* w,
                       cudnn::TensorDescriptor, const void* dy, cudnn::ConvolutionDescriptor, int algorithm,
                       void* workspace, size_t workspace_bytes, const void* beta, cudnn::TensorDescriptor, void* dx);
};

// Null when cuDNN is not installed here. Looked for once a process.
const CudnnApi* cudnn_api();

}  // namespace stitch
