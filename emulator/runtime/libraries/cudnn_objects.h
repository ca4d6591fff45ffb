// SPDX-License-Identifier: Apache-2.0
// What stands behind cuDNN's handles and descriptors of tensors here.
#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace stitch_emulator {
constexpr int kMostAxes = 3;

// Images and channels, or the output and input channels of a filter, and up to three spatial axes: those that are not
// there come first and have one place.
struct Extents {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  int axes = 0;
  std::array<int, 2> outer{};
  std::array<int, kMostAxes> along{1, 1, 1};

  cudnnStatus_t set(cudnnTensorFormat_t wanted, cudnnDataType_t type, int dimensions, const int extents[]) {
    if (dimensions < 4 || dimensions > 2 + kMostAxes || type != CUDNN_DATA_FLOAT) {
      return CUDNN_STATUS_NOT_SUPPORTED;
    }
    *this = {};
    format = wanted;
    axes = dimensions - 2;
    for (int i = 0; i < dimensions; ++i) {
      if (extents[i] < 1) {
        return CUDNN_STATUS_BAD_PARAM;
      }
      (i < 2 ? outer[i] : along[kMostAxes - dimensions + i]) = extents[i];
    }
    return CUDNN_STATUS_SUCCESS;
  }

  int64_t places() const { return int64_t{along[0]} * along[1] * along[2]; }

  int64_t at(int64_t first, int64_t second, const std::array<int, kMostAxes>& place) const {
    const int64_t spatial = (int64_t{place[0]} * along[1] + place[1]) * along[2] + place[2];
    return format == CUDNN_TENSOR_NHWC ? (first * places() + spatial) * outer[1] + second
                                       : (first * outer[1] + second) * places() + spatial;
  }
};

}  // namespace stitch_emulator

struct cudnnTensorStruct {
  stitch_emulator::Extents extents;  // of images
  std::array<int, 3> plain_extents{}, plain_strides{};
};

namespace stitch_emulator {

template <typename T>
cudnnStatus_t destroyed(T* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace stitch_emulator
