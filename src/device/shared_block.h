// SPDX-License-Identifier: Apache-2.0
// Device memory that two processes see: the keeper allocates a block, the worker opens it by its token. Emulated: a
// memfd mapped by both. On a GPU: cudaMalloc and a cudaIpc handle, rounded up to 2 MiB, since a handle opens its whole
// block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch::device {

class SharedBlock {
 public:
  // Owned by this process; contents undefined. `bytes` may be 0.
  static Result<SharedBlock> allocate(uint64_t bytes);
  // Somebody else's block: by `memory` when emulated, by `handle` on a GPU.
  static Result<SharedBlock> open(uint64_t bytes, Descriptor memory, const std::string& handle);

  SharedBlock(SharedBlock&& other) noexcept;
  SharedBlock& operator=(SharedBlock&& other) noexcept;
  ~SharedBlock();

  std::byte* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }
  // What open() needs in the other process.
  const std::string& handle() const { return handle_; }
  int memory() const { return memory_.get(); }

 private:
  SharedBlock() = default;
  void release();

  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
  bool is_owner_ = false;
  std::string handle_;
  Descriptor memory_;
};

}  // namespace stitch::device
