// SPDX-License-Identifier: Apache-2.0
#include "device/buffer.h"

#include <utility>

#include "device/common/status.h"

namespace stitch::device {

Result<Buffer> Buffer::allocate(uint64_t bytes) {
  Buffer buffer;
  void* memory = nullptr;
  if (bytes > 0) {
    STITCH_TRY(check(cudaMalloc(&memory, bytes), "allocating device memory"));
  }
  buffer.data_ = static_cast<std::byte*>(memory);
  buffer.bytes_ = bytes;
  return buffer;
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) {
    cudaFree(data_);
  }
}

Result<void> copy_to_device(std::byte* device, const std::byte* host, uint64_t bytes) {
  return check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copying to the device");
}

Result<void> copy_to_host(std::byte* host, const std::byte* device, uint64_t bytes) {
  return check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copying from the device");
}

Result<void> copy_on_device(std::byte* to, const std::byte* from, uint64_t bytes) {
  STITCH_TRY(check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice), "copying on the device"));
  return check(cudaDeviceSynchronize(), "copying on the device");  // such a copy returns before it is over
}

}  // namespace stitch::device
