// SPDX-License-Identifier: Apache-2.0
// Device memory with one owner.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

namespace stitch {

class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Check data(): null when the memory could not be had, or when no bytes were asked for.
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0 && cudaMalloc(&data_, bytes) != cudaSuccess) {
      data_ = nullptr;
    }
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool ok() const { return data_ != nullptr || bytes_ == 0; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace stitch
