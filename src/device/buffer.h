// SPDX-License-Identifier: Apache-2.0
// Device memory of this process alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error/result.h"

namespace stitch::device {

class Buffer {
 public:
  static Result<Buffer> allocate(uint64_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  Buffer() = default;
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

// Copies that are over when they return.
Result<void> copy_to_device(std::byte* device, const std::byte* host, uint64_t bytes);
Result<void> copy_to_host(std::byte* host, const std::byte* device, uint64_t bytes);
Result<void> copy_on_device(std::byte* to, const std::byte* from, uint64_t bytes);

}  // namespace stitch::device
