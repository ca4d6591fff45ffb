// SPDX-License-Identifier: Apache-2.0
// The keeper's blocks as this process sees them. Mirrored (the checked worker): every region a program is handed is a
// malloc'd copy of exactly its size, so that AddressSanitizer sees each byte beyond it; contents are copied in before a
// call and back after it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "device/shared_block.h"
#include "device/trial.h"
#include "wire/messages/tensor_argument.h"

namespace stitch::worker {

class AttachedMemory {
 public:
  explicit AttachedMemory(bool mirrored) : mirrored_(mirrored) {}

  Result<void> attach(const std::vector<wire::BlockToken>& tokens, std::vector<Descriptor> memories);
  void detach(uint64_t id);

  // The blocks as the device's memory.
  std::vector<device::Memory> ranges() const;

  // What the program is handed of them: mirrored, its copies.
  std::vector<device::Memory> lent() const;

  // Where the program finds this region. Stays valid until its block is detached.
  Result<std::byte*> address(const wire::Region& region);

  // Mirrored only: copies what the keeper wrote into the mirrors, and what the program wrote back.
  bool is_mirrored() const { return mirrored_; }
  void copy_in();
  void copy_back();

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const;
  };
  struct Mirror {
    std::byte* shared;
    uint64_t bytes;
    std::unique_ptr<std::byte, FreeMemory> copy;
  };
  using Key = std::tuple<uint64_t, uint64_t, uint64_t>;  // block, offset, bytes

  bool mirrored_;
  std::map<uint64_t, device::SharedBlock> blocks_;
  std::map<Key, Mirror> mirrors_;
};

}  // namespace stitch::worker
