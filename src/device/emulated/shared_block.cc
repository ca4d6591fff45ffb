// SPDX-License-Identifier: Apache-2.0
#include "device/shared_block.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace stitch::device {
namespace {

// An empty block still needs an address.
uint64_t mapped_bytes(uint64_t bytes) { return std::max<uint64_t>(bytes, 1); }

Result<std::byte*> map(int memory, uint64_t bytes) {
  void* address = ::mmap(nullptr, mapped_bytes(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (address == MAP_FAILED) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot map {} bytes of shared memory: {}", bytes, std::strerror(errno)), "",
                   "free some memory, or use smaller sizes (--scale small)");
  }
  return static_cast<std::byte*>(address);
}

}  // namespace

Result<SharedBlock> SharedBlock::allocate(uint64_t bytes) {
  SharedBlock block;
  block.memory_ = Descriptor(::memfd_create("stitchcuda", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!block.memory_.is_open() || ::ftruncate(block.memory_.get(), static_cast<off_t>(mapped_bytes(bytes))) != 0) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot make {} bytes of shared memory: {}", bytes, std::strerror(errno)), "",
                   "free some memory, or use smaller sizes (--scale small)");
  }
  // A worker that shrank it would make the keeper's next access a fault.
  ::fcntl(block.memory_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  STITCH_ASSIGN(block.data_, map(block.memory_.get(), bytes));
  block.bytes_ = bytes;
  block.is_owner_ = true;
  return block;
}

Result<SharedBlock> SharedBlock::open(uint64_t bytes, Descriptor memory, const std::string&) {
  SharedBlock block;
  STITCH_ASSIGN(block.data_, map(memory.get(), bytes));
  block.bytes_ = bytes;
  return block;
}

void SharedBlock::release() {
  if (data_ != nullptr) {
    ::munmap(data_, mapped_bytes(bytes_));
    data_ = nullptr;
  }
}

}  // namespace stitch::device
