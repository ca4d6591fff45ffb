// SPDX-License-Identifier: Apache-2.0
// What SharedBlock does alike on every device.
#include <utility>

#include "device/shared_block.h"

namespace stitch::device {

SharedBlock::SharedBlock(SharedBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      is_owner_(other.is_owner_),
      handle_(std::move(other.handle_)),
      memory_(std::move(other.memory_)) {}

SharedBlock& SharedBlock::operator=(SharedBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(is_owner_, other.is_owner_);
  std::swap(handle_, other.handle_);
  std::swap(memory_, other.memory_);
  return *this;
}

SharedBlock::~SharedBlock() { release(); }

}  // namespace stitch::device
