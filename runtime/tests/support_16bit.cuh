// SPDX-License-Identifier: Apache-2.0
// Operands stored in 16 bits, for tests of the skeletons that read them.
#pragma once

#include "kernels/common/half.cuh"
#include "support.h"

namespace stitch_test {

using namespace stitch;

// Values that T holds exactly, so that the float reference is the truth.
template <typename T>
void round_to(std::vector<float>& values) {
  for (float& value : values) {
    value = to_float(from_float<T>(value));
  }
}

template <typename T>
class DeviceValues {
 public:
  explicit DeviceValues(const std::vector<float>& values) {
    std::vector<T> stored;
    for (const float value : values) {
      stored.push_back(from_float<T>(value));
    }
    cudaMalloc(reinterpret_cast<void**>(&data_), stored.size() * sizeof(T));
    cudaMemcpy(data_, stored.data(), stored.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceValues() { cudaFree(data_); }
  DeviceValues(const DeviceValues&) = delete;
  DeviceValues& operator=(const DeviceValues&) = delete;
  const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace stitch_test
