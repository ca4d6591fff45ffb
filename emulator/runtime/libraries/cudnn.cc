// SPDX-License-Identifier: Apache-2.0
// cuDNN's convolutions on the CPU: plain loops with float sums; with tensor cores allowed, operands rounded to TF32.
// All algorithms run the same loops; what they are told to need of a workspace they write, as cuBLASLt's does here.
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "api/state.h"
#include "control/apart.h"
#include "control/launch_ledger.h"
#include "libraries/cudnn_objects.h"
#include "libraries/elements.h"

struct cudnnFilterStruct {
  stitch_emulator::Extents extents;
};

struct cudnnConvolutionStruct {
  int axes = 0;
  std::array<int, 3> padding{0, 0, 0}, stride{1, 1, 1}, dilation{1, 1, 1};
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace stitch_emulator {
namespace {

constexpr size_t kWorkspaceBytes = 4096;
constexpr size_t kTooMuch = size_t{1} << 50;

// What an algorithm is advised with, best first. As with the library's own heuristics, the first may want more memory
// than there is, or be one whose sums depend on the order of its threads.
template <typename Algorithm>
struct Advice {
  Algorithm algorithm;
  size_t memory;
  cudnnDeterminism_t determinism;
};

constexpr std::array kForward = {
    Advice<cudnnConvolutionFwdAlgo_t>{CUDNN_CONVOLUTION_FWD_ALGO_FFT, kTooMuch, CUDNN_DETERMINISTIC},
    Advice<cudnnConvolutionFwdAlgo_t>{CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, kWorkspaceBytes,
                                      CUDNN_DETERMINISTIC},
    Advice<cudnnConvolutionFwdAlgo_t>{CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, 0, CUDNN_DETERMINISTIC}};
constexpr std::array kBackwardData = {
    Advice<cudnnConvolutionBwdDataAlgo_t>{CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, 0, CUDNN_NON_DETERMINISTIC},
    Advice<cudnnConvolutionBwdDataAlgo_t>{CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, kWorkspaceBytes, CUDNN_DETERMINISTIC},
    Advice<cudnnConvolutionBwdDataAlgo_t>{CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING, 2 * kWorkspaceBytes,
                                          CUDNN_DETERMINISTIC}};

template <typename Advices, typename Algorithm>
const auto* find_advice(const Advices& advices, Algorithm algorithm) {
  const auto* found =
      std::find_if(advices.begin(), advices.end(), [&](const auto& one) { return one.algorithm == algorithm; });
  return found == advices.end() ? nullptr : found;
}

// A convolution from `x` to `y`, or the way back from what stands behind `y` to `x`.
struct Convolution {
  cudnnConvolutionStruct how;
  Extents x;
  Extents y;
  Extents filter;
  const float* from = nullptr;
  const float* weight = nullptr;
  float* to = nullptr;

  bool has_data() const { return from != nullptr && weight != nullptr && to != nullptr; }

  bool is_whole() const {
    bool fits = x.axes == y.axes && x.axes == filter.axes && x.axes == how.axes && x.outer[0] == y.outer[0] &&
                how.groups >= 1 && filter.outer[1] * how.groups == x.outer[1] && filter.outer[0] == y.outer[1] &&
                y.outer[1] % how.groups == 0;
    for (int axis = 0; fits && axis < kMostAxes; ++axis) {
      const int left = x.along[axis] + 2 * how.padding[axis] - how.dilation[axis] * (filter.along[axis] - 1) - 1;
      fits = left >= 0 && y.along[axis] == left / how.stride[axis] + 1;
    }
    return fits;
  }

  uint64_t flops() const {
    const auto sums = static_cast<uint64_t>(y.outer[0]) * static_cast<uint64_t>(y.outer[1] * y.places());
    return 2 * sums * static_cast<uint64_t>(filter.outer[1] * filter.places());
  }

  float operand(const float* data, int64_t at) const {
    return how.math == CUDNN_FMA_MATH ? data[at] : rounded_to_tf32(data[at]);
  }

  // The place of `x` that a tap reads for a place of `y`; false outside.
  bool place_in_x(const std::array<int, kMostAxes>& in_y, const std::array<int, kMostAxes>& tap,
                  std::array<int, kMostAxes>& in_x) const {
    for (int axis = 0; axis < kMostAxes; ++axis) {
      in_x[axis] = in_y[axis] * how.stride[axis] - how.padding[axis] + tap[axis] * how.dilation[axis];
      if (in_x[axis] < 0 || in_x[axis] >= x.along[axis]) {
        return false;
      }
    }
    return true;
  }

  // The same the other way around; false where no place of `y` meets this one by that tap.
  bool place_in_y(const std::array<int, kMostAxes>& in_x, const std::array<int, kMostAxes>& tap,
                  std::array<int, kMostAxes>& in_y) const {
    for (int axis = 0; axis < kMostAxes; ++axis) {
      const int steps = in_x[axis] + how.padding[axis] - tap[axis] * how.dilation[axis];
      in_y[axis] = steps / how.stride[axis];
      if (steps < 0 || steps % how.stride[axis] != 0 || in_y[axis] >= y.along[axis]) {
        return false;
      }
    }
    return true;
  }

  float sum_of_y(int image, int channel, const std::array<int, kMostAxes>& place) const {
    const int first = channel / (y.outer[1] / how.groups) * filter.outer[1];
    std::array<int, kMostAxes> met{};
    float total = 0;
    for (int c = 0; c < filter.outer[1]; ++c) {
      for_places(filter, [&](const std::array<int, kMostAxes>& tap) {
        if (place_in_x(place, tap, met)) {
          total += operand(from, x.at(image, first + c, met)) * operand(weight, filter.at(channel, c, tap));
        }
      });
    }
    return total;
  }

  float sum_of_x(int image, int channel, const std::array<int, kMostAxes>& place) const {
    const int of_group = y.outer[1] / how.groups;
    const int first = channel / filter.outer[1] * of_group;
    std::array<int, kMostAxes> met{};
    float total = 0;
    for (int k = first; k < first + of_group; ++k) {
      for_places(filter, [&](const std::array<int, kMostAxes>& tap) {
        if (place_in_y(place, tap, met)) {
          total += operand(from, y.at(image, k, met)) * operand(weight, filter.at(k, channel % filter.outer[1], tap));
        }
      });
    }
    return total;
  }

  template <typename Visit>
  static void for_places(const Extents& extents, const Visit& visit) {
    std::array<int, kMostAxes> place{};
    for (place[0] = 0; place[0] < extents.along[0]; ++place[0]) {
      for (place[1] = 0; place[1] < extents.along[1]; ++place[1]) {
        for (place[2] = 0; place[2] < extents.along[2]; ++place[2]) {
          visit(place);
        }
      }
    }
  }

  template <typename Sum>
  void fill(const Extents& extents, const Sum& sum) const {
    for (int image = 0; image < extents.outer[0]; ++image) {
      for (int channel = 0; channel < extents.outer[1]; ++channel) {
        for_places(extents, [&](const std::array<int, kMostAxes>& place) {
          to[extents.at(image, channel, place)] = sum(image, channel, place);
        });
      }
    }
  }

  void forward() const {
    fill(y, [this](int image, int channel, const auto& place) { return sum_of_y(image, channel, place); });
  }
  void backward_data() const {
    fill(x, [this](int image, int channel, const auto& place) { return sum_of_x(image, channel, place); });
  }
};

template <typename Advices, typename Result>
cudnnStatus_t advise(const Convolution& asked, const Advices& advices, int wanted, int* found, Result* results) {
  *found = 0;
  if (wanted < 1 || !asked.is_whole()) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  for (const auto& one : advices) {
    if (*found < wanted) {
      results[(*found)++] = {one.algorithm,   CUDNN_STATUS_SUCCESS, -1.0f, one.memory,
                             one.determinism, asked.how.math,       {}};
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

struct Scaling {
  const void* alpha;
  const void* beta;
  bool is_plain() const {
    return *static_cast<const float*>(alpha) == 1.0f && *static_cast<const float*>(beta) == 0.0f;
  }
};

struct Workspace {
  void* memory;
  size_t bytes;
};

template <typename OneAdvice>
cudnnStatus_t enqueued(cudnnHandle_t handle, const char* name, const Convolution& wanted, const OneAdvice* advice,
                       const Workspace& workspace, const Scaling& scaling, void (Convolution::*run)() const) {
  if (handle == nullptr || !wanted.has_data() || !wanted.is_whole() || !scaling.is_plain() || advice == nullptr ||
      workspace.bytes < advice->memory || (advice->memory > 0 && workspace.memory == nullptr)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const size_t written = advice->memory;
  const cudaError_t done = enqueue(handle->stream, [=] {
    if (kernels_are_left_out()) {
      return cudaSuccess;
    }
    const DeviceAccess access;
    LedgerEntry entry(name, "", 0);
    entry.did_library_work(wanted.flops(), false);
    if (written > 0) {
      std::memset(workspace.memory, 0xff, written);
    }
    (wanted.*run)();
    return cudaSuccess;
  });
  return done == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
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
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int dimensions, const int extents[]) {
  return descriptor->extents.set(format, type, dimensions, extents);
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int dimensions,
                                         const int extents[], const int strides[]) {
  if (type != CUDNN_DATA_FLOAT || dimensions != static_cast<int>(descriptor->plain_extents.size())) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  std::copy(extents, extents + dimensions, descriptor->plain_extents.begin());
  std::copy(strides, strides + dimensions, descriptor->plain_strides.begin());
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, int most, cudnnDataType_t* type,
                                         int* dimensions, int extents[], int strides[]) {
  const auto rank = static_cast<int>(descriptor->plain_extents.size());
  if (most < rank) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  *type = CUDNN_DATA_FLOAT;
  *dimensions = rank;
  std::copy(descriptor->plain_extents.begin(), descriptor->plain_extents.end(), extents);
  std::copy(descriptor->plain_strides.begin(), descriptor->plain_strides.end(), strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
  *descriptor = new cudnnFilterStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) { return destroyed(descriptor); }
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int dimensions, const int extents[]) {
  return descriptor->extents.set(format, type, dimensions, extents);
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) {
  *descriptor = new cudnnConvolutionStruct{};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
  return destroyed(descriptor);
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t descriptor, int axes, const int padding[],
                                              const int stride[], const int dilation[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  if (axes < 2 || axes > kMostAxes || mode != CUDNN_CROSS_CORRELATION || type != CUDNN_DATA_FLOAT) {
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  *descriptor = {};
  descriptor->axes = axes;
  for (int i = 0; i < axes; ++i) {
    if (padding[i] < 0 || stride[i] < 1 || dilation[i] < 1) {
      return CUDNN_STATUS_BAD_PARAM;
    }
    descriptor->padding[kMostAxes - axes + i] = padding[i];
    descriptor->stride[kMostAxes - axes + i] = stride[i];
    descriptor->dilation[kMostAxes - axes + i] = dilation[i];
  }
  return CUDNN_STATUS_SUCCESS;
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
  return handle == nullptr
             ? CUDNN_STATUS_BAD_PARAM
             : advise({*convolution, x->extents, y->extents, w->extents}, kForward, wanted, found, results);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x_descriptor,
                                      const void* x, cudnnFilterDescriptor_t w_descriptor, const void* w,
                                      cudnnConvolutionDescriptor_t convolution, cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace, size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_descriptor, void* y) {
  const Convolution wanted{*convolution,          x_descriptor->extents,        y_descriptor->extents,
                           w_descriptor->extents, static_cast<const float*>(x), static_cast<const float*>(w),
                           static_cast<float*>(y)};
  return enqueued(handle, "cudnnConvolutionForward", wanted, find_advice(kForward, algorithm),
                  {workspace, workspace_bytes}, {alpha, beta}, &Convolution::forward);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, cudnnFilterDescriptor_t w,
                                                          cudnnTensorDescriptor_t dy,
                                                          cudnnConvolutionDescriptor_t convolution,
                                                          cudnnTensorDescriptor_t dx, int wanted, int* found,
                                                          cudnnConvolutionBwdDataAlgoPerf_t* results) {
  const LedgerEntry entry("cudnnGetConvolutionBackwardDataAlgorithm_v7", "", 0);
  return handle == nullptr
             ? CUDNN_STATUS_BAD_PARAM
             : advise({*convolution, dx->extents, dy->extents, w->extents}, kBackwardData, wanted, found, results);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           cudnnFilterDescriptor_t w_descriptor, const void* w,
                                           cudnnTensorDescriptor_t dy_descriptor, const void* dy,
                                           cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace,
                                           size_t workspace_bytes, const void* beta,
                                           cudnnTensorDescriptor_t dx_descriptor, void* dx) {
  const Convolution wanted{*convolution,           dx_descriptor->extents,        dy_descriptor->extents,
                           w_descriptor->extents,  static_cast<const float*>(dy), static_cast<const float*>(w),
                           static_cast<float*>(dx)};
  return enqueued(handle, "cudnnConvolutionBackwardData", wanted, find_advice(kBackwardData, algorithm),
                  {workspace, workspace_bytes}, {alpha, beta}, &Convolution::backward_data);
}

}  // extern "C"
