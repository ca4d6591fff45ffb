// SPDX-License-Identifier: Apache-2.0
// The part of cuDNN's interface that programs use, declared here so that they compile where its header is not
// installed. Names and values are those of cuDNN 8 and 9.
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

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

// Of recurrent layers.
enum RnnCell { kRnnRelu = 0, kRnnTanh = 1, kLstm = 2, kGru = 3 };
enum RnnBias { kNoBias = 0, kTwoBiases = 2 };
constexpr int kStandardRnn = 0;        // of cudnnRNNAlgo_t
constexpr int kPersistentRnn = 1;      // CUDNN_RNN_ALGO_PERSIST_STATIC
constexpr int kUnidirectional = 0;     // of cudnnDirectionMode_t
constexpr int kLinearInput = 0;        // of cudnnRNNInputMode_t
constexpr unsigned kPaddedInputs = 1;  // CUDNN_RNN_PADDED_IO_ENABLED
constexpr int kTimeFirst = 0;          // CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED
constexpr int kInference = 0;          // of cudnnForwardMode_t

using Handle = void*;
using DropoutDescriptor = void*;
using RnnDescriptor = void*;
using RnnDataDescriptor = void*;
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

struct CudnnRnnApi {
  int (*create)(cudnn::Handle*);
  int (*destroy)(cudnn::Handle);
  int (*set_stream)(cudnn::Handle, cudaStream_t);
  int (*tensor_create)(cudnn::TensorDescriptor*);
  int (*tensor_destroy)(cudnn::TensorDescriptor);
  int (*tensor_set)(cudnn::TensorDescriptor, int type, int dimensions, const int* extents, const int* strides);
  int (*tensor_get)(cudnn::TensorDescriptor, int most, int* type, int* dimensions, int* extents, int* strides);
  int (*dropout_create)(cudnn::DropoutDescriptor*);
  int (*dropout_destroy)(cudnn::DropoutDescriptor);
  int (*dropout_set)(cudnn::DropoutDescriptor, cudnn::Handle, float probability, void* states, size_t bytes,
                     unsigned long long seed);
  int (*rnn_create)(cudnn::RnnDescriptor*);
  int (*rnn_destroy)(cudnn::RnnDescriptor);
  int (*rnn_set)(cudnn::RnnDescriptor, int algorithm, int cell, int bias, int direction, int input, int type,
                 int computed_in, int math_type, int32_t features, int32_t units, int32_t projected, int32_t layers,
                 cudnn::DropoutDescriptor, uint32_t flags);
  int (*data_create)(cudnn::RnnDataDescriptor*);
  int (*data_destroy)(cudnn::RnnDataDescriptor);
  int (*data_set)(cudnn::RnnDataDescriptor, int type, int layout, int steps, int batch, int vector, const int* lengths,
                  void* padding);
  int (*weight_bytes)(cudnn::Handle, cudnn::RnnDescriptor, size_t*);
  int (*weight_place)(cudnn::Handle, cudnn::RnnDescriptor, int32_t layer, size_t bytes, const void* weights,
                      int32_t product, cudnn::TensorDescriptor, void** matrix, cudnn::TensorDescriptor, void** bias);
  int (*work_bytes)(cudnn::Handle, cudnn::RnnDescriptor, int mode, cudnn::RnnDataDescriptor, size_t* workspace,
                    size_t* reserved);
  int (*forward)(cudnn::Handle, cudnn::RnnDescriptor, int mode, const int32_t* lengths, cudnn::RnnDataDescriptor,
                 const void* x, cudnn::RnnDataDescriptor, void* y, cudnn::TensorDescriptor hidden, const void* hx,
                 void* hy, cudnn::TensorDescriptor cell, const void* cx, void* cy, size_t weight_bytes,
                 const void* weights, size_t work_bytes, void* workspace, size_t reserved_bytes, void* reserved);
};

// Null when cuDNN is not installed here. Looked for once a process.
const CudnnApi* cudnn_api();
// The same of recurrent layers, as cuDNN 8.1 and later have them.
const CudnnRnnApi* cudnn_rnn_api();

}  // namespace stitch
