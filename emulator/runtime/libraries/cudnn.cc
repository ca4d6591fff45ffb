// SPDX-License-Identifier: Apache-2.0
// cuDNN's subset on the CPU: plain loops with float sums; with tensor cores allowed, operands rounded to TF32. The one
// algorithm there is writes into its workspace, as cuBLASLt's does here.
#include <cudnn.h>

#include <cstring>

#include "api/state.h"
#include "control/apart.h"
#include "control/launch_ledger.h"
#include "libraries/elements.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
  cudnnTensorFormat_t format;
  int n, c, h, w;
};

struct cudnnFilterStruct {
  cudnnTensorFormat_t format;
  int k, c, h, w;
};

struct cudnnConvolutionStruct {
  int pad[2], stride[2], dilation[2];
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace stitch_emulator {
namespace {

constexpr size_t kWorkspaceBytes = 4096;

int64_t place(cudnnTensorFormat_t format, int64_t n, int64_t c, int64_t y, int64_t x, int64_t channels, int64_t height,
              int64_t width) {
  return format == CUDNN_TENSOR_NHWC ? ((n * height + y) * width + x) * channels + c
                                     : ((n * channels + c) * height + y) * width + x;
}

struct Convolution {
  cudnnConvolutionStruct how;
  cudnnTensorStruct in;
  cudnnTensorStruct out;
  cudnnFilterStruct filter;
  const float* x;
  const float* weight;
  float* y;
  void* workspace;

  bool is_whole() const {
    const auto extent = [&](int size, int kernel, int axis) {
      return (size + 2 * how.pad[axis] - how.dilation[axis] * (kernel - 1) - 1) / how.stride[axis] + 1;
    };
    return in.n == out.n && filter.c * how.groups == in.c && filter.k == out.c && out.c % how.groups == 0 &&
           out.h == extent(in.h, filter.h, 0) && out.w == extent(in.w, filter.w, 1);
  }

  uint64_t flops() const {
    const auto planes = static_cast<uint64_t>(out.n) * static_cast<uint64_t>(out.c);
    const uint64_t outputs = planes * static_cast<uint64_t>(out.h * out.w);
    return 2 * outputs * static_cast<uint64_t>(filter.c * filter.h * filter.w);
  }

  float operand(const float* data, int64_t at) const {
    return how.math == CUDNN_FMA_MATH ? data[at] : rounded_to_tf32(data[at]);
  }

  float sum(int n, int k, int y_place, int x_place) const {
    const int first_channel = k / (out.c / how.groups) * filter.c;
    float total = 0;
    for (int c = 0; c < filter.c; ++c) {
      for (int tap_y = 0; tap_y < filter.h; ++tap_y) {
        for (int tap_x = 0; tap_x < filter.w; ++tap_x) {
          const int in_y = y_place * how.stride[0] - how.pad[0] + tap_y * how.dilation[0];
          const int in_x = x_place * how.stride[1] - how.pad[1] + tap_x * how.dilation[1];
          if (in_y < 0 || in_y >= in.h || in_x < 0 || in_x >= in.w) {
            continue;
          }
          total += operand(x, place(in.format, n, first_channel + c, in_y, in_x, in.c, in.h, in.w)) *
                   operand(weight, place(filter.format, k, c, tap_y, tap_x, filter.c, filter.h, filter.w));
        }
      }
    }
    return total;
  }

  void run() const {
    std::memset(workspace, 0xff, kWorkspaceBytes);
    for (int n = 0; n < out.n; ++n) {
      for (int k = 0; k < out.c; ++k) {
        for (int row = 0; row < out.h; ++row) {
          for (int column = 0; column < out.w; ++column) {
            y[place(out.format, n, k, row, column, out.c, out.h, out.w)] = sum(n, k, row, column);
          }
        }
      }
    }
  }
};

template <typename T>
cudnnStatus_t destroyed(T* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroyed(handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  *descriptor = new cudnnTensorStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  *descriptor = {format, n, c, h, w};
  return type == CUDNN_DATA_FLOAT ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
  *descriptor = new cudnnFilterStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  *descriptor = {format, k, c, h, w};
  return type == CUDNN_DATA_FLOAT ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) {
  *descriptor = new cudnnConvolutionStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
  return destroyed(descriptor);
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t type) {
  *descriptor = {{pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}};
  const bool is_ours = mode == CUDNN_CROSS_CORRELATION && type == CUDNN_DATA_FLOAT;
  return is_ours ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
  descriptor->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
  descriptor->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t convolution,
                                                     cudnnTensorDescriptor_t y, int wanted, int* found,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  const LedgerEntry entry("cudnnGetConvolutionForwardAlgorithm_v7", "", 0);
  *found = 0;
  const Convolution asked{*convolution, *x, *y, *w, nullptr, nullptr, nullptr, nullptr};
  if (handle == nullptr || wanted < 1 || !asked.is_whole()) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  results[0] = {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                CUDNN_STATUS_SUCCESS,
                -1.0f,
                kWorkspaceBytes,
                CUDNN_DETERMINISTIC,
                convolution->math,
                {}};
  *found = 1;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_descriptor,
                                      const void* x, cudnnFilterDescriptor_t w_descriptor, const void* w,
                                      cudnnConvolutionDescriptor_t convolution, cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace, size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_descriptor, void* y) {
  const Convolution wanted{*convolution,
                           *x_descriptor,
                           *y_descriptor,
                           *w_descriptor,
                           static_cast<const float*>(x),
                           static_cast<const float*>(w),
                           static_cast<float*>(y),
                           workspace};
  const bool is_plain = *static_cast<const float*>(alpha) == 1.0f && *static_cast<const float*>(beta) == 0.0f;
  if (!wanted.is_whole() || !is_plain || algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
      workspace == nullptr || workspace_bytes < kWorkspaceBytes) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const cudaError_t done = enqueue(handle->stream, [wanted] {
    if (kernels_are_left_out()) {
      return cudaSuccess;
    }
    const DeviceAccess access;
    LedgerEntry entry("cudnnConvolutionForward", "", 0);
    entry.did_library_work(wanted.flops(), false);
    wanted.run();
    return cudaSuccess;
  });
  return done == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
