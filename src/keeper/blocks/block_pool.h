// SPDX-License-Identifier: Apache-2.0
// The keeper's memory: numbered blocks shared with the worker, and what may be done to regions of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/bulk.h"
#include "device/shared_block.h"
#include "keeper/poison/random_bytes.h"
#include "wire/messages/mixed_region.h"
#include "wire/messages/tensor_argument.h"

namespace stitch::keeper {

class BlockPool {
 public:
  BlockPool();

  struct Allocated {
    wire::BlockToken token;
    Descriptor memory;  // closed on a GPU
  };
  Result<Allocated> allocate(uint64_t bytes);
  void release(uint64_t id) { blocks_.erase(id); }

  // Fills the regions, one after another, from `source`, a mapping of the supervisor's file.
  Result<void> fill(const std::vector<wire::Region>& regions, std::span<const std::byte> source);
  // Copies `region.bytes` bytes from `offset` on of what another process named: a block of the device by its handle, or
  // a file by its path.
  Result<void> fetch(const wire::Region& region, const std::string& handle, uint64_t offset);
  Result<void> poison(const wire::Region& region);
  // Copies one region to another of the same size.
  Result<void> copy(const wire::Region& from, const wire::Region& to);
  // Makes the mixes in order: a later one may read what an earlier one wrote.
  Result<void> mix(const std::vector<wire::MixedRegion>& mixes);
  // One digest for each region.
  Result<std::vector<uint64_t>> digests(const std::vector<wire::Region>& regions);
  // Returns a copy in a new memfd of exactly region.bytes.
  Result<Descriptor> snapshot(const wire::Region& region);

 private:
  Result<void> fetch_file(std::byte* data, uint64_t bytes, const std::string& path, uint64_t offset);
  Result<uint64_t> digest_by_host(const device::Extent& extent);
  Result<device::Mix> locate(const wire::MixedRegion& mix);
  Result<void> mix_by_host(const device::Mix& mix);
  Result<std::byte*> locate(const wire::Region& region);

  std::map<uint64_t, device::SharedBlock> blocks_;
  uint64_t next_id_ = 1;
  RandomBytes random_;
  uint64_t digest_key_ = 0;
  std::vector<std::byte> staging_;
};

}  // namespace stitch::keeper
